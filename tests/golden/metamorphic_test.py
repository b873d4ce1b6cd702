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
import random
import sys

import documents
from documents import HERE, stream


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


def variants(document):
    """(what, documents to read, is only the evidence allowed to differ)"""
    observations = document["observations"]
    for seed in range(3):
        yield f"shuffle {seed}", [{**document, "observations": shuffled(observations, seed)}], False
    header = {k: v for k, v in document.items() if k != "observations"}
    halves = [{**header, "observations": observations[0::2]}, {**header, "observations": observations[1::2]}]
    if all("seq" in o or sum(1 for p in observations if stream(p) == stream(o) and p.get("ts") == o.get("ts")) == 1 for o in observations):
        yield "split in two files", halves, False
        yield "split, files swapped", halves[::-1], False
    yield "delivered twice, same ids", [document, document], False
    # Lines with a place in their stream are copies only if they are stamped sharply (docs/decisions/0004).
    if any("seq" in o and "." not in str(o.get("ts")) for o in observations):
        return
    again = copy.deepcopy(observations)
    for o in again:
        if "id" in o:
            o["id"] += "~2"
    yield "delivered twice, new ids", [{**document, "observations": observations + again}], True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--fleet")
    parser.add_argument("filters", nargs="*")
    args = parser.parse_args()
    runner = documents.Runner(args.bin, args.fleet)
    passed = failed = 0

    def check(job):
        name, path, document = job
        program = runner.program_of(path)
        base = runner.run([document], program)
        for what, inputs, evidence_differs in variants(document):
            got = runner.run(inputs, program)
            good = without_evidence(json.loads(got)) == without_evidence(json.loads(base)) if evidence_differs else got == base
            yield f"{name}: {what}", good

    jobs = [(str(p.relative_to(HERE.parent)), p, d) for p, d in documents.verdict_documents()]
    jobs += [(str(p.relative_to(HERE.parent)), p, d) for p, d, _ in documents.case_documents()]
    wanted = [job for job in jobs if not args.filters or any(f in job[0] for f in args.filters)]
    for results in runner.pool.map(lambda job: list(check(job)), wanted):
        for name, good in results:
            passed += good
            failed += not good
            if not good:
                print(f"FAIL {name}")
    if passed + failed == 0:
        print("metamorphic_test: no case ran", file=sys.stderr)
        return 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
