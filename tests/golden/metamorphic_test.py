#!/usr/bin/env python3
"""What must not change a verdict: order of observations, order and number of files, a second delivery.

usage: metamorphic_test.py --bin DIR [--fleet FILE] [FILTER...]

For every evidence document below tests/golden/verdict and every case of tests/cases:
  shuffled            identical bytes (equal-stamped lines of one stream without `seq` keep their order)
  split in two files  identical bytes, in either order of files
  delivered twice     identical bytes under the same ids; under new ids only evidence lists differ
"""
import argparse
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def stream(o):
    return (o.get("source"), o.get("node"), o.get("pod"), o.get("container"), o.get("file"), o.get("rank"))


def shuffled(observations, seed):
    """A random order in which equal-stamped lines of one stream without `seq` keep theirs."""
    keyed = {}
    for o in observations:
        keyed.setdefault((stream(o), o.get("ts")) if "seq" not in o else ("alone", id(o)), []).append(o)
    order = list(observations)
    random.Random(seed).shuffle(order)
    queues = {k: iter(v) for k, v in keyed.items()}
    return [next(queues[(stream(o), o.get("ts")) if "seq" not in o else ("alone", id(o))]) for o in order]


def without_evidence(value):
    if isinstance(value, dict):
        return {k: without_evidence(v) for k, v in value.items() if k not in ("evidence", "evidence_truncated")}
    if isinstance(value, list):
        return [without_evidence(v) for v in value]
    return value


def load_documents():
    for path in sorted((HERE / "verdict").rglob("*.json")):
        if path.name != "expected.json":
            yield path, json.loads(path.read_text())
    for folder in sorted((HERE.parent / "cases").glob("*/observations.ndjson")):
        lines = [json.loads(line) for line in folder.read_text().splitlines() if line.strip()]
        yield folder, {"schema": "attrib.evidence/1", "workload": {"id": "1", "attempt": 1}, "observations": lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--fleet")
    parser.add_argument("filters", nargs="*")
    args = parser.parse_args()
    program_dir = pathlib.Path(args.bin).resolve()
    fleet = args.fleet or program_dir.parent / "fleet.rbc"
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="attrib-meta-"))
    passed = failed = 0

    def run(program, *documents):
        command = [str(program_dir / "attrib-vm"), "run", "--program", str(program), "--format", "json"]
        for index, document in enumerate(documents):
            path = scratch / f"{index}.json"
            path.write_text(json.dumps(document))
            command += ["--input", str(path)]
        done = subprocess.run(command, capture_output=True, timeout=120)
        if done.returncode not in (0, 4):
            raise SystemExit(f"attrib-vm failed: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def demand(name, what, good):
        nonlocal passed, failed
        if good:
            passed += 1
        else:
            failed += 1
            print(f"FAIL {name}: {what}")

    for path, document in load_documents():
        name = str(path.relative_to(HERE.parent))
        if args.filters and not any(f in name for f in args.filters):
            continue
        program = fleet
        if (path.parent / "rules").is_dir():
            program = scratch / (path.parent.name + ".rbc")
            subprocess.run([str(program_dir / "rulec"), "build", str(path.parent / "rules"), "-o", str(program)], check=True, stdout=subprocess.DEVNULL)
        observations = document["observations"]
        base = run(program, document)
        for seed in range(3):
            demand(name, f"shuffle {seed}", run(program, {**document, "observations": shuffled(observations, seed)}) == base)
        header = {k: v for k, v in document.items() if k != "observations"}
        halves = [{**header, "observations": observations[0::2]}, {**header, "observations": observations[1::2]}]
        if all("seq" in o or sum(1 for p in observations if stream(p) == stream(o) and p.get("ts") == o.get("ts")) == 1 for o in observations):
            demand(name, "split in two files", run(program, *halves) == base)
            demand(name, "split, files swapped", run(program, *reversed(halves)) == base)
        demand(name, "delivered twice, same ids", run(program, document, document) == base)
        again = copy.deepcopy(observations)
        for o in again:
            if "id" in o:
                o["id"] += "~2"
        twice = run(program, {**document, "observations": observations + again})
        demand(name, "delivered twice, new ids", without_evidence(json.loads(twice)) == without_evidence(json.loads(base)))
    if passed + failed == 0:
        print("metamorphic_test: no case ran", file=sys.stderr)
        return 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
