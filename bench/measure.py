"""What one run of a command costs, and several in turn. Used by run.py, slopes.py and instructions.py.

Times are processor time (user and system, all threads), never wall time: they hold on a machine that does other work,
where single figures still move by a tenth or more and ratios of runs made in turn by less.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent

Cost = collections.namedtuple("Cost", "seconds peak_kb stdout stderr")


class Failed(Exception):
    """A measured command did not do its work; says which and what it wrote."""


class Bench:
    """Programs, data and scratch files of one benchmark. `programs` holds attrib-vm and rulec."""

    def __init__(self, programs, out):
        self.programs, self.out = pathlib.Path(programs).resolve(), pathlib.Path(out).resolve()
        self.out.mkdir(parents=True, exist_ok=True)
        self.vm, self.rulec = self.programs / "attrib-vm", self.programs / "rulec"
        self.fleet = self.programs.parent / "fleet.rbc"
        for needed in (self.vm, self.rulec, self.fleet):
            if not needed.exists():
                raise Failed(f"{needed} is missing: build first (cmake --workflow --preset release)")
        self.runner = self._compile("runner", [])

    def _compile(self, name, flags):
        source, program = HERE / f"{name}.cpp", self.out / name
        if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
            command = [os.environ.get("CXX", "c++"), "-std=c++20", "-O3", str(source), "-o", str(program), *flags]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise Failed(f"{' '.join(command)}\n{done.stderr}")
        return program

    def peer(self, name, flags):
        """A program of this folder, compiled; None if it cannot be (a library is missing)."""
        try:
            return self._compile(name, flags)
        except Failed:
            return None

    def cost(self, command, stdin=None, good=(0,)):
        """Runs `command`. `stdin`: a path, or an open pipe."""
        report, out, err = self.out / "cost.json", self.out / "stdout", self.out / "stderr"
        runner = [self.runner, report, stdin if isinstance(stdin, (str, pathlib.Path)) else "-", out, *command]
        with open(err, "w") as errors:
            subprocess.run([str(part) for part in runner], check=True, stderr=errors, stdin=stdin if hasattr(stdin, "fileno") else None)
        seen = json.loads(report.read_text())
        if seen["exit"] not in good:
            raise Failed(f"{' '.join(str(part) for part in command)}: exit {seen['exit']}\n{err.read_text()[-2000:]}")
        return Cost(seen["user"] + seen["system"], seen["peak_kb"], out.read_text(errors="replace"), err.read_text(errors="replace"))

    def verdict_cost(self, program, *arguments, stdin=None):
        """One `attrib-vm run` over `--log` or `--input` arguments, on one thread unless they name a number."""
        threads = () if "--threads" in arguments else ("--threads", 1)
        return self.cost([self.vm, "run", "--program", program, "--format", "json", *threads, *arguments], stdin, good=(0, 4))

    def in_turn(self, jobs, runs):
        """Median seconds by name. Each job is a function that returns a Cost; all run once, then all again, `runs` times."""
        seconds = {name: [] for name in jobs}
        for _ in range(runs):
            for name, job in jobs.items():
                seconds[name].append(job().seconds)
        return {name: statistics.median(all_runs) for name, all_runs in seconds.items()}

    def rules(self, count):
        """Folder with bench.rbc, regexes.txt and engine.json of the first `count` patterns."""
        folder = self.out / f"rules-{count}"
        self.quietly([HERE / "make_rules.py", "--rules", count, "--out", folder])
        self.quietly([self.rulec, "build", folder / "bench.rules", "-o", folder / "bench.rbc"])
        return folder

    def log(self, mb, signal, *flags, ndjson=False):
        """Path of a log of bench/make_log.py (with `ndjson`, of its observations), in the page cache; made unless it is there and newer than what it
        is made from."""
        name = f"{mb:g}mb-{signal:g}" + "".join(str(flag) for flag in flags)
        path, objects = self.out / f"{name}.log", self.out / f"{name}.ndjson"
        wanted = objects if ndjson else path
        sources = max((HERE / name).stat().st_mtime for name in ("make_log.py", "ordinary_lines.txt", "signal_lines.txt"))
        if not wanted.exists() or wanted.stat().st_mtime < sources:
            command = [HERE / "make_log.py", "--mb", mb, "--signal", signal, "--out", path, *flags]
            self.quietly(command + (["--ndjson", objects] if ndjson else []))
        warm(wanted)
        return wanted

    def quietly(self, command):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"{' '.join(str(part) for part in command)}\n{done.stdout}{done.stderr}")
        return done.stdout

    def flag(self, name):
        """Whether `attrib-vm run` has this flag."""
        return name in subprocess.run([self.vm, "run", "--help"], capture_output=True, text=True).stdout.replace(",", " ").split()

    def instructions(self, program, log):
        """Instructions of one run, counted by callgrind; None if valgrind is missing."""
        if not shutil.which("valgrind"):
            return None
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={self.out / 'callgrind.out'}", self.vm, "run", "--program", program,
                   "--format", "json", "--threads", "1", "--log", f"app={log}"]
        done = subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        counted = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode not in (0, 4) or not counted:
            raise Failed(f"callgrind: exit {done.returncode}\n{done.stderr[-2000:]}")
        return int(counted[1])

    def instructions_a_byte(self, program, small, large):
        """Growth of the instructions between two logs a byte: start-up does not count. None if valgrind is missing."""
        few = self.instructions(program, small)
        if few is None:
            return None
        return (self.instructions(program, large) - few) / (large.stat().st_size - small.stat().st_size)


def warm(path):
    with open(path, "rb") as file:
        while file.read(1 << 22):
            pass


def events_of(cost):
    """The number of events that a run with --stats made."""
    return int(re.search(r"^events: (\d+)", cost.stderr, re.M)[1])
