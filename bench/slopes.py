#!/usr/bin/env python3
"""How the time of a verdict grows: with bytes, rules, events and threads.

    bench/slopes.py [--mb 200] [--runs 3] [--bin build/release/bin] [--out build/bench]

Prints one table a slope: the size, the processor time (for threads the elapsed time too) and the exponent against the row
before: 1 is linear, 0 free. Exit code 1 if time grows faster than size to the power 1.15.
"""
import argparse
import json
import math
import pathlib
import statistics
import sys
import time

import measure

WORST = 1.15
USUAL = 0.001
FILES = 8  # Read on several threads.


def seconds_of(bench, program, log, runs, *flags):
    return bench.in_turn({"vm": lambda: bench.verdict_cost(program, "--log", f"app={log}", *flags)}, runs)["vm"]


def byte_growth(bench, mb, runs):
    """Time for `mb` over that for a tenth, with 120 rules, both less the time for next to nothing."""
    program = bench.rules(120) / "bench.rbc"
    logs = {"none": bench.log(0.01, USUAL), "small": bench.log(mb / 10, USUAL), "large": bench.log(mb, USUAL)}
    jobs = {name: lambda log=log: bench.verdict_cost(program, "--log", f"app={log}") for name, log in logs.items()}
    paired = bench.in_turn(jobs, runs)
    return (paired["large"] - paired["none"]) / (paired["small"] - paired["none"])


def rule_seconds(bench, mb, runs, counts):
    log = bench.log(mb, USUAL)
    programs = {count: bench.rules(count) / "bench.rbc" for count in counts}
    return bench.in_turn({count: lambda program=program: bench.verdict_cost(program, "--log", f"app={log}") for count, program in programs.items()}, runs)


# What `--profile` counts before the graph and behind the verdict.
OTHER_STAGES = {"start", "load", "read", "extract", "resolve", "print"}


def stage_seconds(bench, events, runs):
    """Processor time from decoding to the assembled verdict, as --profile=json counts it: the median of `runs`."""
    log = bench.out / f"events-{events}.log"
    if not log.exists():
        bench.quietly([measure.HERE / "make_events.py", "--events", events, "--occurrences", events // 100, "--out", log])
    bench.quietly([bench.rulec, "build", measure.HERE / "graph.rules", "-o", bench.out / "graph.rbc"])
    measure.warm(log)
    seconds = []
    for _ in range(runs):
        profile = json.loads(bench.verdict_cost(bench.out / "graph.rbc", "--log", f"syslog={log}", "--profile=json").stderr)
        seconds.append(sum(stage["cpu_ms"] for stage in profile["stages"] if stage["stage"] not in OTHER_STAGES) / 1e3)
    return statistics.median(seconds)


class Slope:
    """Rows of one table; remembers whether time grew faster than it may."""

    def __init__(self, title, unit, worst=WORST):
        self.unit, self.worst, self.before, self.holds = unit, worst, None, True
        print(f"\n{title}")

    def row(self, size, seconds, note=""):
        exponent = ""
        if self.before and seconds > 0 and self.before[1] > 0:
            power = math.log(seconds / self.before[1]) / math.log(size / self.before[0])
            steep = power > self.worst and seconds - self.before[1] > 0.02  # Less is noise.
            self.holds = self.holds and not steep
            exponent = f"  power {power:.2f}{'  FAIL' if steep else ''}"
        print(f"  {size:>10g} {self.unit:8} {seconds * 1e3:10.1f} ms{exponent}{note}")
        self.before = (size, seconds)


def measure_threads(bench, log, runs):
    if not bench.flag("--threads"):
        print("\nthreads: skipped, attrib-vm has no --threads")
        return True
    folder = bench.out / f"{log.stem}-files"
    folder.mkdir(exist_ok=True)
    size = log.stat().st_size // FILES + 1
    with open(log, "rb") as whole:
        for at in range(FILES):
            (folder / f"part{at}.log").write_bytes(b"".join(whole.readlines(size)))
    holds = True
    for what, path in (f"{FILES} files", folder), ("one log", log):
        slope, verdicts = Slope(f"threads, {what}", "threads", worst=0.5), set()
        for threads in (1, 2, 4):
            elapsed, cost = [], None
            for _ in range(runs):
                begin = time.monotonic()
                cost = bench.verdict_cost(bench.fleet, "--log", f"app={path}", "--threads", threads)
                elapsed.append(time.monotonic() - begin)
            verdicts.add(cost.stdout)
            slope.row(threads, cost.seconds, f"  elapsed {sorted(elapsed)[runs // 2] * 1e3:.1f} ms")
        if len(verdicts) > 1:
            print("  FAIL the verdict depends on the number of threads")
        holds = holds and slope.holds and len(verdicts) == 1
    return holds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=float, default=200)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/bench"))
    options = parser.parse_args()
    bench, holds = measure.Bench(options.bin, options.out), []

    for signal in (0.001, 0.05):
        slope = Slope(f"bytes, the standard library, {signal:.1%} signals", "MB")
        for part in (16, 4, 1):
            slope.row(options.mb / part, seconds_of(bench, bench.fleet, bench.log(options.mb / part, signal), options.runs))
        holds.append(slope.holds)

    slope = Slope(f"rules, {options.mb:g} MB, 0.1 % signals", "rules", worst=0.5)
    for count, seconds in rule_seconds(bench, options.mb, options.runs, (30, 120, 500)).items():
        slope.row(count, seconds)
    holds.append(slope.holds)

    slope = Slope("events, the stages behind extraction", "events")
    for events in (10_000, 100_000, 1_000_000):
        slope.row(events, stage_seconds(bench, events, options.runs))
    holds.append(slope.holds)

    holds.append(measure_threads(bench, bench.log(options.mb, USUAL), options.runs))
    return 0 if all(holds) else 1


if __name__ == "__main__":
    sys.exit(main())
