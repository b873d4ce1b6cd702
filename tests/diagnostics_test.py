#!/usr/bin/env python3
"""Each diagnostic of base/diagnostics.def is emitted somewhere and shown by a golden case; and docs/diagnostics.md is up to date.

usage: diagnostics_test.py [--page PROGRAM] [--missing]
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r"^ATTRIB_DIAGNOSTIC\((\d+),\s*(\w+),", re.M)
ROOMS = ("base", "dsl", "compiler", "program", "ruletest", "tools")
# No golden case can show these; each has its reason.
EXEMPT = {
    "112": "needs a rule file of 16 MiB; dsl/errors_test.cpp makes one",
    "502": "needs a table that defeats the proof's bound; compiler/limits_test.cpp makes one",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", help="program that prints docs/diagnostics.md")
    args = parser.parse_args()
    rows = ROW.findall((ROOT / "base" / "diagnostics.def").read_text())
    code = "\n".join(p.read_text() for room in ROOMS for p in sorted((ROOT / room).rglob("*.cpp")) if not p.name.endswith("_test.cpp"))
    golden = "\n".join(p.read_text(errors="replace") for p in sorted((ROOT / "tests" / "golden").rglob("*.expected")))
    problems = []
    seen = set()
    for number, name in rows:
        if number in seen:
            problems.append(f"RL{int(number):04} is given twice")
        seen.add(number)
        if not re.search(rf"\bdiag::{name}\b", code):
            problems.append(f"RL{int(number):04} {name} is emitted nowhere")
        if f"[RL{int(number):04}]" not in golden and number not in EXEMPT:
            problems.append(f"RL{int(number):04} {name} appears in no golden case")
    if args.page:
        page = subprocess.run([args.page], capture_output=True, text=True, check=True).stdout
        if page != (ROOT / "docs" / "diagnostics.md").read_text():
            problems.append("docs/diagnostics.md is not what the program prints")
    for problem in problems:
        print("FAIL", problem)
    print(f"{len(rows)} diagnostics")
    print(f"{0 if problems else 1} passed, {len(problems)} failed")
    return 1 if problems or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
