#!/usr/bin/env python3
"""Flight-recorder dumps of a made-up job, in every form, go through attrib-vm: exactly the ranks at fault are named.

usage: flight_recorder_test.py --bin DIR --fleet FILE
"""
import argparse
import itertools
import json
import pathlib
import pickle
import pickletools
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NAMED = {"missing": [2, 5], "stalled": [6], "equal": [], "behind": [1], "mismatch": [], "sizes": [], "running": []}
ROOTS = {"mismatch": ["flight.collective_mismatch"], "sizes": ["flight.collective_mismatch"]}
# What PyTorch's own pickler emits.
OPCODES = {"PROTO", "EMPTY_DICT", "BINPUT", "LONG_BINPUT", "MARK", "BINUNICODE", "EMPTY_LIST", "APPENDS", "SETITEMS", "BININT", "BININT1",
           "BININT2", "LONG1", "BINGET", "LONG_BINGET", "TUPLE2", "NONE", "NEWTRUE", "NEWFALSE", "BINFLOAT", "STOP"}


class Test:
    def __init__(self, args):
        self.vm, self.fleet = pathlib.Path(args.bin).resolve() / "attrib-vm", pathlib.Path(args.fleet).resolve()
        self.failed = self.passed = 0

    def check(self, what, got, want):
        if got == want:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {what}: {got}, want {want}")

    def verdict(self, *logs):
        command = [self.vm, "run", "--program", self.fleet, "--format", "json"]
        for log in logs:
            command += ["--log", log]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode not in (0, 4):
            raise SystemExit(f"{command}: exit {done.returncode}\n{done.stderr}")
        return json.loads(done.stdout), done.returncode, done.stderr


def roots(verdict):
    return sorted({r["rank"] for r in verdict["root_causes"] if r["symptom"] == "flight.rank_awaited"})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--fleet", required=True)
    args = parser.parse_args()
    test = Test(args)
    with tempfile.TemporaryDirectory(prefix="attrib-dumps-") as scratch:
        scratch = pathlib.Path(scratch)

        def make(name, *flags):
            out = scratch / name
            subprocess.run([sys.executable, HERE / "make_dumps.py", out, *flags], check=True)
            return out

        for scenario, form, version, complete in itertools.product(NAMED, ("pickle", "json"), ("2.9", "2.4"), (False, True)):
            name = f"{scenario}-{form}-{version}-{'all' if complete else 'open'}"
            out = make(name, scenario, "--form", form, "--version", version, *(["--complete"] if complete else []))
            verdict, code, err = test.verdict(f"flight_recorder={out}")
            test.check(name, (roots(verdict), code, err), (NAMED[scenario], 0, ""))
            if scenario in ROOTS:
                test.check(name, [r["symptom"] for r in verdict["root_causes"]], ROOTS[scenario])
        # The dumps are what they claim to be: Python reads them, and they hold PyTorch's opcodes and no others.
        for path in (scratch / "missing-pickle-2.9-all").iterdir():
            data = path.read_bytes()
            pickle.loads(data)
            test.check(f"opcodes of {path.name}", {op.name for op, _, _ in pickletools.genops(data)} - OPCODES, set())
        # The oldest form has no groups: nothing is known, and nobody is accused.
        verdict, _, _ = test.verdict(f"flight_recorder={make('oldest', 'missing', '--version', '1.5', '--complete')}")
        test.check("version 1.5", (verdict["status"], roots(verdict)), ("unattributed", []))
        # A rank without a dump is unknown: named neither as the cause nor as innocent.
        out = make("without", "missing", "--without", "5")
        verdict, _, _ = test.verdict(f"flight_recorder={out}", f"flight_recorder@rank5={out}/_dump_5")
        test.check("without rank 5", (roots(verdict), verdict["confidence"]), ([2], "possible"))
        test.check("its coverage", [c for c in verdict["coverage"] if c["status"] == "empty"][0]["reason"], f"{out}/_dump_5: no such file")
        test.check("its note", [s["rank"] for s in verdict["symptoms"] if s["symptom"] == "flight.dump_missing"], [5])
        # A pickle that holds more than data is refused, and the others are read.
        (out / "_dump_5").write_bytes(pickle.dumps(pathlib.PurePosixPath("/"), protocol=2))
        verdict, code, err = test.verdict(f"flight_recorder={out}")
        test.check("a pickle with an object", (roots(verdict), code), ([2], 4))
        test.check("its problem", err, f"attrib-vm: {out}/_dump_5: byte 2: opcode GLOBAL imports an object; only plain data is read\n")
    print(f"{test.passed} passed, {test.failed} failed")
    return 1 if test.failed else 0


if __name__ == "__main__":
    sys.exit(main())
