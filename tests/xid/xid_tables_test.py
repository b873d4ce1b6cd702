#!/usr/bin/env python3
"""Check the fault tables of xid-tables/ and what the library makes of real lines. usage: xid_tables_test.py --bin DIR --fleet FILE --root DIR

  nvlink5_examples.csv  lines of XID 144 to 150, most of them seen: each must be decoded by the row of the vendor's catalogue that it names
  lines.csv             every line shape and wrapping: each must give its symptom, GPU and fields, or none at all
  xid-tables/*.csv      row counts, a source in every row, buckets and rules that exist
"""
import argparse
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROWS = {"xid.csv": 177, "sxid.csv": 421, "nvlink5_linkdown_reasons.csv": 49, "xid74_register_bits.csv": 42, "edges.csv": 58}
failures = []


def rows(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def need(condition, what):
    if not condition:
        failures.append(what)


class Library:
    def __init__(self, args, scratch):
        self.vm, self.fleet, self.root, self.scratch = pathlib.Path(args.bin) / "attrib-vm", args.fleet, pathlib.Path(args.root), scratch
        self.count = 0

    def run(self, kind, text):
        """The symptoms and the proof's table rows for one raw log of node n1."""
        self.count += 1
        log = self.scratch / f"{self.count}.log"
        log.write_text(text + "\n")
        command = [str(self.vm), "run", "--program", self.fleet, "--log", f"{kind}@n1={log}", "--year", "2025", "--format", "json", "--explain"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        symptoms = json.loads(done.stdout)["symptoms"]
        return symptoms, [tuple(s["proof"]["table_row"].split(":")) for s in symptoms if s["proof"]["table_row"]]

    def row(self, place):
        name, line = place
        table = self.root / name
        with open(table, newline="") as f:
            reader = csv.DictReader(f)
            for r in reader:
                if reader.line_num == int(line):
                    return r
        return {}


def check_examples(library):
    for n, e in enumerate(rows(HERE / "nvlink5_examples.csv"), 2):
        where = f"nvlink5_examples.csv:{n}"
        symptoms, places = library.run("kernel", e["line"])
        need(len(symptoms) == 1, f"{where}: {len(symptoms)} symptoms")
        found = [library.row(p) for p in places if p[0] == "xid-tables/nvlink5.csv"]
        need(len(found) == 1, f"{where}: rows {places}")
        if not found or not symptoms:
            continue
        row, fields = found[0], symptoms[0]["fields"]
        need(re.search(rf"catalog row {e['catalog_row']}\b", row["source"]), f"{where}: row {row['source']}, not {e['catalog_row']}")
        for column in ("xid", "layout", "sub_code", "immediate", "investigate", "side", "reason"):
            need(row[column] == e[column], f"{where}: {column} {row[column]!r}, not {e[column]!r}")
        mask, value = (int(x, 16) for x in row["intr"].split("/"))
        words = re.search(r"\((0x[0-9a-f]+) (0x[0-9a-f]+)", e["line"])
        need(int(words[1], 16) & mask == value, f"{where}: the row's pattern does not hold")
        need(not row["status"] or int(row["status"], 16) == int(words[2], 16) == int(e["status"], 16), f"{where}: status")
        need(fields.get("link", int(e["link"])) == int(e["link"]), f"{where}: link {fields}")
        need((row["severity"] == "fatal") == (e["fatal"] == "1"), f"{where}: severity {row['severity']}")


def check_lines(library):
    for n, e in enumerate(rows(HERE / "lines.csv"), 2):
        where = f"lines.csv:{n} ({e['form']})"
        text = e["text"] if e["text"].startswith("{") else e["text"].replace("\\n", "\n")
        symptoms, _ = library.run(e["kind"], text)
        if not e["symptom"]:
            need(not symptoms, f"{where}: {[s['symptom'] for s in symptoms]} from a line that says nothing")
            continue
        mine = [s for s in symptoms if s["symptom"] == e["symptom"]]
        need(len(mine) == 1, f"{where}: {[s['symptom'] for s in symptoms]}, not one {e['symptom']}")
        for s in mine:
            need((s["gpu"] or "") == e["gpu"], f"{where}: GPU {s['gpu']}, not {e['gpu']!r}")
            need(s["node"] == "n1", f"{where}: node {s['node']}")
            for pair in filter(None, e["fields"].split(";")):
                name, value = pair.split("=")
                need(str(s["fields"].get(name)) == value, f"{where}: {name} {s['fields'].get(name)}, not {value}")


# Each row once: the lines of one table in one body of evidence, each on a node of its own and with fields of its own, so that no two symptoms fold.
def check_every_row(library):
    def hit(name, lines):
        """For each node the lines of table NAME that its symptoms were looked up in."""
        evidence = library.scratch / f"{name}.ndjson"
        evidence.write_text("".join(json.dumps({"source": "kernel", "node": node, "message": text}) + "\n" for node, text in lines.items()))
        done = subprocess.run([str(library.vm), "run", "--program", library.fleet, "--input", str(evidence), "--format", "json", "--explain"],
                              capture_output=True, text=True, timeout=120)
        found = {}
        for symptom in json.loads(done.stdout)["symptoms"]:
            place = symptom["proof"]["table_row"] or ""
            if place.startswith(f"xid-tables/{name}:"):
                found.setdefault(symptom["node"], set()).add(int(place.split(":")[1]))
        return found

    def check(name, lines):
        found = hit(name, lines)
        for node in lines:
            need(found.get(node) == {int(node)}, f"{name}:{node}: its line was read by row {sorted(found.get(node, []))}")

    def zeros(n):
        return " ".join(["0x00000000"] * n)

    tables = {p.name: list(enumerate(rows(p), 2)) for p in (library.root / "xid-tables").glob("*.csv")}
    other = {74, 137, 144, 145, 146, 147, 148, 149, 150, 154}  # Read by tables of their own, or by no table.
    check("xid.csv", {str(n): f"NVRM: Xid (PCI:0000:17:00): {r['xid']}, pid=1, name=python, text" for n, r in tables["xid.csv"] if int(r["xid"]) not in other})
    check("xid154_recovery.csv", {str(n): f"NVRM: Xid (PCI:0000:17:00): 154, GPU recovery action changed from 0x9 (Old) to 0x{int(r['code']):x} (New)" for n, r in tables["xid154_recovery.csv"]})
    lines = {}
    for n, r in tables["nvlink5.csv"]:
        level = "Fatal" if r["severity"] == "fatal" else "Nonfatal"
        lines[str(n)] = (f"NVRM: Xid (PCI:0000:17:00): {r['xid']}, {r['unit'] or r['sub_code']} {level} XC0 i0 Link {n:02} "
                         f"({r['intr'].split('/')[1]} {r['status'] or '0x00000000'} {zeros(4)})")
    check("nvlink5.csv", lines)
    lines = {}
    for n, r in tables["xid74_register_bits.csv"]:
        words = ["0x0"] * 7
        words[int(r["register"]) - 1] = hex(1 << int(r["bit"]))
        lines[str(n)] = f"NVRM: Xid (PCI:0000:17:00): 74, NVLink: fatal error detected on link {n}({', '.join(words)})"
    check("xid74_register_bits.csv", lines)
    lines = {}
    for n, r in tables["sxid.csv"]:
        level = "Fatal" if r["fatality"] == "fatal" else "Non-fatal"
        lines[str(n)] = f"nvidia-nvswitch0: SXid (PCI:0000:84:00.0): {int(r['sxid']):05}, {level}, Link 01 text"
    check("sxid.csv", lines)

    # Reasons that the decode table has no row for are named all the same.
    named = {r["reason"] for _, r in tables["nvlink5.csv"]}
    for n, r in tables["nvlink5_linkdown_reasons.csv"]:
        if r["name"] in named:
            continue
        word = int(r["intr"].split("/")[1], 16) | 0x91
        symptoms, _ = library.run("kernel", f"NVRM: Xid (PCI:0000:17:00): 149, NETIR_LINK_DOWN Fatal XC0 i0 Link 08 (0x{word:08x} {zeros(5)})")
        need([s["fields"].get("reason") for s in symptoms] == [r["name"]], f"nvlink5_linkdown_reasons.csv:{n}: {[s['fields'] for s in symptoms]}")


def check_tables(root):
    tables = {p.name: rows(p) for p in sorted((root / "xid-tables").glob("*.csv"))}
    for name, count in ROWS.items():
        need(len(tables[name]) == count, f"{name}: {len(tables[name])} rows, not {count}")
    for name, table in tables.items():
        for n, r in enumerate(table, 2):
            need(r.get("source", "").strip(), f"{name}:{n}: no source")
            need(None not in r and None not in r.values(), f"{name}:{n}: as many cells as columns are wanted")
    need([int(r["xid"]) for r in tables["xid.csv"]] == list(range(1, 178)), "xid.csv: codes 1 to 177, in order")

    buckets = {r["bucket"]: r for r in tables["resolution_buckets.csv"]}
    resolved = {(r["immediate"], r["investigate"], r["raises_154"]) for r in tables["resolution.csv"]}
    for name, marked in (("xid.csv", None), ("nvlink5.csv", "yes"), ("nvlink5_linkdown_reasons.csv", "yes")):
        for n, r in enumerate(tables[name], 2):
            key = (r["immediate"], r["investigate"], marked or r["raises_154"])
            need(key in resolved, f"{name}:{n}: no row of resolution.csv for {key}")
    for n, r in enumerate(tables["resolution.csv"], 2):
        need(r["immediate"] in buckets and r["investigate"] in buckets, f"resolution.csv:{n}: a bucket that resolution_buckets.csv does not hold")
        if r["immediate"] in buckets:
            now = buckets[r["immediate"]]["now"]
            need(now[1:] in r["action"], f"resolution.csv:{n}: the action does not hold the text of its bucket, {now!r}")

    # Eight pairs of rows that only the newer layout tells apart are one row of the older, which names both.
    pairs = [r for r in tables["nvlink5.csv"] if len(re.findall(r"catalog row \d+", r["source"])) > 1]
    need(len(pairs) == 8 and all(r["layout"] == "V1" for r in pairs), f"nvlink5.csv: {len(pairs)} merged rows, not 8 of the older layout")
    named = {int(x) for r in tables["nvlink5.csv"] for x in re.findall(r"catalog row (\d+)", r["source"])}
    need(named == set(range(2, 97)), f"nvlink5.csv: catalogue rows {sorted(set(range(2, 97)) - named)} are missing")

    declared = set()
    for path in (root / "stdlib-rules").rglob("*.rules"):
        text = path.read_text()
        pack = re.search(r"^pack (\S+)", text, re.M)
        declared |= {f"{pack[1]}.{rule}" for rule in re.findall(r"^(?:demote|decode|infer) (\w+)", text, re.M)}
    for n, r in enumerate(tables["edges.csv"], 2):
        need(r["rules"] or r["remark"], f"edges.csv:{n}: neither a rule nor why there is none")
        for rule in r["rules"].split():
            need(rule in declared, f"edges.csv:{n}: no rule is called {rule}")


def main():
    parser = argparse.ArgumentParser()
    for option in ("--bin", "--fleet", "--root"):
        parser.add_argument(option, required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="attrib-xid-") as scratch:
        library = Library(args, pathlib.Path(scratch))
        check_examples(library)
        check_lines(library)
        check_every_row(library)
        check_tables(library.root)
    for line in failures:
        print("FAIL " + line)
    print(f"{library.count} lines, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
