#!/usr/bin/env python3
"""Counts instructions a byte of log with callgrind and compares them with bench/ceilings.txt.

    bench/instructions.py [--bin build/release/bin] [--out build/bench] [--small 1 --large 5] [--update]

Instructions do not depend on what else the machine does, so this is the part of the benchmark that continuous integration runs.
The count is the growth between a log of --small and one of --large megabytes: start-up is not in it. Exit code 1 if a count is
above its ceiling by more than SLACK, 0 if not, or if valgrind is not installed (which is said). A ceiling of `-` only reports. --update writes what was
counted as the new ceilings.
"""
import argparse
import pathlib
import sys

import measure

CEILINGS = measure.HERE / "ceilings.txt"
SLACK = 1.05
SIGNALS = {"text-0.1%": 0.001, "text-5%": 0.05}


def read_ceilings():
    rows = [line.split() for line in CEILINGS.read_text().splitlines() if line and not line.startswith("#")]
    return {name: float("inf" if ceiling == "-" else ceiling) for name, ceiling in rows}


def write_ceilings(counted):
    head = [line for line in CEILINGS.read_text().splitlines() if line.startswith("#")]
    CEILINGS.write_text("\n".join(head + [f"{name} {count:.2f}" for name, count in counted.items()]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/bench"))
    parser.add_argument("--small", type=float, default=1)
    parser.add_argument("--large", type=float, default=5)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    bench = measure.Bench(options.bin, options.out)
    counted = {}
    for name, signal in SIGNALS.items():
        count = bench.instructions_a_byte(bench.fleet, bench.log(options.small, signal), bench.log(options.large, signal))
        if count is None:
            print("instructions: skipped, valgrind is not installed")
            return 0
        counted[name] = count
    if options.update:
        write_ceilings(counted)
    ceilings, failed = read_ceilings(), False
    for name, count in counted.items():
        limit = ceilings[name] * SLACK
        failed = failed or count > limit
        says = "no ceiling" if limit == float("inf") else f"above {limit:.2f}" if count > limit else f"at most {limit:.2f}"
        says += "; the ceiling can come down (--update)" if count * SLACK < ceilings[name] < float("inf") else ""
        print(f"{'FAIL ' if count > limit else ''}instructions a byte, {name}: {count:.2f}, {says}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
