#!/usr/bin/env python3
"""Real output of failed jobs: evidence is built from it, and the verdict must be what is known of the job.

usage: samples_test.py --bin DIR [--fleet FILE] [--update] [--verbose] [FILTER...]

For each row of slurm/truth.csv and launchers/truth.csv: tools/job_evidence.py builds the evidence from the job's output, the accounting
rows and the daemons' logs; it must equal tests/golden/verdict/samples/CASE-N.json (--update writes those); and the verdict of
each attempt must have the known outcome, one of the accepted domains, exactly the known nodes, and name the place that failed.
"""
import argparse
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GOLDEN = ROOT / "tests/golden/verdict/samples"
BUILDER = ROOT / "tools/job_evidence.py"


def builder(*arguments):
    return subprocess.run([sys.executable, BUILDER, *map(str, arguments)], capture_output=True, text=True, timeout=60)


def slurm_command(row):
    cluster = HERE / "slurm" / row["cluster"]
    logs = [f"{p.stem.removeprefix('slurmd-')}={p}" for p in sorted(cluster.glob("slurmd-*.log"))]
    output = ["--output", HERE / "slurm" / (row["case"] + ".out")] if row["output"] == "yes" else []
    return ["--job", row["job"], "--cluster", "vtest", "--sacct", cluster / "sacct.psv", "--slurmctld", cluster / "slurmctld.log",
            *(word for log in logs for word in ("--slurmd", log)), *output]


def launcher_command(row):
    return ["--job", pathlib.Path(row["case"]).name, "--output", HERE / "launchers" / (row["case"] + ".txt"), "--node", "node001", "--ranks", "4"]


def truths():
    for folder, command in (("slurm", slurm_command), ("launchers", launcher_command)):
        with open(HERE / folder / "truth.csv", newline="") as file:
            for row in csv.DictReader(file):
                yield folder, row, command(row)


def steps(text):
    """`node_failed then completed`: one set of accepted words an attempt."""
    return [set(part.strip().split("|")) for part in text.split(" then ")]


def tasks_of(text):
    numbers = set()
    for low, high in re.findall(r"(\d+)(?:-(\d+))?", text):
        numbers.update(range(int(low), int(high or low) + 1))
    return numbers


def place_problem(place, verdict):
    """Why the verdict does not name the place, or nothing. A place is `node003 task 2`, `rank 2`, `batch` or `all tasks`."""
    where, words = verdict["where"], place.split()
    if not place:
        return ""
    if words[0] == "rank":
        ranks = [w["rank"] for w in where]
        return "" if ranks[:1] == [int(words[1])] else f"where names ranks {ranks}"
    if place == "batch":
        return "" if any("batch" in w["why"].lower() for w in where) else "where does not name the batch script"
    if place == "all tasks":
        told = [s for s in verdict["symptoms"] if (s.get("fields") or {}).get("tasks")]
        missing = {w["node"] for w in where} - {s["node"] for s in told}
        return "" if where and not missing else f"where names {[w['node'] for w in where]}"
    node, task = words[0], int(words[2])
    if [w["node"] for w in where][:1] != [node]:
        return f"where names {[w['node'] for w in where]}"
    named = {t for s in verdict["symptoms"] if s["node"] == node for t in tasks_of((s.get("fields") or {}).get("tasks") or "")}
    return "" if task in named else f"no symptom of {node} names task {task}, but {sorted(named)}"


def problems(row, number, verdict):
    """What of a verdict is not as known."""
    outcomes, domains = steps(row["outcome"]), steps(row["domains"])
    outcome = outcomes[min(number, len(outcomes)) - 1]
    completed = verdict["outcome"] == "completed"
    domain = {"none"} if completed else domains[min(number, len(domains)) - 1]
    if "unattributed" in domain:
        domain.add("ambiguous")   # neither word accuses anybody
    if verdict["outcome"] not in outcome:
        yield f"outcome {verdict['outcome']}, known {sorted(outcome)}"
    if verdict["domain"] not in domain:
        yield f"domain {verdict['domain']}, known {sorted(domain)}"
    accepted = [set()] if completed else [set(filter(None, [a])) for a in row["affected_nodes"].split("|")]
    if set(verdict["affected_nodes"]) not in accepted:
        yield f"affected nodes {verdict['affected_nodes']}, known {row['affected_nodes'] or 'none'}"
    if completed and verdict["status"] != "no_failure":
        yield f"status {verdict['status']} of a job that completed"
    if not completed and row["where_told"] != "no":
        problem = place_problem(row["where"], verdict)
        if problem:
            yield f"{problem}; known: {row['where']}"
    if row["where_told"] == "no" and row["where"].startswith("rank") and any(w["rank"] not in (None, int(row["where"].split()[1])) for w in verdict["where"]):
        yield f"where names rank(s) {[w['rank'] for w in verdict['where']]}, known: {row['where']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder with attrib-vm")
    parser.add_argument("--fleet", help="compiled standard library (default: BIN/../fleet.rbc)")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="print each verdict's summary")
    parser.add_argument("filters", nargs="*")
    args = parser.parse_args()
    if args.update and os.environ.get("CI"):
        print("samples_test: --update is refused when CI is set", file=sys.stderr)
        return 3
    programs = pathlib.Path(args.bin).resolve()
    fleet = pathlib.Path(args.fleet or programs.parent / "fleet.rbc").resolve()
    passed = failed = 0

    def demand(name, bad):
        nonlocal passed, failed
        passed, failed = passed + (not bad), failed + bool(bad)
        if bad:
            print(f"FAIL {name}: {bad}")

    for folder, row, command in truths():
        if args.filters and not any(f in f"{folder}/{row['case']}" for f in args.filters):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            done = builder(*command, "--out", scratch)
            demand(f"{row['case']} builds", done.stderr if done.returncode != 0 else "")
            built = sorted(pathlib.Path(scratch).glob("*.json"))
            wanted = len(steps(row["outcome"]))
            demand(f"{row['case']} attempts", f"{len(built)}, known {wanted}" if len(built) != wanted else "")
            for path in built:
                number = int(path.stem.rpartition("-")[2])
                name = f"{folder}/{row['case'].replace('/', '-')}-{number}"
                golden = GOLDEN / f"{name}.json"
                if args.update:
                    golden.parent.mkdir(parents=True, exist_ok=True)
                    golden.write_text(path.read_text())
                    golden.with_suffix(".text.expected").touch()
                demand(f"{name} evidence", "" if golden.exists() and golden.read_text() == path.read_text() else f"differs from {golden.relative_to(ROOT)}")
                ran = subprocess.run([programs / "attrib-vm", "run", "--program", fleet, "--input", path, "--format", "json"],
                                     capture_output=True, text=True, timeout=120)
                demand(f"{name} runs", "" if ran.returncode == 0 else f"exit {ran.returncode}: {ran.stderr[:300]}")
                if ran.returncode == 0:
                    verdict = json.loads(ran.stdout)
                    demand(name, "; ".join(problems(row, number, verdict)))
                    if args.verbose:
                        print(f"     {name}: {verdict['summary']}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
