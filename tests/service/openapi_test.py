#!/usr/bin/env python3
"""Every route of attribd, with good requests and bad ones, against docs/openapi.json.

    openapi_test.py --bin build/release/bin --fleet build/release/fleet.rbc

Each answer must be documented: its status, its media type, its body by the schema, the headers it should have. At the end every
route and every documented status must have been seen, but for those that UNSEEN gives a reason for.
"""

import argparse
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from attribd import Attribd

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASE = "http://attribd/v2/"
OPEN_API = json.loads((ROOT / "docs/openapi.json").read_text())
SCHEMAS = {BASE + name: json.loads((ROOT / "docs" / name).read_text())
           for name in ("evidence.schema.json", "verdict.schema.json")}
PROBLEM = "application/problem+json"

# (status, route or None for all): why no answer of this kind is looked at.
UNSEEN = {
    ("429", None): "but for a full store it needs more requests at once than a test of answers should make: bench/service_load.py",
    ("408", None): "needs a client that is slow for seconds: http/lifetime_test.cpp",
    ("500", None): "needs a store that breaks while it runs: store/disk_test.cpp",
    ("503", "/readyz"): "a server that shuts down takes no new connection",
    ("409", "/latest/attributor/{id}/observation"): "what V1 posts says nothing of the workload",
}


class Checker:
    def __init__(self):
        self.seen, self.wrong = set(), []
        self.resolver = jsonschema.RefResolver(BASE + "openapi.json", OPEN_API,
                                               store={BASE + "openapi.json": OPEN_API, **SCHEMAS})

    def errors(self, schema, value):
        whole = SCHEMAS.get(BASE + schema.get("$ref", ""))  # `unevaluatedProperties` looks for its siblings in the first document.
        validator = (jsonschema.Draft202012Validator(whole) if whole else
                     jsonschema.Draft202012Validator(schema, resolver=self.resolver))
        return [f"{'/'.join(map(str, e.absolute_path))}: {e.message}"[:300] for e in validator.iter_errors(value)]

    def resolved(self, part):
        while "$ref" in part:
            part = self.resolver.resolve(part["$ref"])[1]
        return part

    def route(self, path):
        path = path.split("?")[0]
        for pattern in OPEN_API["paths"]:
            if re.fullmatch(re.sub(r"\\\{id\\\}", "[^/]+", re.escape(pattern)), path):
                return pattern
        return None

    def demand(self, name, good, why):
        if not good:
            self.wrong.append(f"{name}: {why}")

    def answer(self, method, path, status, headers, body):
        name = f"{method} {path} -> {status}"
        pattern = self.route(path)
        documented = OPEN_API["paths"][pattern][method.lower()]["responses"] if pattern else {}
        self.seen.add((pattern, method.lower(), str(status)))
        if str(status) not in documented:
            return self.demand(name, False, f"not documented: {body[:200]}")
        response = self.resolved(documented[str(status)])
        for header in response.get("headers", {}):
            self.demand(name, header.lower() in headers, f"header {header} is missing")
        media = headers.get("content-type", "").split(";")[0]
        known = response.get("content", {})
        if not known:
            return self.demand(name, body == b"", "a body where none is documented")
        if media not in known:
            return self.demand(name, False, f"Content-Type {media!r}, documented are {sorted(known)}")
        schema = known[media].get("schema", {})
        value = json.loads(body) if media.endswith("json") else body.decode()
        for error in self.errors(schema, value):
            self.demand(name, False, error)
        if media == PROBLEM:
            self.demand(name, value["status"] == status, "the problem tells another status")

    def request(self, method, path, body, headers):
        """A request that was understood must be as documented, too."""
        pattern = self.route(path)
        about = OPEN_API["paths"][pattern][method.lower()].get("requestBody")
        media = headers.get("Content-Type", "application/json").split(";")[0]
        if about is None or body is None:
            return
        content = about["content"].get(media)
        self.demand(f"{method} {path}", content is not None, f"request of {media} is not documented")
        if content is not None and media.endswith("json") and "ndjson" not in media:
            for error in self.errors(content["schema"], json.loads(body)):
                self.demand(f"{method} {path}: request", False, error)

    def unseen(self):
        out = []
        for pattern, methods in OPEN_API["paths"].items():
            for method, about in methods.items():
                if method == "parameters":
                    continue
                for status in about["responses"]:
                    if (pattern, method, status) in self.seen:
                        continue
                    if not {(status, None), (status, pattern)} & UNSEEN.keys():
                        out.append(f"{method.upper()} {pattern}: {status} was never seen")
        for status, pattern in UNSEEN:
            if pattern and any(s == status and p == pattern for p, _, s in self.seen):
                out.append(f"UNSEEN: {pattern} {status} was seen after all")
        return out


class Session:
    """Requests to one server, each answer checked."""

    def __init__(self, server, checker, token=None):
        self.server, self.checker, self.token = server, checker, token

    def ask(self, method, path, body=None, expect=200, headers=None, media="application/json", sound=True):
        headers = dict(headers or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        if body is not None:
            headers.setdefault("Content-Type", media)
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        status, got, text = self.server.ask(method, path, body, headers)
        self.checker.answer(method, path, status, got, text)
        if status < 300 and not headers.get("Content-Encoding") and sound:
            self.checker.request(method, path, body, headers)
        self.checker.demand(f"{method} {path}", status == expect, f"{status}, not {expect}: {text[:300]}")
        self.headers, self.body = got, text
        if got.get("content-type", "").split(";")[0].endswith("json") and text:
            return json.loads(text)
        return text.decode()

    def problem(self, method, path, body, expect, field=None, line=None, **more):
        said = self.ask(method, path, body, expect, **more)
        if field is not None:
            self.checker.demand(f"{method} {path}", said.get("field") == field, f"field {said.get('field')!r}, not {field!r}: {said}")
        if line is not None:
            self.checker.demand(f"{method} {path}", said.get("line") == line, f"line {said.get('line')!r}, not {line!r}: {said}")
        return said


XID = {"ts": "2026-05-18T12:31:05.120Z", "source": "kernel", "node": "node-b",
       "message": "NVRM: Xid (PCI:0000:04:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x004505c6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)"}
WORKLOAD = {"id": "48213", "start": "2026-05-18T12:00:00Z", "nodes": ["node-a", "node-b"], "ranks": 16, "ranks_per_node": 8}


def operation(s):
    s.ask("GET", "/healthz")
    s.ask("GET", "/v2/healthz")
    s.ask("GET", "/readyz")
    s.ask("GET", "/metrics")
    s.ask("GET", "/v2/rulesets")
    s.ask("POST", "/v2/admin/reload")
    for name in ("openapi.json", "evidence.schema.json", "verdict.schema.json"):
        s.ask("GET", "/v2/" + name)
        s.checker.demand(name, s.body == (ROOT / "docs" / name).read_bytes(), "served otherwise than it stands in docs/")


def heads(s):
    """HEAD is GET without the body, on all routes of GET."""
    made = s.ask("POST", "/v2/attributors", {}, 201)["attributor_id"]
    for pattern, methods in OPEN_API["paths"].items():
        path = pattern.replace("{id}", made)
        if "get" not in methods or pattern == "/metrics":  # Whose counts go on.
            continue
        status, headers, body = s.server.ask("GET", path)
        same, got, nothing = s.server.ask("HEAD", path)
        alike = all(headers.get(name) == got.get(name) for name in ("content-type", "content-length", "etag"))
        s.checker.demand(f"HEAD {path}", same == status == 200 and alike and nothing == b"" and body, (status, same, headers, got))
    s.checker.demand("HEAD /metrics", s.server.ask("HEAD", "/metrics")[0] == 200, "is no 200")
    s.checker.demand("HEAD of a POST", s.server.ask("HEAD", "/v2/attribute")[0] == 405, "is no 405")


def attributors(s):
    made = s.ask("POST", "/v2/attributors", {"workload": WORKLOAD, "topology": {"rack": "r1"}, "metadata": {"team": "x"},
                                             "sources": [{"kind": "kernel", "node": "node-b", "clock_error": "1.5s"}]}, 201)
    s.checker.demand("Location", s.headers.get("location") == "/v2/attributors/" + made["attributor_id"], s.headers)
    one = s.ask("GET", "/v2/attributors/" + made["attributor_id"])
    s.checker.demand("GET", one["workload"] == WORKLOAD and one["topology"] == {"rack": "r1"} and one["metadata"] == {"team": "x"}, one)
    s.checker.demand("GET", one["sources"][0]["clock_error"] == "1.500000000s", one)
    keyed = [s.ask("POST", "/v2/attributors", {"workload": {"id": "k"}}, 201, {"Idempotency-Key": "a key"})["attributor_id"] for _ in range(2)]
    s.checker.demand("Idempotency-Key", keyed[0] == keyed[1], keyed)
    s.ask("POST", "/v2/attributors", {}, 201)
    for nothing in (b"", " \n"):
        s.ask("POST", "/v2/attributors", nothing, 201, sound=False)
    # Each text says the byte where reading stopped, and why.
    whole = f"/v2/attributors/{made['attributor_id']}"
    for method, path, body, why in (("POST", "/v2/attributors", "{\"workload\": ", "ends at byte 14"), ("POST", "/v2/attributors", "[" * 100_000, "ends at byte 100001"),
                                    ("POST", "/v2/attributors", "[" * 70 + "]" * 70, "64"), ("POST", "/v2/attributors", "{\"a\": tru}", "at byte 10"),
                                    ("POST", "/v2/attributors", b"{\"a\": \"\xff\"}", "byte 8 is not UTF-8"), ("PATCH", whole, "", "it is empty"),
                                    ("POST", "/v2/attributors", "{} {}", "at byte 4"), ("POST", "/v2/attributors", "{\"metadata\": 1e400}", "larger than 1.8e308")):
        said = s.problem(method, path, body, 400)
        s.checker.demand(f"{method} {path}: {body[:40]}", why in said["detail"], said)
    s.problem("POST", "/v2/attributors", "[]", 422)
    s.problem("POST", "/v2/attributors", {"workload": {}}, 400, headers={"Idempotency-Key": "k" * 300})
    s.problem("POST", "/v2/attributors", {"workload": {}}, 415, media="text/html")
    said = s.problem("POST", "/v2/attributors", {"ruleset": "none"}, 422, "ruleset")
    s.checker.demand("unknown ruleset", "`default`" in said["detail"], said)
    for body, field in (({"workload": {"ranks": "three"}}, "workload.ranks"), ({"workload": 7}, "workload"),
                        ({"workload": {"start": "2026-05-18T12:00:00"}}, "workload.start"), ({"workloads": {}}, "workloads"),
                        ({"sources": [{"kind": "radio"}]}, "sources[0].kind"), ({"metadata": []}, "metadata"),
                        ({"ruleset": 1}, "ruleset"), ({"topology": 1}, "topology"), ({"observations": []}, "observations"),
                        ({"metadata": {"x": "y" * 70_000}}, "metadata"), ({"schema": "other/1"}, "schema")):
        s.problem("POST", "/v2/attributors", body, 422, field)
    s.problem("POST", "/v2/attributors", "[" + "1," * 400_000 + "1]", 413)
    pages, after = [], ""
    while True:
        page = s.ask("GET", f"/v2/attributors?limit=2&after={after}")
        pages += [each["attributor_id"] for each in page["attributors"]]
        if page["next"] is None:
            break
        after = page["next"]
    s.checker.demand("pages", len(pages) == len(set(pages)) == 5 and made["attributor_id"] in pages, pages)
    s.problem("GET", "/v2/attributors?after=none", None, 422, "after")
    for limit in ("0", "1001", "x", "-1", ""):
        s.problem("GET", f"/v2/attributors?limit={limit or '%20'}", None, 422, "limit")


def change(s):
    path = "/v2/attributors/" + s.ask("POST", "/v2/attributors", {"workload": WORKLOAD}, 201)["attributor_id"]
    now = s.ask("PATCH", path, {"workload": {"state": "FAILED", "end": "2026-05-18T14:42:00+02:00"}}, media="application/merge-patch+json")
    s.checker.demand("PATCH", now["workload"] == {**WORKLOAD, "state": "FAILED", "end": "2026-05-18T12:42:00Z"} and now["revision"] > 0, now)
    now = s.ask("PATCH", path, {"workload": {"state": "COMPLETED", "end": None}})
    s.checker.demand("PATCH", now["workload"] == {**WORKLOAD, "state": "COMPLETED"}, now)
    s.problem("PATCH", path, "{", 400)
    s.problem("PATCH", path, {"metadata": {}}, 422, "metadata")
    s.problem("PATCH", path, {"workload": {"ranks": -1}}, 422, "workload.ranks")
    s.problem("PATCH", path, "{}", 415, media="text/plain")
    s.problem("PATCH", path, json.dumps({"workload": {"nodes": ["n"] * 400_000}}), 413)
    s.problem("PATCH", "/v2/attributors/none", {"workload": {}}, 404)
    s.ask("DELETE", path, expect=204)
    s.problem("DELETE", path, None, 404)
    s.problem("GET", path, None, 404)


def observations(s):
    made = s.ask("POST", "/v2/attributors", {"workload": WORKLOAD}, 201)["attributor_id"]
    path = f"/v2/attributors/{made}/observations"
    first = s.ask("POST", path, {"observations": [XID]}, 201)
    s.checker.demand("first", not first["copy"] and first["accepted"] == 1 and first["rejected"] == 0, first)
    again = s.ask("POST", path, {"observations": [XID]}, 200)
    s.checker.demand("copy", again["copy"] and again["observation_id"] == first["observation_id"] and
                     again["revision"] == first["revision"], again)
    lines = "\n".join(json.dumps({**XID, "seq": i}) for i in range(3))
    s.ask("POST", path, lines, 201, media="application/x-ndjson")
    s.ask("POST", path, [{**XID, "seq": 7}], 201)
    s.ask("POST", path, {**XID, "seq": 8}, 201)
    s.ask("POST", path, gzip.compress(json.dumps([{**XID, "seq": 9}]).encode()), 201, {"Content-Encoding": "gzip"})
    s.ask("POST", path, {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"timeUnixNano": "1779107465120000000", "body": {"stringValue": "hello"}}]}]}]}, 201)
    lines = "\n".join(json.dumps({**XID, "seq": i}) for i in range(20, 23))
    bad = s.ask("POST", path, lines + '\n{"ts": "x", "message": "m"}\n{"rank": 3}\nno JSON\n{"message": "to', 201, media="application/x-ndjson")
    s.checker.demand("bad lines", bad["accepted"] == 3 and bad["rejected"] == 4 and bad["problems"][0].startswith("body:4: field `ts`") and
                     bad["problems"][3].startswith("body:7: torn"), bad)
    doc = s.ask("POST", path, ' {"workload": {"state": "FAILED"},\n"observations": [\n{"message": "fine"},\n{"rank": "x", "message": "m"}]}', 201, sound=False)
    s.checker.demand("bad element", doc["accepted"] == 1 and doc["problems"] == ['body:4: field `rank`: expected a whole number from 0 to 2147483647, got text "x"'], doc)
    s.checker.demand("merged", s.ask("GET", f"/v2/attributors/{made}")["workload"] == {**WORKLOAD, "state": "FAILED"}, "")
    before = s.ask("GET", path + "?limit=1000")["observations"]
    said = s.problem("POST", path, {"workload": {"id": "zzz"}, "observations": [{"message": "never stored"}]}, 409, "workload.id")
    s.checker.demand("409", "zzz" not in json.dumps(said), "a value is in the answer")
    for body, status, line in (("", 400, None), ("no JSON at all", 400, 1), ("{", 400, None), ("<html>", 400, 1), ("7", 400, 1),
                               ('{"rank": 3}', 422, 1), ("{}", 422, 1), ('[{"message": 1}]', 422, 1), ("[]", 422, None),
                               ('[{"rank": 1}', 400, 1), ('\n{"message": 3}\n', 422, 2), ('{"schema": "x/2", "observations": []}', 422, None)):
        s.problem("POST", path, body, status, line=line)
    s.problem("POST", path, json.dumps({"observations": [XID]}), 415, media="application/x-www-form-urlencoded")
    s.problem("POST", path, gzip.compress(b" " * 60_000), 413, headers={"Content-Encoding": "gzip"})
    s.problem("POST", path, " " * 60_000, 413)
    s.problem("POST", "/v2/attributors/none/observations", {"observations": [XID]}, 404)
    s.problem("GET", "/v2/attributors/none/observations", None, 404)
    s.problem("GET", path + "?limit=x", None, 422, "limit")
    listed, after = [], ""
    while True:
        page = s.ask("GET", f"{path}?limit=3&after={after}")
        listed += page["observations"]
        if page["next"] is None:
            break
        after = page["next"]
    s.checker.demand("listed", listed == before and len(listed) == 8, f"{len(listed)}")


def verdicts(s):
    made = s.ask("POST", "/v2/attributors", {"workload": WORKLOAD}, 201)["attributor_id"]
    path = f"/v2/attributors/{made}/attribution"
    empty = s.ask("GET", path)
    s.checker.demand("no evidence", empty["outcome"] == "unknown" and empty["status"] == "unattributed", empty)
    s.ask("POST", f"/v2/attributors/{made}/observations", {"workload": {"state": "FAILED"}, "observations": [XID]}, 201)
    full = s.ask("GET", path)
    s.checker.demand("attributed", full["affected_nodes"] == ["node-b"], full)
    s.checker.demand("digest", s.headers["attrib-program"] == full["program"]["digest"], s.headers)
    etag = s.headers["etag"]
    s.ask("GET", path, expect=304, headers={"If-None-Match": f'"x", W/{etag}'})
    s.ask("GET", path, expect=304, headers={"If-None-Match": "*"})
    s.ask("GET", path + "?explain=1", headers={"If-None-Match": etag})
    s.checker.demand("explain", "proof" in json.dumps(json.loads(s.body)["symptoms"]), "no proof in it")
    for shape, media, begins in (("text", "text/plain", ""), ("markdown", "text/markdown", "#"), ("dot", "text/vnd.graphviz", "digraph"),
                                 ("mermaid", "text/vnd.mermaid", "graph")):
        by_query = s.ask("GET", f"{path}?format={shape}")
        s.checker.demand(shape, s.headers["content-type"].startswith(media) and begins in by_query, by_query[:60])
        by_accept = s.ask("GET", path, headers={"Accept": f"image/png, {media};q=0.5"})
        s.checker.demand(shape, by_query == by_accept, "Accept gives another text")
    s.problem("GET", path + "?format=pdf", None, 422, "format")
    s.problem("GET", path + "?explain=yes", None, 422, "explain")
    s.problem("GET", path, None, 406, headers={"Accept": "image/png"})
    s.problem("GET", "/v2/attributors/none/attribution", None, 404)
    s.ask("PATCH", f"/v2/attributors/{made}", {"workload": {"attempt": 2}})
    changed = s.ask("GET", path, headers={"If-None-Match": etag})
    s.checker.demand("changed", changed["workload"]["attempt"] == 2, changed["workload"])
    once = s.ask("POST", "/v2/attribute?ruleset=default", {"workload": {**WORKLOAD, "attempt": 2, "state": "FAILED"}, "observations": [XID]})
    s.checker.demand("one shot", once == changed and s.headers["attrib-accepted"] == "1", "another verdict than of the session")
    s.ask("POST", "/v2/attribute?format=text", json.dumps(XID) + "\n{}\n", media="application/x-ndjson")
    s.checker.demand("rejected", s.headers["attrib-rejected"] == "1", s.headers)
    s.problem("POST", "/v2/attribute", "nothing", 400)
    s.problem("POST", "/v2/attribute", "{}", 422)
    s.problem("POST", "/v2/attribute?ruleset=none", {"observations": [XID]}, 422, "ruleset")
    s.problem("POST", "/v2/attribute", {"observations": [XID]}, 406, headers={"Accept": "image/*"})
    s.problem("POST", "/v2/attribute", "{}", 415, media="image/png")
    s.problem("POST", "/v2/attribute", " " * 60_000, 413)


def v1(s):
    info = {"workload": {"id": "48213:cycle1:7", "type": "slurm", "srun_cmd": "unknown", "job_start_time": "2026-05-18T12:00:00+00:00",
                         "job_end_time": "2026-05-18T12:42:00+00:00", "status": "FAILED", "nranks": 16, "ranks_per_node": 8,
                         "nodes": ["node-a", "node-b"], "name": "unknown", "username": "", "framework": "unknown", "exit_code_signal": 1},
            "metadata": {"cluster": "c1", "agent": "a", "tenant": "unknown", "ruleset": "default"}}
    made = s.ask("POST", "/latest/attributor", info)["attributor_id"]
    header = s.ask("GET", f"/v2/attributors/{made}")["workload"]
    s.checker.demand("V1 header", header == {"id": "48213:cycle1:7", "kind": "slurm", "start": "2026-05-18T12:00:00Z",
                     "end": "2026-05-18T12:42:00Z", "state": "FAILED", "ranks": 16, "ranks_per_node": 8, "nodes": ["node-a", "node-b"],
                     "cluster": "c1", "exit_code": 1}, header)
    for ruleset in ("", "unknown", None):
        s.ask("POST", "/latest/attributor", {"workload": {"nranks": "unknown"}, "metadata": {"ruleset": ruleset}})
    s.ask("POST", "/latest/attributor", {"workload": {"exit_code_signal": -9}})
    s.problem("POST", "/latest/attributor", "{", 400)
    s.problem("POST", "/latest/attributor", "{}", 415, media="text/plain")
    s.problem("POST", "/latest/attributor", " " * 60_000, 413)
    for key, value in (("nranks", "many"), ("nranks", -1), ("job_start_time", "yesterday"), ("job_end_time", "2026-05-18T12:42:00"), ("nodes", [1]),
                       ("nodes", "node-a"), ("id", 7), ("exit_code_signal", 1.5), ("status", {})):
        s.problem("POST", "/latest/attributor", {"workload": {key: value}}, 422, "workload." + key)
    s.problem("POST", "/latest/attributor", {"metadata": {}}, 422, "workload")
    s.problem("POST", "/latest/attributor", {"workload": {}, "metadata": 3}, 422, "metadata")
    s.problem("POST", "/latest/attributor", {"workload": {}, "metadata": {"ruleset": "none"}}, 422, "metadata.ruleset")
    path = f"/latest/attributor/{made}/observation"
    inner = {"body": XID["message"], "severity": "err", "attributes": {"hostname": "node-b", "appname": "kernel", "facility": 0}, "resources": {}}
    loki = [{"stream": {"job": "j", "app": "kernel", "hostname": "node-b"}, "values": [["1779107465120000000", json.dumps(inner)]]}]
    context = {"time_interval": {"start": "2026-05-18T12:00:00+00:00", "end": "2026-05-18T12:42:00+00:00"}, "resources": "AllJobResources",
               "source": "syslog", "format": "raw_loki_streams"}
    one = s.ask("POST", path, {"context": context, "body": json.dumps(loki)})
    two = s.ask("POST", path, {"context": context, "body": json.dumps(loki)})
    s.checker.demand("V1 copy", two["copy"] and one["observation_id"] == two["observation_id"], two)
    samples = {"status": "success", "data": {"resultType": "vector", "result": [
        {"metric": {"__name__": "DCGM_FI_DEV_GPU_TEMP", "Hostname": "node-b", "gpu": "0"}, "value": [1779107465.12, "41"]},
        {"metric": {"__name__": "up", "instance": "node-a:9400"}, "value": [1779107465, "NaN"]}]}}
    metrics = {**context, "source": "node_metrics", "format": "prometheus_metrics"}
    got = s.ask("POST", path, {"context": metrics, "body": json.dumps(samples)})
    s.checker.demand("prometheus", got["accepted"] == 1 and got["rejected"] == 1, got)
    for field, body in (("body", {"context": context, "body": [1]}), ("body", {"context": context, "body": "{"}), ("body", {"context": context}),
                        ("context", {"body": "[]"}), ("context", {"context": 1, "body": "[]"}), ("context.format", {"context": {"format": "csv"}, "body": "[]"}),
                        ("context.source", {"context": {**context, "source": "radio"}, "body": "[]"}),
                        ("context.time_interval.end", {"context": {**context, "time_interval": {"end": "soon"}}, "body": "[]"}),
                        ("context.time_interval", {"context": {**context, "time_interval": 5}, "body": "[]"})):
        s.problem("POST", path, body, 422, field)
    said = s.problem("POST", path, {"context": context, "body": json.dumps([{"stream": {}, "values": [["x", "y"]]}])}, 422)
    s.checker.demand("V1 place", said["problems"][0].startswith("streams[0].values[0]: "), said)
    s.problem("POST", path, "nothing", 400)
    s.problem("POST", path, "{}", 415, media="text/plain")
    s.problem("POST", path, " " * 60_000, 413)
    s.problem("POST", "/latest/attributor/none/observation", {"context": context, "body": "[]"}, 404)
    result = s.ask("GET", f"/latest/attributor/{made}/attribution")
    nodes = [each["node"] for each in result["attributions"] if each["type"] == "NodeAttribution"]
    s.checker.demand("V1 nodes", nodes == ["node-b"], result)
    s.problem("GET", "/latest/attributor/none/attribution", None, 404)
    s.ask("POST", f"/v2/attributors/{made}/observations", {"observations": [{**XID, "node": "node-a", "message": "hello"}]}, 201)
    both = s.ask("GET", f"/v2/attributors/{made}/attribution")
    s.checker.demand("V1 and V2", both["affected_nodes"] == ["node-b"], both["affected_nodes"])


def shown(expected, got, where=""):
    """Where `got` lacks something that the page shows: `...` stands for any text, and more fields are fine."""
    if expected == "..." and isinstance(got, str):
        return []
    if isinstance(expected, dict) and isinstance(got, dict):
        return [text for key, value in expected.items()
                for text in (shown(value, got[key], f"{where}.{key}") if key in got else [f"{where}.{key} is missing"])]
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        return [text for i, value in enumerate(expected) for text in shown(value, got[i], f"{where}[{i}]")]
    return [] if expected == got else [f"{where}: {json.dumps(got)[:200]}, shown is {json.dumps(expected)[:200]}"]


def page(s):
    """The examples of docs/service.md, in their order: `{id}` is the last attributor that was made."""
    text = (ROOT / "docs/service.md").read_text()
    blocks = re.findall(r"^```http\n(\w+) (\S+)\n(.*?)^```\n^```answer (\d+)\n(.*?)^```$", text, re.S | re.M)
    s.checker.demand("docs/service.md", len(blocks) == text.count("```http") > 5, f"{len(blocks)} examples are understood")
    made = ""
    for method, path, body, status, answer in blocks:
        good = status in ("200", "201")
        got = s.ask(method, path.replace("{id}", made), body or None, int(status), sound=good and '"three"' not in body)
        if isinstance(got, dict):
            made = got.get("attributor_id", made)
        for wrong in shown(json.loads(answer), got) if answer.strip() else []:
            s.checker.demand(f"docs/service.md: {method} {path}", False, wrong)


def none_such(server, wrong):
    """What is in no document: unknown routes and methods, and what the server refuses by itself."""
    for method, path, expect in (("GET", "/", 404), ("GET", "/v2", 404), ("GET", "/latest", 404), ("GET", "/v2/attributors/a/b", 404),
                                 ("PUT", "/v2/attributors", 405), ("GET", "/v2/attribute", 405), ("POST", "/healthz", 405),
                                 ("GET", "/attributor", 404)):
        status, headers, body = server.ask(method, path, b"" if method in ("PUT", "POST") else None)
        said = json.loads(body)
        if status != expect or headers["content-type"] != PROBLEM or said["status"] != expect:
            wrong.append(f"{method} {path}: {status} {body[:200]}")
        if expect == 405 and not headers.get("allow"):
            wrong.append(f"{method} {path}: no Allow")


def every(checker):
    """A good request of each route, with what it needs: (method, path)."""
    for pattern, methods in OPEN_API["paths"].items():
        for method in methods:
            if method != "parameters":
                yield method.upper(), pattern.replace("{id}", "0" * 32), methods[method]


def access(server, tokens, checker):
    for method, path, about in every(checker):
        is_open = about.get("security") == []
        Session(server, checker, tokens["admin"]).problem(method, path, None, 431, headers={"X-Long": "x" * 20_000})
        nobody, guest = Session(server, checker), Session(server, checker, "wrong")
        body = {} if method in ("POST", "PATCH") and "requestBody" in about else None
        if is_open:
            nobody.ask(method, path)
            continue
        nobody.problem(method, path, body, 401)
        guest.problem(method, path, body, 401)
        scope = next(scope for scope in ("read", "write", "admin") if f"scope {scope}" in about["description"])
        said = Session(server, checker, tokens["poster" if scope == "read" else "reader"]).problem(method, path, body, 403)
        checker.demand(f"{method} {path}", said["detail"] == f"the token lacks scope {scope}", said)
    writer, reader = Session(server, checker, tokens["writer"]), Session(server, checker, tokens["reader"])
    made = writer.ask("POST", "/v2/attributors", {}, 201)["attributor_id"]
    reader.ask("GET", f"/v2/attributors/{made}")
    reader.ask("GET", "/metrics")
    writer.problem("POST", "/v2/admin/reload", None, 403)
    # This server's verdicts keep three observations.
    many = [{"name": "m", "value": at, "node": "n"} for at in range(4)]
    writer.ask("POST", f"/v2/attributors/{made}/observations", {"observations": many}, 201)
    for path in (f"/v2/attributors/{made}/attribution", f"/latest/attributor/{made}/attribution"):
        said = reader.problem("GET", path, None, 413)
        checker.demand(path, "limits.observations" in said["detail"], said)
    reader.problem("POST", "/v2/attribute", {"observations": many}, 413)
    reader.ask("POST", "/v2/attribute", {"observations": many[:3]})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--fleet", required=True)
    flags = parser.parse_args()
    attribd = os.path.join(flags.bin, "attribd")
    jsonschema.Draft202012Validator.check_schema({"$defs": OPEN_API["components"]["schemas"]})
    checker = Checker()
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "attrib.db")
        small = ("--limits-body", "48KiB")
        with Attribd(attribd, flags.fleet, *small) as server:
            # A body of many values is no long one; it needs the default limit.
            for part in (operation, observations, verdicts, v1, page):
                part(Session(server, checker))
            none_such(server, checker.wrong)
        with Attribd(attribd, flags.fleet) as server:
            for part in (attributors, change, heads):
                part(Session(server, checker))
        # An attributor whose ruleset is no longer there.
        with Attribd(attribd, flags.fleet, "--rulesets", f"other={flags.fleet}", database=database) as server:
            s = Session(server, checker)
            gone = s.ask("POST", "/v2/attributors", {"ruleset": "other"}, 201)["attributor_id"]
            if server.stop() != 0:
                checker.wrong.append("attribd did not end well")
        with Attribd(attribd, flags.fleet, "--limits-sessions", "2", "--limits-session", "6KiB", "--limits-body", "6KiB", database=database) as server:
            s = Session(server, checker)
            s.problem("GET", f"/v2/attributors/{gone}/attribution", None, 503, "ruleset")
            s.problem("GET", f"/latest/attributor/{gone}/attribution", None, 503, "ruleset")
            made = s.ask("POST", "/v2/attributors", {}, 201)["attributor_id"]
            s.problem("POST", "/v2/attributors", {}, 429)
            for at in range(2):
                s.ask("POST", f"/v2/attributors/{made}/observations", {"message": f"{at}" + "x" * 5500}, 201 if at == 0 else 413)
        tokens, entries = {}, ""
        for name, scopes in (("reader", "read"), ("writer", "read,write"), ("poster", "write"), ("admin", "admin")):
            done = subprocess.run([attribd, "token", "--name", name, "--scopes", scopes], capture_output=True, text=True, check=True)
            tokens[name] = done.stderr.strip().rsplit(" ", 1)[1]
            entries += done.stdout
        file = os.path.join(folder, "tokens.toml")
        with open(file, "w", encoding="utf-8") as out:
            out.write(entries)
        os.chmod(file, 0o600)
        with Attribd(attribd, flags.fleet, "--tokens", file, "--limits-observations", "3") as server:
            access(server, tokens, checker)
            Session(server, checker, tokens["admin"]).ask("POST", "/v2/admin/reload")
    wrong = checker.wrong + checker.unseen()
    print("\n".join(wrong) if wrong else f"{len(checker.seen)} kinds of answers, all documented")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
