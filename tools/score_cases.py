#!/usr/bin/env python3
"""Score a compiled rule program on real failure cases.

usage: score_cases.py --vm PATH/attrib-vm --program fleet.rbc [--cases DIR] [--json] [--verbose] [--shuffle N]
                      [--min-accuracy F] [--min-decided F] [--max-false-blame N]

A case is a folder with observations.ndjson (input) and truth.json (what is known). The VM sees the observations only, as NDJSON with
a header line that names the workload's nodes; folder names never reach it.

Each scored case lands in one class:
  right        domain accepted, for a known reason, and the nodes are right (none accused where none can be known)
  right_domain domain accepted, but a root node is neither accused nor in `where`, or no known root evidence is cited
  honest_miss  verdict ambiguous/unattributed though the case can be decided
  false_blame  a domain is named that is not acceptable, or a node is accused (affected_nodes, advice.exclude_nodes) that is no root node
  error        the VM failed, printed no verdict, or gave other bytes for shuffled input
Accuracy counts right and right_domain. `decided` is the same over the cases that must be decided. The baseline line says what "ambiguous" for
every case would score. False blame at confidence likely or certain is counted apart: it must always be 0.
Cases with evidence_quality "rebuilt" are run (they must not error) but are not scored: their wording is not a program's own.
"""
import argparse, collections, hashlib, json, pathlib, random, subprocess, sys

UNDECIDED = {"ambiguous", "unattributed"}

def load(case):
    truth = json.loads((case / "truth.json").read_text())
    obs = [json.loads(l) for l in (case / "observations.ndjson").read_text().splitlines() if l.strip()]
    nodes = sorted({o["node"] for o in obs if o.get("node")})
    order = collections.Counter()
    for o in obs:                                   # marks of the corpus, not part of the evidence; order inside a stream is
        o.pop("reconstructed", None); o.pop("synthetic", None)
        stream = (o.get("source"), o.get("node"), o.get("rank")); order[stream] += 1; o["seq"] = order[stream]
    digest = hashlib.sha256(json.dumps(obs, sort_keys=True).encode()).hexdigest()[:12]
    header = {"schema": "attrib.evidence/1", "workload": {"id": digest, "attempt": 1, "nodes": nodes}}
    return truth, [header] + obs

def run(vm, program, lines, timeout):
    try:
        p = subprocess.run([vm, "run", "--program", program, "--input", "-", "--format", "json"],
                           input="\n".join(json.dumps(l) for l in lines) + "\n", capture_output=True, text=True, timeout=timeout)
        if p.returncode not in (0, 1, 4):
            return None, f"exit {p.returncode}: {p.stderr.strip()[:200]}", ""
        return json.loads(p.stdout), "", p.stdout
    except (subprocess.TimeoutExpired, json.JSONDecodeError) as e:
        return None, repr(e)[:200], ""

def accepted(truth):
    accept = set(truth.get("acceptable_domains") or [truth["domain"]])
    return accept | UNDECIDED if accept & UNDECIDED else accept       # the two words are one band apart; neither accuses anybody

def judge(truth, v):
    domain, nodes = v.get("domain"), set(v.get("affected_nodes") or [])
    accept, roots = accepted(truth), set(truth.get("root_nodes") or [])
    accused = nodes | set((v.get("advice") or {}).get("exclude_nodes") or [])
    wrong = accused - roots - set(truth.get("tolerated_nodes") or [])
    if wrong and not (truth.get("scope") == "single-node" and domain in accept):
        return "false_blame", f"accused {sorted(wrong)} (root nodes {sorted(roots) or 'unknowable'}), domain {domain}"
    if domain not in accept:
        return ("honest_miss" if domain in UNDECIDED else "false_blame"), f"said {domain}, known {sorted(accept)}"
    if domain in UNDECIDED:
        return "right", ""
    named = nodes | {w.get("node") for w in v.get("where") or []}
    if not roots <= named:
        return "right_domain", f"did not name {sorted(roots - named)}"
    cited = {e for r in v.get("root_causes") or [] for e in r.get("evidence") or [] if isinstance(e, str)}
    known = set(truth.get("root_evidence") or [])
    if domain == truth["domain"] and known and not cited & known:
        return "right_domain", f"for another reason: cites {sorted(cited)[:5]}, known {sorted(known)[:5]}"
    return "right", ""

def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--vm", required=True); ap.add_argument("--program", required=True)
    ap.add_argument("--cases", default=str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "cases"))
    ap.add_argument("--json", action="store_true"); ap.add_argument("--verbose", action="store_true")
    ap.add_argument("--timeout", type=float, default=20)
    ap.add_argument("--shuffle", type=int, default=0, metavar="N", help="also run N permutations of each case and demand equal bytes")
    ap.add_argument("--min-accuracy", type=float); ap.add_argument("--min-decided", type=float); ap.add_argument("--max-false-blame", type=int)
    a = ap.parse_args()
    tally, decided, by_domain, rows, bold, baseline = collections.Counter(), collections.Counter(), collections.defaultdict(collections.Counter), [], 0, 0
    for case in sorted(p for p in pathlib.Path(a.cases).iterdir() if (p / "truth.json").exists()):
        truth, lines = load(case)
        v, err, text = run(a.vm, a.program, lines, a.timeout)
        verdict, why = ("error", err) if v is None else judge(truth, v)
        for n in range(a.shuffle if v is not None else 0):
            body = lines[1:]; random.Random(n).shuffle(body)
            if run(a.vm, a.program, lines[:1] + body, a.timeout)[2] != text:
                verdict, why = "error", f"permutation {n} gives other bytes"; break
        scored = truth.get("evidence_quality") != "rebuilt"
        if scored or verdict == "error":
            tally[verdict] += 1; by_domain[truth["domain"]][verdict] += 1
            must = not accepted(truth) & UNDECIDED
            decided[verdict in ("right", "right_domain")] += must; baseline += not must
            bold += verdict == "false_blame" and v.get("confidence") in ("likely", "certain")
        rows.append({"case": case.name, "scored": scored, "class": verdict, "why": why,
                     "domain": v and v.get("domain"), "nodes": v and v.get("affected_nodes"), "summary": v and v.get("summary")})
    n = sum(tally.values())
    if not n:
        print("no case found", file=sys.stderr); return 3
    acc, dec = (tally["right"] + tally["right_domain"]) / n, decided[True] / max(1, sum(decided.values()))
    out = {"scored": n, "accuracy": round(acc, 4), "exact": round(tally["right"] / n, 4), "decided": round(dec, 4), "false_blame": tally["false_blame"],
           "false_blame_likely": bold, "honest_miss": tally["honest_miss"], "error": tally["error"],
           "always_ambiguous_would_score": round(baseline / n, 4), "by_domain": {d: dict(c) for d, c in sorted(by_domain.items())}}
    if a.json:
        print(json.dumps({**out, "cases": rows}, indent=1))
    else:
        for r in rows:
            if a.verbose or r["class"] != "right":
                print(f"{'' if r['scored'] else '(unscored) '}{r['class']:12} {r['case']}: {r['why']}")
        print(json.dumps(out))
    bad = tally["error"] or bold or (a.min_accuracy is not None and acc < a.min_accuracy) or (a.min_decided is not None and dec < a.min_decided) \
        or (a.max_false_blame is not None and tally["false_blame"] > a.max_false_blame)
    return 1 if bad else 0

if __name__ == "__main__":
    sys.exit(main())
