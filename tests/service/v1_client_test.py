#!/usr/bin/env python3
"""The V1 interface as its public client uses it: an attributor is made, sixteen nodes post what their
kernels said, at once, again after answers they did not wait for, and the attribution is read.

Its stamps are made up: all lines of a delivery stand a nanosecond apart near the end of the window.
The worked example must give its faulty node and no other all the same, and its variants nobody whom
the evidence does not accuse. Beside it the same with the true stamps and the applications' lines.

    v1_client_test.py --bin build/release/bin --fleet build/release/fleet.rbc
"""

import argparse
import datetime
import glob
import json
import os
import random
import socket
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from attribd import Attribd

CASES = os.path.join(os.path.dirname(__file__), "..", "golden", "verdict", "worked")
NODES = [f"node-{letter}" for letter in "abcdefghijklmnop"]
RANKS_PER_NODE = 8
# What a healthy kernel says and the public client sends on.
ORDINARY = ["wlan0: CTRL-EVENT-EAP-SUCCESS EAP authentication completed successfully",
            "nfs: server filer-3 not responding, still trying", "nfs: server filer-3 OK"]


def nanoseconds(text):
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return int(moment.timestamp() * 1_000_000) * 1000


def iso(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).isoformat()


def line(stamp, node, message, app, severity="err"):
    inner = {"body": message, "severity": severity,
             "attributes": {"hostname": node, "appname": app, "facility": 0}, "resources": {}}
    return [str(stamp), json.dumps(inner, separators=(",", ":"))]


def streams(job, app, node, values):
    return [{"stream": {"job": job, "app": app, "hostname": node}, "values": values}]


def observation(workload, source, loki):
    return {"context": {"time_interval": {"start": iso(workload["start"]), "end": iso(workload["end"])},
                        "resources": "AllJobResources", "source": source, "format": "raw_loki_streams"},
            "body": json.dumps(loki, separators=(",", ":"))}


def attributor(workload, case):
    return {"workload": {"id": f"{workload['id']}:cycle1:{case}", "type": "slurm", "srun_cmd": "unknown",
                         "job_start_time": iso(workload["start"]), "job_end_time": iso(workload["end"]),
                         "status": "FAILED", "nranks": RANKS_PER_NODE * len(NODES),
                         "ranks_per_node": RANKS_PER_NODE, "nodes": NODES, "name": "llama-70b",
                         "username": "unknown", "framework": "unknown", "exit_code_signal": 1},
            "metadata": {"cluster": "c1", "agent": "nvrx-ft-launcher", "tenant": "unknown",
                         "ruleset": "default"}}


def made_up(evidence):
    """A post for each node: its kernel's lines, with the client's stamps."""
    workload = evidence["workload"]
    base = nanoseconds(workload["end"]) - 1_000_000_000
    posts = []
    for node in NODES:
        said = [o["message"] for o in evidence["observations"]
                if o["source"] == "kernel" and o.get("node") == node]
        # Debian's dmesg prints them behind the seconds since the machine was started.
        texts = [f"[{81000 + i:12.6f}] {text}" for i, text in enumerate(ORDINARY + said)]
        values = [line(base + i, node, text, "kernel") for i, text in enumerate(texts)]
        posts.append(observation(workload, "syslog", streams("nvrx", "dmesg", node, values)))
    return posts


def true_stamps(evidence):
    """The same from a collector that knows when each line was written, with the applications' lines."""
    workload = evidence["workload"]
    posts = []
    for node in NODES:
        for kind, source, app in (("kernel", "syslog", "kernel"), ("app", "applog", "python")):
            said = [o for o in evidence["observations"] if o["source"] == kind and o.get("node") == node]
            values = [line(nanoseconds(o["ts"]), node, o["message"], app) for o in said]
            if kind == "kernel":
                first = nanoseconds(workload["start"])
                values = [line(first + i * 60_000_000_000, node, text, app, "info")
                          for i, text in enumerate(ORDINARY)] + values
            posts.append(observation(workload, source, streams("cluster", app, node, values)))
    return posts


class Client:
    """One node: posts as often as it takes, and again when it did not hear the answer."""

    def __init__(self, server, base, seed):
        self.server, self.base, self.random = server, base, random.Random(seed)

    def post(self, path, body):
        return self.server.ask_json("POST", self.base + path, body, {"accept": "application/json"})

    def post_and_leave(self, path, body):
        """Sends a whole request and goes away."""
        text = json.dumps(body).encode()
        head = (f"POST {self.base}{path} HTTP/1.1\r\nHost: x\r\naccept: application/json\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n").encode()
        with socket.create_connection((self.server.host, self.server.port), 60) as to:
            to.sendall(head + text)

    def deliver(self, path, body, ids, failures):
        try:
            if self.random.random() < 0.5:
                self.post_and_leave(path, body)
            for _ in range(self.random.randint(1, 3)):
                status, answer = self.post(path, body)
                if status not in (200, 201):
                    failures.append(f"{path}: {status} {answer}")
                    return
                ids.append(answer["observation_id"])
        except (OSError, ValueError, KeyError) as error:
            failures.append(f"{path}: {error!r}")


def accused(attribution):
    """The nodes that the public client takes for faulty."""
    return sorted({item["node"] for item in attribution["attributions"]
                   if item["type"] == "NodeAttribution" and item["attributions"]})


def attribute(server, base, name, evidence, posts, seed):
    """Makes an attributor, delivers the posts by a thread a node, reads the attribution twice."""
    client = Client(server, base, seed)
    status, made = client.post("/attributor", attributor(evidence["workload"], name))
    assert status in (200, 201), (status, made)
    path = f"/attributor/{made['attributor_id']}"
    early, before = server.ask_json("GET", f"{base}{path}/attribution")
    assert early == 200 and accused(before) == [], (early, before)
    ids, failures = [[] for _ in posts], []
    threads = [threading.Thread(target=Client(server, base, seed + i).deliver,
                                args=(path + "/observation", post, ids[i], failures))
               for i, post in enumerate(posts)]
    random.Random(seed).shuffle(threads)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    for each in ids:
        assert len(set(each)) == 1, f"copies of one observation have several ids: {each}"
    assert len({each[0] for each in ids}) == len({json.dumps(post) for post in posts})
    status, listed = server.ask_json("GET", f"/v2/attributors/{made['attributor_id']}/observations?limit=1000")
    assert status == 200, (status, listed)
    stored = [each["observation_id"] for each in listed["observations"]]
    assert sorted(stored) == sorted({each[0] for each in ids}), "each post counts once"
    status, attribution = server.ask_json("GET", f"{base}{path}/attribution")
    assert status == 200, (status, attribution)
    again = server.ask_json("GET", f"{base}{path}/attribution")
    assert again == (200, attribution), "the same evidence gave another answer"
    _, verdict = server.ask_json("GET", f"/v2/attributors/{made['attributor_id']}/attribution")
    assert accused(attribution) == sorted(verdict["affected_nodes"]), "V1 and V2 disagree"
    return accused(attribution), verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--fleet", required=True)
    parser.add_argument("--seed", type=int, default=1)
    flags = parser.parse_args()
    expected = json.load(open(os.path.join(CASES, "expected.json"), encoding="utf-8"))
    wrong, count = [], 0
    plain = made_up(json.load(open(os.path.join(CASES, "faulty-link.json"), encoding="utf-8")))
    with Attribd(os.path.join(flags.bin, "attribd"), flags.fleet) as server:
        for file in sorted(glob.glob(os.path.join(CASES, "*.json"))):
            name = os.path.basename(file)[: -len(".json")]
            evidence = json.load(open(file, encoding="utf-8"))
            if name not in expected or not evidence.get("workload", {}).get("nodes"):
                continue  # Without node names V1 has nothing to say.
            want = expected[name]
            if "same_bytes_as" in want:
                want = expected[want["same_bytes_as"]]
            for way, posts in (("made-up stamps", made_up(evidence)), ("true stamps", true_stamps(evidence))):
                # Where the kernels' lines without their times are those of the plain case, so is the answer: what
                # tells them apart is in nothing that was posted.
                allowed = {"node-b"} if posts == plain else set(want.get("affected_nodes", []))
                got, verdict = attribute(server, "/latest", name, evidence, posts, flags.seed + count)
                count += 1
                print(f"{name:24} {way:15} {verdict['status']:12} {got}")
                if not set(got) <= allowed:
                    wrong.append(f"{name}, {way}: {got}, allowed {sorted(allowed)}")
                # Where all that accuses stands in the kernels' lines, it must be found.
                if allowed and name in ("faulty-link", "shuffled", "delivered-twice", "benign-elsewhere") and set(got) != allowed:
                    wrong.append(f"{name}, {way}: {got}, not {sorted(allowed)}")
        for text in server.log:
            if "NETIR_LINK_EVT" in text:
                wrong.append("a log line holds evidence: " + text)
        code = server.stop()
        if code != 0:
            wrong.append(f"attribd ended with {code}")
    print("\n".join(wrong) if wrong else f"{count} jobs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
