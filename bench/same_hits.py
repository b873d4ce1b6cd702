#!/usr/bin/env python3
"""Proves that the engines of the benchmark find the same: for 120 and 500 rules, on a log with every pattern in it.

    bench/same_hits.py --bin DIR [--mb 5]

Compares the events of each rule between attrib-vm and bench/python_engine.py, and the lines hit between that and ripgrep
(left out, and said so, where it is not installed).
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def output_of(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)


def attrib_hits(vm, program, log):
    """Events by rule, from `attrib-vm run --stats`."""
    done = subprocess.run([vm, "run", "--program", program, "--log", f"app={log}", "--stats"], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        raise SystemExit(f"attrib-vm: exit {done.returncode}\n{done.stderr}")
    rows = re.findall(r"^ *\d+ +(\d+)  bench\.patterns\.(p\d+)$", done.stderr, re.M)
    return {rule: int(made) for made, rule in rows if int(made)}


def compare(programs, log, scratch, rules):
    folder = scratch / f"rules-{rules}"
    output_of(HERE / "make_rules.py", "--rules", rules, "--out", folder, "--samples")
    output_of(programs / "rulec", "build", folder / "bench.rules", "-o", folder / "bench.rbc")
    both = scratch / "both.log"
    both.write_bytes(log.read_bytes() + (folder / "samples.log").read_bytes())
    events = attrib_hits(programs / "attrib-vm", folder / "bench.rbc", both)
    python = json.loads(output_of(HERE / "python_engine.py", folder / "engine.json", both).stdout)
    differ = [f"{rule}: {events.get(rule, 0)} events, python {python['by_rule'].get(rule, 0)}"
              for rule in sorted(events.keys() | python["by_rule"].keys()) if events.get(rule) != python["by_rule"].get(rule)]
    if len(events) != rules:
        differ.append(f"{len(events)} of {rules} rules were hit")
    lines = python["hit_lines"]
    found = "ripgrep left out: not installed"
    if shutil.which("rg"):
        ripgrep = int(output_of("rg", "-c", "-f", folder / "regexes.txt", both).stdout)
        found = f"ripgrep {ripgrep} lines"
        if ripgrep != lines:
            differ.append(f"python {lines} lines hit, ripgrep {ripgrep}")
    print(f"{rules} rules: {sum(events.values())} events of {len(events)} rules, {lines} lines hit; {found}")
    for row in differ:
        print(f"FAIL {rules} rules: {row}")
    return not differ


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--mb", type=float, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="attrib-bench-") as name:
        scratch = pathlib.Path(name)
        log = scratch / "train.log"
        output_of(HERE / "make_log.py", "--mb", options.mb, "--signal", 0.05, "--out", log)
        same = [compare(options.bin, log, scratch, rules) for rules in (120, 500)]
    sys.exit(0 if all(same) else 1)


if __name__ == "__main__":
    main()
