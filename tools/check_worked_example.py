#!/usr/bin/env python3
"""Compare attrib-vm's verdicts on the worked example with expected.json. usage: check_worked_example.py VM PROGRAM DIR"""
import json, pathlib, subprocess, sys
vm, program, d = sys.argv[1:4]
d = pathlib.Path(d); exp = json.loads((d / "expected.json").read_text()); raw, bad = {}, []
def run(n):
    p = subprocess.run([vm, "run", "--program", program, "--input", str(d / f"{n}.json"), "--format", "json"], capture_output=True, timeout=30)
    raw[n] = p.stdout
    return json.loads(p.stdout)
for n in exp: 
    try: v = run(n)
    except Exception as e: bad.append(f"{n}: {e!r}"[:120]); continue
    e = exp[n]
    def need(c, m):
        if not c: bad.append(f"{n}: {m}")
    if "status" in e: need(v["status"] == e["status"], f"status {v['status']} want {e['status']}")
    if "outcome" in e: need(v["outcome"] == e["outcome"], f"outcome {v['outcome']}")
    if "status_in" in e: need(v["status"] in e["status_in"], f"status {v['status']} want {e['status_in']}")
    if "domain" in e: need(v["domain"] == e["domain"], f"domain {v['domain']} want {e['domain']}")
    if "affected_nodes" in e: need(v["affected_nodes"] == e["affected_nodes"], f"nodes {v['affected_nodes']}")
    if "suspect_or_where_nodes" in e: need(all(n in json.dumps([v["suspects"], v["where"], v["affected_nodes"]]) for n in e["suspect_or_where_nodes"]), f"suspects {v['suspects']} where {v['where']}")
    dem = {x for s in v["symptoms"] if s.get("role") == "demoted" for x in s["evidence"]}
    if "demoted" in e: need(set(e["demoted"]) <= dem, f"demoted {sorted(dem)}")
    if "not_demoted" in e: need(not set(e["not_demoted"]) & dem, f"demoted {sorted(dem)}")
    if "exclude_nodes" in e: need(sorted(v["advice"].get("exclude_nodes") or []) == e["exclude_nodes"], f"exclude {v['advice']}")
    if "ask_mentions" in e: need(all(w in json.dumps(v["ask"]).lower() for w in e["ask_mentions"]), f"ask {v['ask']}")
    if "root_count" in e: need(v["root_causes"] and v["root_causes"][0]["count"] == e["root_count"], f"count {[r.get('count') for r in v['root_causes']]}")
    if "root_evidence_includes" in e: need(set(e["root_evidence_includes"]) <= {x for r in v["root_causes"] for x in r["evidence"]}, "root evidence")
    if "alternative_nodes" in e: need({r.get("node") for r in v["alternatives"]} >= set(e["alternative_nodes"]), f"alternatives {[r.get('node') for r in v['alternatives']]}")
    if "suspect_nodes" in e: need(all(n in json.dumps(v["suspects"]) for n in e["suspect_nodes"]), f"suspects {v['suspects']}")
    roots = " ".join(r["symptom"].replace("_", " ").replace(".", " ") for r in v["root_causes"])
    if "root_symptom_family" in e: need(all(w in roots for w in e["root_symptom_family"].split()), f"roots {roots}")
    if "not_root" in e: need(not all(w in roots for w in e["not_root"].split()), f"roots {roots}")
for n, e in exp.items():
    if "same_bytes_as" in e and raw.get(n) != raw.get(e["same_bytes_as"]): bad.append(f"{n}: bytes differ from {e['same_bytes_as']}")
print("; ".join(bad) if bad else f"{len(exp)} of {len(exp)} right"); sys.exit(bool(bad))
