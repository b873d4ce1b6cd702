#!/usr/bin/env python3
"""A job of 10,240 ranks on 1,280 nodes: the verdict stays small and no rule joins pairs.

usage: scale_test.py --bin DIR [--fleet FILE]

JSON under 1 MB; text folded ("10,239 ranks on 1,280 nodes") within 60 lines of 80 columns; no rule takes more steps than a few hundred
an occurrence (a join of all pairs would take 10,000 times as many).
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RANKS = 10240
STEPS_A_RANK = 2000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--fleet")
    args = parser.parse_args()
    programs = pathlib.Path(args.bin).resolve()
    fleet = args.fleet or programs.parent / "fleet.rbc"
    scratch = tempfile.TemporaryDirectory(prefix="attrib-scale-")
    job = pathlib.Path(scratch.name) / "big.ndjson"
    with job.open("w") as out:
        subprocess.run([sys.executable, str(ROOT / "tests" / "make_big_job.py")], stdout=out, check=True)
    problems = []

    def run(*flags):
        done = subprocess.run([programs / "attrib-vm", "run", "--program", fleet, "--input", job, *flags],
                              capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            problems.append(f"exit {done.returncode}: {done.stderr[:500]}")
        return done

    js = run("--format", "json", "--stats")
    if not js.stdout:
        print("\n".join(problems))
        return 1
    verdict = json.loads(js.stdout)
    if len(js.stdout) >= 1_000_000:
        problems.append(f"JSON of {len(js.stdout)} bytes")
    if (verdict["status"], verdict["domain"], verdict["provisional"] if "provisional" in verdict else False) != ("attributed", "nvlink", False):
        problems.append(f"verdict {verdict['status']} {verdict['domain']} provisional {verdict.get('provisional')}")
    steps = {m.group(2): int(m.group(1)) for m in re.finditer(r"^ *(\d+) +\d+  (\S+)$", js.stderr, re.M)}
    worst = max(steps.items(), key=lambda item: item[1]) if steps else ("none", 0)
    if not steps:
        problems.append("--stats printed no rule")
    if worst[1] > STEPS_A_RANK * RANKS:
        problems.append(f"{worst[0]} took {worst[1]} steps")
    text = run("--format", "text").stdout.splitlines()
    if len(text) > 60:
        problems.append(f"text of {len(text)} lines")
    wide = [line for line in text if len(line) > 80]
    if wide:
        problems.append(f"{len(wide)} lines over 80 columns: {wide[0]!r}")
    if not any(re.search(r"\b10,2\d\d ranks on 1,2\d\d nodes", line) for line in text):
        problems.append("text does not say how many ranks on how many nodes")
    for problem in problems:
        print("FAIL", problem)
    print(f"JSON {len(js.stdout)} bytes, text {len(text)} lines, most steps {worst[1]} ({worst[0]})")
    print(f"{0 if problems else 1} passed, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
