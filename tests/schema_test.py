#!/usr/bin/env python3
"""Validate evidence and verdicts against the JSON Schemas in docs/.

usage: schema_test.py --bin DIR [--fleet FILE]

Every evidence document of tests/golden/verdict (and the header and lines of tests/cases) must fit docs/evidence.schema.json, every verdict
that attrib-vm prints for them (plain and with --explain) docs/verdict.schema.json; and documents that must not fit do not.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent


def validator(name):
    schema = json.loads((ROOT / "docs" / name).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--fleet")
    args = parser.parse_args()
    programs = pathlib.Path(args.bin).resolve()
    fleet = args.fleet or programs.parent / "fleet.rbc"
    evidence, verdict = validator("evidence.schema.json"), validator("verdict.schema.json")
    passed = failed = 0

    def demand(name, good, why=""):
        nonlocal passed, failed
        passed, failed = passed + bool(good), failed + (not good)
        if not good:
            print(f"FAIL {name}: {why}")

    def fits(name, schema, document):
        errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message}"[:200] for e in schema.iter_errors(document)]
        demand(name, not errors, "; ".join(errors[:3]))

    documents = [p for p in sorted((ROOT / "tests/golden/verdict").rglob("*.json")) if p.name != "expected.json"]
    documents += sorted((ROOT / "tests/cases").glob("*/observations.ndjson"))
    for path in documents:
        name = str(path.relative_to(ROOT))
        if path.suffix == ".json":
            fits(name, evidence, json.loads(path.read_text()))
        else:
            lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
            fits(name, evidence, {"schema": "attrib.evidence/1", "workload": {}, "observations": lines})
        if (path.parent / "rules").is_dir():
            continue
        for extra in ([], ["--explain"]):
            done = subprocess.run([programs / "attrib-vm", "run", "--program", fleet, "--input", path, "--format", "json", *extra],
                                  capture_output=True, timeout=120)
            demand(name, done.returncode in (0, 4), done.stderr.decode(errors="replace")[:300])
            if done.stdout:
                fits(f"verdict of {name} {' '.join(extra)}", verdict, json.loads(done.stdout))
    if documents:
        good = json.loads(subprocess.run([programs / "attrib-vm", "run", "--program", fleet, "--input", documents[0], "--format", "json"],
                                         capture_output=True, timeout=120).stdout)
        for key, bad in (("status", "solved"), ("domain", "cosmic_rays"), ("affected_nodes", "node-1"), ("symptoms", [{}])):
            demand(f"a verdict with {key} = {bad!r}", list(verdict.iter_errors({**good, key: bad})), "fits the schema")
        demand("an observation without a source", list(evidence.iter_errors({"observations": [{"source": 7, "message": "x"}]})), "fits")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
