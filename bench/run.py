#!/usr/bin/env python3
"""Measures every goal of docs/speed.md in one run; see bench/run.sh."""
import argparse
import dataclasses
import functools
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys

import measure
import slopes

USUAL, FLOOD = 0.001, 0.05


@dataclasses.dataclass
class Row:
    """One goal: what was measured of it, as text and as numbers, and whether it holds (None: not measured)."""

    goal: str
    limit: str
    measured: str
    holds: bool | None
    figures: dict = dataclasses.field(default_factory=dict)

    def result(self):
        return "not measured" if self.holds is None else "pass" if self.holds else "falls short"


def skipped(goal, limit, why):
    return Row(goal, limit, f"skipped: {why}", None)


class Goals:
    """Each method measures one goal, or some that need the same runs, and gives their rows."""

    def __init__(self, bench, mb, runs):
        self.bench, self.mb, self.runs = bench, mb, runs

    @functools.cached_property
    def rules(self):
        return {count: self.bench.rules(count) for count in (120, 500)}

    def vm(self, program, log, *flags, kind="--log"):
        return lambda: self.bench.verdict_cost(program, kind, f"app={log}" if kind == "--log" else log, *flags)

    def beside_wc(self, goal, log, most, least_speed, stretch, *flags):
        paired = self.bench.in_turn({"vm": self.vm(self.bench.fleet, log, *flags), "wc": lambda: self.bench.cost(["wc", "-l", log])}, self.runs)
        ratio, speed = paired["vm"] / paired["wc"], log.stat().st_size / paired["vm"] / 1e9
        return Row(goal, f"<= {most:g}x wc -l (stretch {stretch:g}x), >= {least_speed:g} GB/s", f"{ratio:.2f}x, {speed:.2f} GB/s", ratio <= most,
                   {"ratio": ratio, "GB/s": speed, **{f"{name} s": seconds for name, seconds in paired.items()}})

    def text(self):
        return [self.beside_wc("text, 0.1 %, the standard library", self.bench.log(self.mb, USUAL), 4, 2.0, 2.5)]

    def flood(self):
        return [self.beside_wc("text, 5 %, the standard library", self.bench.log(self.mb, FLOOD), 8, 0.8, 5)]

    def portable(self):
        goal = "portable scalar path"
        if not self.bench.flag("--portable"):
            return [skipped(goal, "<= 5x wc -l, >= 1.5 GB/s", "attrib-vm has no --portable")]
        return [self.beside_wc(goal, self.bench.log(self.mb, USUAL), 5, 1.5, 5, "--portable")]

    def ndjson(self):
        rows = []
        reader = self.bench.peer("simdjson_reader", ["-march=native", "-lsimdjson"])
        for signal, percent, least in ((USUAL, "0.1", 3.0), (FLOOD, "5", 2.0)):
            goal, limit = f"NDJSON, {percent} %", f">= 2x faster than simdjson reading all, >= {least:g} GB/s"
            log = self.bench.log(self.mb / 2, signal, ndjson=True)
            jobs = {"vm": self.vm(self.bench.fleet, log, kind="--input")}
            if reader:
                jobs["simdjson"] = lambda log=log: self.bench.cost([reader, log])
            paired = self.bench.in_turn(jobs, self.runs)
            speed = log.stat().st_size / paired["vm"] / 1e9
            if not reader:
                rows.append(Row(goal, limit, f"{speed:.2f} GB/s; no ratio: libsimdjson-dev is missing", None, {"GB/s": speed}))
                continue
            ratio = paired["simdjson"] / paired["vm"]
            rows.append(Row(goal, limit, f"{ratio:.2f}x, {speed:.2f} GB/s", ratio >= 2, {"ratio": ratio, "GB/s": speed}))
        return rows

    def python(self):
        rows = []
        log = self.bench.log(min(64, self.mb), USUAL)
        for count, least in ((120, 200), (500, 500)):
            folder = self.rules[count]
            engine = [sys.executable, measure.HERE / "python_engine.py", folder / "engine.json", log]
            # One run of the slow one: it takes seconds to minutes, and the ratio leaves room for what a run more would tell.
            vm = self.bench.in_turn({"vm": self.vm(folder / "bench.rbc", log)}, max(3, self.runs))["vm"]
            python = self.bench.cost(engine).seconds
            rows.append(Row(f"Python engine with prefilter, {count} rules, 0.1 %, {log.stat().st_size / 1e6:.0f} MB", f">= {least}x",
                            f"{python / vm:.0f}x (Python {log.stat().st_size / python / 1e6:.1f} MB/s)", python / vm >= least,
                            {"ratio": python / vm, "python s": python, "vm s": vm}))
        return rows

    def ripgrep(self):
        goal, limit = "ripgrep -c, the same 120 patterns, 0.1 %", ">= 5x faster"
        if not shutil.which("rg"):
            return [skipped(goal, limit, "ripgrep is missing (package ripgrep)")]
        log, folder = self.bench.log(self.mb, USUAL), self.rules[120]
        grep = lambda: self.bench.cost(["rg", "--no-config", "-j1", "-c", "-f", folder / "regexes.txt", log])
        paired = self.bench.in_turn({"vm": self.vm(folder / "bench.rbc", log), "rg": grep}, min(3, self.runs))
        ratio = paired["rg"] / paired["vm"]
        return [Row(goal, limit, f"{ratio:.1f}x (ripgrep {log.stat().st_size / paired['rg'] / 1e9:.2f} GB/s)", ratio >= 5, {"ratio": ratio, **paired})]

    def cold_start(self):
        few = self.bench.out / "10000.ndjson"
        with open(self.bench.log(3, USUAL, ndjson=True), "rb") as whole:
            few.write_bytes(b"".join(line for _, line in zip(range(10000), whole)))
        paired = self.bench.in_turn({"vm": self.vm(self.bench.fleet, few, kind="--input"), "true": lambda: self.bench.cost(["/bin/true"])}, 7 * self.runs)
        ratio = paired["vm"] / paired["true"]
        return [Row("cold start, 10,000 observations", "<= 10 ms, <= 25x /bin/true", f"{paired['vm'] * 1e3:.1f} ms, {ratio:.1f}x",
                    ratio <= 25 and paired["vm"] <= 0.010, {"ratio": ratio, "ms": paired["vm"] * 1e3})]

    def memory(self):
        program = self.rules[120] / "bench.rbc"
        small, large = self.bench.log(self.mb / 10, USUAL), self.bench.log(self.mb, USUAL / 10)
        runs = {name: self.vm(program, log, "--stats")() for name, log in (("small", small), ("large", large))}
        # The share of signals is a tenth in the tenfold log; what differs by chance is allowed for in bytes.
        ratio = runs["large"].peak_kb / runs["small"].peak_kb
        rows = [Row(f"memory, {self.mb:g} MB against {self.mb / 10:g} MB, as many events", "<= 1.1x", f"{ratio:.2f}x ({runs['large'].peak_kb / 1024:.1f} MB)",
                    ratio <= 1.1, {"ratio": ratio, "MB": runs["large"].peak_kb / 1024})]
        for signal, percent in ((USUAL, "0.1"), (FLOOD, "5")):
            full = self.vm(self.bench.fleet, self.bench.log(self.mb, signal), "--stats")()
            events, peak = measure.events_of(full), full.peak_kb * 1024
            rows.append(Row(f"memory, the standard library, {percent} %", "<= 24 MB + 128 B an event",
                            f"{peak / 1e6:.1f} MB, {events} events ({max(0, peak - 24e6) / max(events, 1):.0f} B each above 24 MB)",
                            peak <= 24e6 + 128 * events, {"MB": peak / 1e6, "events": events}))
        return rows + [self.standard_input(program, large)]

    def standard_input(self, program, log):
        """The same log fed ten times: only events may add to the peak."""
        peaks, events = {}, {}
        for times in (1, 10):
            feed = subprocess.Popen(["cat"] + [str(log)] * times, stdout=subprocess.PIPE)
            run = self.bench.verdict_cost(program, "--log", "app=-", "--stats", stdin=feed.stdout)
            feed.stdout.close()
            feed.wait()
            peaks[times], events[times] = run.peak_kb * 1024, measure.events_of(run)
        allowed = 1.1 * peaks[1] + 128 * (events[10] - events[1])
        return Row("memory, standard input fed ten times", "flat: <= 1.1x + 128 B an event more",
                   f"{peaks[10] / peaks[1]:.2f}x ({peaks[10] / 1e6:.1f} MB, {events[10]} events)", peaks[10] <= allowed,
                   {"MB": peaks[10] / 1e6, "MB once": peaks[1] / 1e6})

    def stages(self):
        cost = {events: slopes.stage_seconds(self.bench, events, max(3, self.runs)) for events in (100_000, 1_000_000)}
        growth = cost[1_000_000] / cost[100_000]
        return [Row("graph and verdict, 1e6 events to 1e4 occurrences", "<= 300 ms; 10x events <= 12x time", f"{cost[1_000_000] * 1e3:.0f} ms, {growth:.1f}x",
                    cost[1_000_000] <= 0.3 and growth <= 12, {"ms": cost[1_000_000] * 1e3, "growth": growth})]

    def growth(self):
        rows = []
        bytes_ratio = slopes.byte_growth(self.bench, self.mb, self.runs)
        rows.append(Row("growth, 10x bytes", "<= 11x time", f"{bytes_ratio:.1f}x", bytes_ratio <= 11, {"ratio": bytes_ratio}))
        seconds = slopes.rule_seconds(self.bench, self.mb, self.runs, (120, 500))
        ratio = seconds[500] / seconds[120]
        rows.append(Row("growth, 120 to 500 rules, 0.1 %", "<= 1.8x time (stretch 1.3x)", f"{ratio:.2f}x", ratio <= 1.8, {"ratio": ratio}))
        return rows

    def instructions(self):
        goal, limit = "instructions a byte, 0.1 %", "<= 4"
        count = self.bench.instructions_a_byte(self.bench.fleet, self.bench.log(2, USUAL), self.bench.log(10, USUAL))
        if count is None:
            return [skipped(goal, limit, "valgrind is missing")]
        return [Row(goal, limit, f"{count:.2f}", count <= 4, {"instructions": count})]

    def rotated(self):
        """A set as logrotate leaves it gives what the whole file gives."""
        plain = self.bench.log(min(20, self.mb), USUAL)
        cut = self.bench.log(min(20, self.mb), USUAL, "--rotated", 3)
        folder = self.bench.out / "rotated"
        folder.mkdir(exist_ok=True)
        for part in cut.parent.glob(cut.name + "*"):
            shutil.copy(part, folder / part.name.replace(cut.name, "train.log"))
        read = {}
        for name, path in (("plain", plain), ("rotated", folder)):
            run = self.vm(self.bench.fleet, path, "--stats")()
            said = json.loads(run.stdout)
            roots = [(cause.get("symptom"), cause.get("entity")) for cause in said.get("root_causes", [])]
            read[name] = (measure.events_of(run), said["status"], roots)
        plain, rotated = read["plain"], read["rotated"]
        seen = "same" if plain == rotated else f"{rotated[0]} events, not {plain[0]}; {rotated[1]}, {plain[1]}"
        return [Row("rotated set of gzip members", "reads as the whole file does", seen, plain == rotated)]


ORDER = ("text", "flood", "portable", "ndjson", "python", "ripgrep", "cold_start", "memory", "stages", "growth", "instructions", "rotated")


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    return {"processor": model, "cores": os.cpu_count(), "kernel": platform.release(), "python": platform.python_version()}


def print_table(rows):
    table = [("goal", "limit", "measured", "result")] + [(row.goal, row.limit, row.measured, row.result()) for row in rows]
    widths = [max(len(line[column]) for line in table) for column in range(4)]
    for at, line in enumerate(table):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")
        if at == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--mb", type=float)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/bench"))
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    mb, runs = options.mb or (64 if options.quick else 1000), options.runs or (3 if options.quick else 5)
    goals = Goals(measure.Bench(options.bin, options.out), mb, runs)
    rows = []
    for name in ORDER:
        if options.only not in name:
            continue
        print(f"measuring {name}", file=sys.stderr)
        try:
            rows += getattr(goals, name)()
        except measure.Failed as error:
            rows.append(Row(name, "", f"failed: {error}".replace("\n", " ")[:200], False))
    facts = machine()
    print(f"{facts['processor']}, {facts['cores']} cores, Linux {facts['kernel']}; log of {mb:g} MB, medians of {runs} runs, processor time")
    print_table(rows)
    if options.json:
        data = {"machine": facts, "mb": mb, "runs": runs, "goals": [{**dataclasses.asdict(row), "result": row.result()} for row in rows]}
        options.json.write_text(json.dumps(data, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
