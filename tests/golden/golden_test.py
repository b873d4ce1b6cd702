#!/usr/bin/env python3
"""Run the golden cases and compare what the programs print with the .expected files.

usage: golden_test.py --bin DIR [--fleet FILE] [--update] [FILTER...]

The stage folder picks the command; a case runs in its own folder, so no absolute path can reach an expected file:
  parse/TOPIC/CASE.rules      rulec build --emit=ast       check/     rulec check (--strict if the name has `strict`)
  ir/                         rulec build --emit=ir        bytecode/  rulec build --emit=bytecode
  ruletest/TOPIC/CASE/        rulec test CASE              cover/     rulec cover CASE (--strict and --json if the name has them)
  cost/TOPIC/CASE.rules       rulec cost CASE (--format=json if the name has it, --log CASE.log if there is one)
  evidence/TOPIC/CASE.*       attrib-vm run --program PROGRAM --input (or --log kernel@n1=) CASE.*   (what bad evidence says)
  evidence/lines/KIND.CASE.*  attrib-vm check --lines --log KIND=FILE    (how a carrier is framed; KIND `input`: --input FILE)
  program/TOPIC/CASE.rules    the compiled case, damaged as CASE.damage says, given to attrib-vm
  verdict/TOPIC/CASE.json     attrib-vm run --format F, one CASE.F.expected for each F of json, text, explain, markdown, dot, mermaid

A case of the first seven stages may be a folder of several files. A rule case whose name starts with `fail_` must end with exit code 1 or 2, every other with 0. With --update the expected files
are rewritten (refused when CI is set); read the result with `git diff`. FILTER: only cases whose path contains it.
"""
import argparse
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FORMATS = ["json", "text", "explain", "markdown", "dot", "mermaid"]
TIMEOUT = 120


def run(command, cwd, data=None):
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, input=data, timeout=TIMEOUT,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "ASAN_OPTIONS": "detect_leaks=0"})
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def shown(code, out, err):
    text = out
    if err:
        text += ("" if not text or text.endswith("\n") else "\n") + "-- stderr\n" + err
    return text + ("" if text.endswith("\n") or not text else "\n") + f"-- exit {code}\n"


class Runner:
    def __init__(self, args):
        self.bin, self.fleet, self.update = pathlib.Path(args.bin).resolve(), args.fleet, args.update
        self.filters, self.passed, self.failed, self.updated = args.filters, 0, 0, 0
        self.scratch_folder = tempfile.TemporaryDirectory(prefix="attrib-golden-")
        self.scratch = pathlib.Path(self.scratch_folder.name)

    def wanted(self, path):
        return not self.filters or any(f in str(path.relative_to(HERE)) for f in self.filters)

    def check(self, name, expected_file, actual, problem=""):
        if problem:
            self.failed += 1
            print(f"FAIL {name}: {problem}\n{actual}")
            return
        if self.update:
            if not expected_file.exists() or expected_file.read_text() != actual:
                expected_file.write_text(actual)
                self.updated += 1
                print(f"updated {expected_file.relative_to(HERE)}")
            self.passed += 1
            return
        want = expected_file.read_text() if expected_file.exists() else None
        if want == actual:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAIL {name}")
        if want is None:
            print(f"  no {expected_file.name}; it printed:\n{actual}")
        else:
            diff = difflib.unified_diff(want.splitlines(), actual.splitlines(), "expected", "actual", lineterm="", n=2)
            print("\n".join("  " + line for line in list(diff)[:80]))
        print(f"  accept with: tests/golden/golden_test.py --bin {os.path.relpath(self.bin)} --update {name}")

    def rules_stage(self, stage, command):
        cases = list((HERE / stage).glob("*/*.rules")) + [d for d in (HERE / stage).glob("*/*") if d.is_dir()]
        for case in sorted(cases):
            if not self.wanted(case):
                continue
            flags = [f"--{word}" for word in ("strict", "json") if word in case.name]
            if stage == "cost":
                flags = ["--format=json"] if "json" in case.name else []
                flags += [f"--log={log.name}" for log in [case.with_suffix(".log")] if log.exists()]
            code, out, err = run([self.bin / "rulec", *command, *flags, case.name], case.parent)
            problem = ""
            if case.name.startswith("fail_") != (code in (1, 2)) or code not in (0, 1, 2):
                problem = f"exit code {code}; a name starts with fail_ exactly when it must fail"
            self.check(str(case.relative_to(HERE)), case.parent / (case.stem + ".expected"), shown(code, out, err), problem)

    def ruletest_stage(self):
        for case in sorted((HERE / "ruletest").glob("*/*/")):
            if self.wanted(case):
                code, out, err = run([self.bin / "rulec", "test", case.name], case.parent)
                problem = "" if case.name.startswith("fail_") == (code in (1, 2)) else f"exit code {code}"
                self.check(str(case.relative_to(HERE)), case.parent / (case.name + ".expected"), shown(code, out, err), problem)

    def program(self, folder):
        """The program of a verdict or evidence folder: its own rules/ if it has one, else the standard library."""
        own = folder / "rules"
        if not own.is_dir():
            return self.fleet
        target = self.scratch / (str(folder.relative_to(HERE)).replace("/", "_") + ".rbc")
        if not target.exists():
            code, out, err = run([self.bin / "rulec", "build", "rules", "-o", target], folder)
            if code != 0:
                raise SystemExit(f"{own}: does not build:\n{out}{err}")
        return target

    def evidence_stage(self):
        for case in sorted((HERE / "evidence").rglob("*")):
            if not case.is_file() or case.suffix in (".expected", ".rules") or not self.wanted(case):
                continue
            if case.parent.name == "lines":
                kind = case.name.split(".")[0]
                how = ["--input", case.name] if kind == "input" else ["--log", f"{kind}={case.name}"]
                command = [self.bin / "attrib-vm", "check", "--lines", "--year", "2026", "--tz", "UTC", "--boot", "2026-05-16T09:00:00Z", *how]
                self.check(str(case.relative_to(HERE)), case.parent / (case.name + ".expected"), shown(*run(command, case.parent)))
                continue
            how = ["--input", case.name] if case.suffix in (".json", ".ndjson", ".gz") else ["--log", f"kernel@n1={case.name}"]
            command = [self.bin / "attrib-vm", "run", "--program", self.program(HERE / "evidence"), *how, "--mask-digest", "--format", "json"]
            code, out, err = run(command, case.parent)
            expected = case.parent / (case.name + ".expected")
            self.check(str(case.relative_to(HERE)), expected, shown(code, out if code not in (0, 4) else "", err))

    def program_stage(self):
        for case in sorted((HERE / "program").rglob("*.damage")):
            if not self.wanted(case):
                continue
            target = self.scratch / "damaged.rbc"
            code, out, err = run([self.bin / "rulec", "build", case.with_suffix(".rules").name, "-o", target], case.parent)
            if code != 0:
                raise SystemExit(f"{case}: does not build:\n{out}{err}")
            data = bytearray(target.read_bytes())
            word, *numbers = case.read_text().split()
            if word == "truncate":  # truncate PERCENT
                data = data[: len(data) * int(numbers[0]) // 100]
            elif word == "flip":    # flip BYTE_OFFSET BIT
                data[int(numbers[0])] ^= 1 << int(numbers[1])
            elif word == "set":     # set BYTE_OFFSET VALUE
                data[int(numbers[0])] = int(numbers[1])
            else:
                raise SystemExit(f"{case}: unknown damage {word}")
            target.write_bytes(data)
            (self.scratch / "empty.json").write_text('{"schema": "attrib.evidence/1", "workload": {"id": "1"}, "observations": []}')
            code, out, err = run([self.bin / "attrib-vm", "run", "--program", "damaged.rbc", "--input", "empty.json"], self.scratch)
            problem = "" if code == 2 else f"exit code {code}, want 2"
            self.check(str(case.relative_to(HERE)), case.with_suffix(".expected"), shown(code, out, err), problem)

    def verdict_stage(self):
        for case in sorted((HERE / "verdict").rglob("*.json")):
            if case.name == "expected.json" or not self.wanted(case):
                continue
            formats = [f for f in FORMATS if (case.parent / f"{case.stem}.{f}.expected").exists()]
            if not formats:
                formats = ["json"]
            for form in formats:
                flags = ["--format", "text", "--explain"] if form == "explain" else ["--format", form]
                command = [self.bin / "attrib-vm", "run", "--program", self.program(case.parent), "--input", case.name, "--mask-digest", *flags]
                code, out, err = run(command, case.parent)
                problem = "" if code == 0 else f"exit code {code}"
                self.check(str(case.relative_to(HERE)), case.parent / f"{case.stem}.{form}.expected", shown(code, out, err), problem)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder with rulec and attrib-vm")
    parser.add_argument("--fleet", help="compiled standard library (default: BIN/../fleet.rbc)")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("filters", nargs="*")
    args = parser.parse_args()
    if args.update and os.environ.get("CI"):
        print("golden_test: --update is refused when CI is set", file=sys.stderr)
        return 3
    args.fleet = str(pathlib.Path(args.fleet or pathlib.Path(args.bin).resolve().parent / "fleet.rbc").resolve())
    runner = Runner(args)
    runner.rules_stage("parse", ["build", "--emit=ast"])
    runner.rules_stage("check", ["check"])
    runner.rules_stage("ir", ["build", "--emit=ir"])
    runner.rules_stage("bytecode", ["build", "--emit=bytecode"])
    runner.ruletest_stage()
    runner.rules_stage("cover", ["cover"])
    runner.rules_stage("cost", ["cost"])
    runner.program_stage()
    runner.evidence_stage()
    runner.verdict_stage()
    if runner.passed + runner.failed == 0:
        print("golden_test: no case ran", file=sys.stderr)
        return 1
    print(f"{runner.passed} passed, {runner.failed} failed")
    return 1 if runner.failed else 0


if __name__ == "__main__":
    sys.exit(main())
