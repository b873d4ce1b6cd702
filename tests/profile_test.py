#!/usr/bin/env python3
"""`attrib-vm run --profile` tells where time went and changes nothing else.

usage: profile_test.py --bin DIR --fleet FILE
"""
import argparse
import json
import pathlib
import subprocess

parser = argparse.ArgumentParser()
parser.add_argument("--bin", required=True, type=pathlib.Path)
parser.add_argument("--fleet", required=True)
args = parser.parse_args()
here = pathlib.Path(__file__).resolve().parent
case = here / "golden/verdict/worked/faulty-link.json"


def run(*flags):
    done = subprocess.run(
        [args.bin / "attrib-vm", "run", "--program", args.fleet, "--input", case, "--format", "json", *flags],
        capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


plain, quiet = run()
assert quiet == "", quiet
verdict, told = run("--profile=json")
assert verdict == plain, "a profile changed the verdict"
profile = json.loads(told)
names = [row["stage"] for row in profile["stages"]]
assert names == ["start", "load", "read", "extract", "resolve", "decode", "fold", "infer", "outcome", "demote",
                 "rank", "assemble", "print"], names
by_stage = {row["stage"]: row for row in profile["stages"]}
for stage in ("load", "read", "extract", "infer", "print"):
    assert by_stage[stage]["cpu_ms"] > 0, stage
# The parts are the whole.
assert abs(sum(row["cpu_ms"] for row in profile["stages"]) - profile["cpu_ms"]) < 1e-3
assert profile["cpu_ms"] < 60_000 and profile["peak_bytes"] > 1_000_000

counts = profile["counts"]
made = json.loads(plain)
assert counts["observations"] == made["counters"]["lines"], counts
assert counts["events"] > 0 and counts["symptoms"] >= counts["occurrences"] > 0 and counts["edges"] > 0, counts

rules = {row["rule"]: row for row in profile["rules"]}
assert all(row["steps"] > 0 for row in rules.values())
assert [row["wall_ms"] for row in profile["rules"]] == sorted((row["wall_ms"] for row in profile["rules"]), reverse=True)
lines = profile["lines"]
assert all(row["candidates"] >= row["matches"] for row in lines)
assert sum(row["matches"] for row in lines) > 0
assert all(row["extract"] in rules for row in lines if row["matches"]), "an extract that matched is no rule that ran"
waste = [row["candidates"] - row["matches"] for row in lines]
assert waste == sorted(waste, reverse=True)

verdict, told = run("--profile")
assert verdict == plain
for word in ("stage", "extract", "peak memory", "candidates", "more rules (--explain shows all)"):
    assert word in told, (word, told)
_, told = run("--profile", "text", "--explain")
assert "--explain shows all" not in told
assert all(rule in told for rule in rules)
print("profile: ok")
