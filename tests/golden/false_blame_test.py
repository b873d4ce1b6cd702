#!/usr/bin/env python3
"""How often does evidence that says less, or says it at slightly other times, turn a right verdict into a false blame?

usage: false_blame_test.py --bin DIR [--fleet FILE] [--runs N | --full] [--verbose] [FILTER...]

Over the real cases of tests/cases and the verdict goldens; the first also over the `test` blocks of stdlib-rules/:
  clock   the clocks of nodes moved, each inside its declared error                     false blame: never
  source  a source removed, or cut to its first or last lines, its status saying so     false blame: never
  blind   every source of one kind removed, their status saying so                      only as dropped_lines.csv lists
  drop    one observation left out without a trace                                      at most 2 % of the runs; at confidence
          likely or certain only as tests/golden/dropped_lines.csv lists, each with its reason

A real case is judged by its truth (tools/score_cases.py), a sample by what is known of its job (truth.csv), anything else by the
verdict of its whole evidence: blame is false when it names a domain or a node that the whole evidence does not name. Only documents that are right to begin with count.
A digest of their names picks the runs, and the `test` blocks that take part (--full: all). --full also prints, for information, what dropped lines and
sources do to the `test` blocks: these are mostly pairs of a cause and an effect, so that without the one the other is blamed.
"""
import argparse
import collections
import csv
import datetime
import hashlib
import sys

import documents
from documents import HERE, score_cases, stream

ALLOWED = HERE / "dropped_lines.csv"
MOST_DROPS = 0.02
BLOCKS = 250  # of the `test` blocks, unless --full
SECOND = 1_000_000_000
DEFAULT_ERROR = SECOND // 4
OWN_CLOCKS = ("switch", "bmc", "k8s", "kueue")  # They never share the clock of a node.
UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND, "d": 86400 * SECOND}
Run = collections.namedtuple("Run", "case kind what document dropped", defaults=[None])
Case = collections.namedtuple("Case", "name document program truth offsets block")


# ---- times

def to_nanos(ts):
    """(nanoseconds, nanoseconds of its last digit), or None for a form this test does not move."""
    if isinstance(ts, int) and ts > 10**17:
        return ts, 1
    if not isinstance(ts, str) or not ts.endswith("Z"):
        return None
    whole, _, fraction = ts[:-1].partition(".")
    day = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc)
    return int(day.timestamp()) * SECOND + int(fraction.ljust(9, "0") or 0), 10 ** (9 - len(fraction))


def moved(ts, by):
    """The stamp as a clock that runs `by` ahead prints it: cut to the same number of digits."""
    nanos, digit = to_nanos(ts)
    nanos = (nanos + by) // digit * digit
    if isinstance(ts, int):
        return nanos
    digits = len(ts[:-1].partition(".")[2])
    whole = datetime.datetime.fromtimestamp(nanos // SECOND, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    return whole + (f".{nanos % SECOND:09}"[: digits + 1] if digits else "") + "Z"


def length(text):
    unit = text.lstrip("0123456789.")
    return int(float(text[: len(text) - len(unit)]) * UNITS[unit])


# ---- what is done to a document

def clock_of(o):
    if not o.get("node"):
        return stream(o)
    return (o["source"], o["node"]) if o.get("source") in OWN_CLOCKS else ("host", o["node"])


def error_of(document, o):
    found = [s for s in document.get("sources") or [] if s["kind"] == o.get("source", "app")]
    mine = [s for s in found if s.get("node") == o.get("node") and s.get("rank") in (None, o.get("rank")) and s.get("node")]
    general = [s for s in found if s.get("node") is None and s.get("rank") is None]
    return min((length(s["clock_error"]) for s in mine or general if s.get("clock_error")), default=DEFAULT_ERROR)


def clock_runs(case):
    """Each clock to either end of its bound; then all at once, neighbours in opposite directions."""
    clocks = collections.defaultdict(list)
    for i, o in enumerate(case.document["observations"]):
        clocks[clock_of(o)].append(i)
    bounds = {}
    for clock, members in clocks.items():
        observations = [case.document["observations"][i] for i in members]
        if all("ts" in o and to_nanos(o["ts"]) for o in observations):
            bounds[clock] = min(error_of(case.document, o) for o in observations)

    def with_moves(moves):
        observations = [dict(o) for o in case.document["observations"]]
        for clock, sign in moves.items():
            # A clock that a test declares to be ahead by some offset can be anywhere around the true time.
            by = sign * bounds[clock] - (case.offsets.get(clock[1], 0) if clock[0] == "host" else 0)
            for i in clocks[clock]:
                observations[i]["ts"] = moved(observations[i]["ts"], by)
        return {**case.document, "observations": observations}

    order = sorted(bounds, key=str)
    moves = [{clock: sign} for clock in order for sign in (1, -1)]
    if len(order) > 1:
        moves += [{clock: first * (-1) ** i for i, clock in enumerate(order)} for first in (1, -1)]
    for move in moves:
        yield Run(case, "clock", ", ".join(f"{c} {'+' if s > 0 else '-'}{bounds[c] / SECOND}s" for c, s in move.items()), with_moves(move))


def without_source(document, key, kept, status):
    """The document in which of the source `key` (kind, node, rank) only `kept` is left, and its `sources` entry says so."""
    kind, node, rank = key
    entry = {"kind": kind, "node": node, "rank": rank, "status": status}
    entry["coverage"] = honest_coverage(document, key, kept)
    entry.update({k: v for s in document.get("sources") or [] if source_key(s) == key for k, v in s.items() if k not in entry})
    others = []
    for s in document.get("sources") or []:
        if source_key(s) == key:
            continue
        # A wider entry (of the whole kind, or of all ranks of the node) must not go on to promise what is gone.
        wider = s["kind"] == kind and s.get("node") in (None, node) and s.get("rank") in (None, rank)
        others.append({**s, "coverage": []} if wider else s)
    ids = {id(o) for o in kept}
    left = [o for o in document["observations"] if observation_key(o) != key or id(o) in ids]
    return {**document, "sources": others + [{k: v for k, v in entry.items() if v is not None}], "observations": left}


def honest_coverage(document, key, kept):
    """Where the rest of a source is complete: between its stamps, but for those that what is gone may share."""
    ids = {id(o) for o in kept}
    gone = [o for o in document["observations"] if observation_key(o) == key and id(o) not in ids]
    if not all(to_nanos(o.get("ts")) for o in kept + gone):
        return []
    lost = {to_nanos(o["ts"])[0] for o in gone}
    stamps = [o["ts"] for o in kept if to_nanos(o["ts"])[0] not in lost]
    return [[stamps[0], stamps[-1]]] if stamps else []


def source_key(s):
    return s["kind"], s.get("node"), s.get("rank")


def observation_key(o):
    return o.get("source") or "app", o.get("node"), o.get("rank")


def source_runs(case):
    groups = collections.defaultdict(list)
    for o in case.document["observations"]:
        groups[observation_key(o)].append(o)
    for key, members in sorted(groups.items(), key=str):
        name = " ".join(str(part) for part in key if part is not None)
        yield Run(case, "source", f"{name} removed", without_source(case.document, key, [], "failed"))
        ordered = sorted(members, key=lambda o: (to_nanos(o["ts"]) or (0, 0))[0]) if all("ts" in o for o in members) else members
        for cut in range(1, len(ordered)):
            yield Run(case, "source", f"{name} ends after {cut}", without_source(case.document, key, ordered[:cut], "truncated"))
            yield Run(case, "source", f"{name} begins after {cut}", without_source(case.document, key, ordered[cut:], "truncated"))
    for kind in sorted({key[0] for key in groups}):
        keys = [key for key in groups if key[0] == kind]
        if len(keys) > 1:
            document = case.document
            for key in keys:
                document = without_source(document, key, [], "failed")
            yield Run(case, "blind", f"every {kind} removed", document, f"every {kind}")


def drop_runs(case):
    observations = case.document["observations"]
    for i, o in enumerate(observations):
        name = o.get("id") or f"number {i + 1}"
        yield Run(case, "drop", name, {**case.document, "observations": observations[:i] + observations[i + 1:]}, name)


# ---- what is right

def truth_of(verdict):
    """What a whole document's own verdict allows: its domains (the tied ones, if undecided between some) and their nodes."""
    roots = verdict["root_causes"] or (verdict["alternatives"] if verdict["status"] == "ambiguous" else [])
    domains = {r["domain"] for r in roots}
    if verdict["status"] != "attributed":
        domains |= score_cases.UNDECIDED
    nodes = {r.get("node") for r in roots} | set(verdict["affected_nodes"])
    return {"domain": verdict["domain"], "acceptable_domains": sorted(domains), "root_nodes": sorted(nodes - {None})}


def sample_truth(path):
    """What tests/samples/*/truth.csv knows of the attempt whose golden this is; None for other goldens."""
    if path.parent.parent.name != "samples":
        return None
    name, _, attempt = path.stem.rpartition("-")
    with open(HERE.parent / "samples" / path.parent.name / "truth.csv", newline="") as f:
        row = next(r for r in csv.DictReader(f) if r["case"].replace("/", "-") == name)

    def of_attempt(column):
        attempts = row[column].split(" then ")
        return [v for v in attempts[min(int(attempt), len(attempts)) - 1].split("|") if v]

    domains = of_attempt("domains")
    return {"domain": domains[0], "acceptable_domains": domains, "root_nodes": of_attempt("affected_nodes")}


def is_false_blame(truth, verdict):
    """None, or what is wrong. A verdict that finds no failure blames nobody."""
    if verdict["status"] == "no_failure":
        return None
    judged, why = score_cases.judge({**truth, "root_nodes": truth.get("root_nodes") or []}, verdict)
    return why if judged == "false_blame" else None


def digest(name):
    return hashlib.sha256(name.encode()).digest()


def load(runner, rules, filters, most=None):
    def wanted(name):
        return not filters or any(f in name for f in filters)

    cases = [Case("cases/" + f.name, d, runner.fleet, t, {}, False) for f, d, t in documents.case_documents() if wanted("cases/" + f.name)]
    cases += [Case(str(p.relative_to(HERE)), d, runner.program_of(p), sample_truth(p), {}, False)
              for p, d in documents.verdict_documents() if wanted(str(p))]
    blocks = [Case("rules/" + n, d, runner.fleet, None, offsets, True)
              for n, d, offsets in documents.rule_test_documents(runner.bin / "rulec", rules) if wanted(n)]
    cases += blocks if most is None else sorted(blocks, key=lambda c: digest(c.name))[:most]
    verdicts = runner.verdicts((case.document, case.program) for case in cases)
    for case, verdict in zip(cases, verdicts):
        truth = case.truth or truth_of(verdict)
        if score_cases.judge(truth, verdict)[0] in ("right", "right_domain") or not case.truth:
            yield case._replace(truth=truth)


def sample(runs, most):
    return sorted(runs, key=lambda r: digest(f"{r.case.name} {r.kind} {r.what}"))[:most]


def read_allowed():
    with open(ALLOWED, newline="") as f:
        rows = list(csv.DictReader(f))
    bad = [r for r in rows if not (r["reason"] or "").strip()]
    if bad:
        raise SystemExit(f"{ALLOWED.name}: without a reason: {bad[0]['case']}")
    return {(r["case"], r["dropped"]) for r in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--fleet")
    parser.add_argument("--runs", type=int, default=1200)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("filters", nargs="*")
    args = parser.parse_args()
    runner = documents.Runner(args.bin, args.fleet)
    cases = list(load(runner, HERE.parent.parent / "stdlib-rules", args.filters, None if args.full else BLOCKS))
    if not cases:
        print("false_blame_test: no case ran", file=sys.stderr)
        return 1
    every = [run for case in cases for make in (clock_runs, source_runs, drop_runs) for run in make(case)
             if args.full or not case.block or make is clock_runs]
    runs = every if args.full else sample(every, args.runs)

    allowed, listed, failures = read_allowed(), set(), []
    done, false = collections.Counter(), collections.Counter()
    for run, verdict in zip(runs, runner.verdicts((r.document, r.case.program) for r in runs)):
        judged = run.kind == "clock" or not run.case.block
        kind = run.kind if judged else "of rules"
        done[kind] += 1
        why = is_false_blame(run.case.truth, verdict)
        if not why:
            continue
        false[kind] += 1
        text = f"{run.case.name}: {run.kind} {run.what}: {why}, {verdict['confidence']}: {verdict['summary']}"
        needs_reason = run.kind == "blind" or run.kind == "drop" and verdict["confidence"] in ("likely", "certain")
        row = (run.case.name, run.dropped)
        listed |= {row} if needs_reason else set()
        if judged and (row not in allowed if needs_reason else run.kind != "drop"):
            failures.append(text)
        elif args.verbose:
            print("    ", text)
    if args.full and not args.filters:
        failures += [f"{ALLOWED.name}: no false blame any more: {', '.join(row)}" for row in sorted(allowed - listed)]
    if false["drop"] > MOST_DROPS * done["drop"]:
        failures.append("too many drops become a false blame")
    for text in failures:
        print("FAIL", text)
    print(f"{len(cases)} documents; " + "; ".join(f"{kind}: {done[kind]} runs, {false[kind]} false blames" for kind in done))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
