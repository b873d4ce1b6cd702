#!/usr/bin/env python3
"""Kills attribd (SIGKILL) at random moments of a running load and starts it again; at the end everything that was
answered with 2xx is there, once.

Clients make attributors and post to them by V1 and V2; what got no answer they send again until it does, and some of
what did get one they send again too. Some kills come while the service is still starting.

    kill_test.py --bin build/release/bin --fleet build/release/fleet.rbc [--kills N] [--seed S]
"""

import argparse
import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from attribd import Attribd

CLIENTS = 6
POSTS_PER_ATTRIBUTOR = 150
PATIENCE = 120  # Seconds in which a request must have been answered, however often the service is killed.
PAGE = 1000


class Failed(Exception):
    pass


class Service:
    """attribd, killed and started again. Clients see its present port, or none."""

    def __init__(self, binary, fleet, directory, rng):
        self.server = Attribd(binary, fleet, directory=directory)
        self.rng = rng
        self.answers = 0  # 2xx since the last start.
        self.kills = self.idle_kills = self.early_kills = 0

    def start(self):
        self.answers = 0
        self.server.log.clear()
        self.server.start()

    def port(self):
        return self.server.port

    def kill_while_starting(self):
        process = subprocess.Popen(self.server.command, stderr=subprocess.DEVNULL)
        time.sleep(self.rng.uniform(0, 0.03))
        process.kill()
        process.wait()
        self.kills += 1
        self.early_kills += 1

    def kill_under_load(self):
        until = time.monotonic() + 5
        while self.answers == 0 and time.monotonic() < until:
            time.sleep(0.001)
        time.sleep(self.rng.uniform(0, 0.15))
        self.server.kill()
        self.kills += 1
        self.idle_kills += self.answers == 0


class Client(threading.Thread):
    def __init__(self, service, number, seed, stop):
        super().__init__(daemon=True)
        self.service, self.number, self.stop = service, number, stop
        self.rng = random.Random(seed)
        self.connection = self.port = None
        self.keys = {}        # Idempotency key: attributor.
        self.attributors = {} # Attributor: {observation id: how many different contents gave it}.
        self.acknowledged = self.copies = self.attempts = self.created = self.create_attempts = 0
        self.failure = None

    def run(self):
        try:
            while not self.stop.is_set():
                self.life_of_an_attributor()
        except Exception as failure:  # pylint: disable=broad-except
            self.failure = failure

    def life_of_an_attributor(self):
        made = self.create()
        ids = self.attributors.setdefault(made, {})
        for at in range(POSTS_PER_ATTRIBUTOR):
            if self.stop.is_set():
                return
            path, body = self.observation(made, at)
            first = self.acknowledge(path, body)
            ids[first] = ids.get(first, 0) + 1
            if self.rng.random() < 0.2 and self.acknowledge(path, body) != first:
                raise Failed("the same content got another id")

    def create(self):
        name = f"{self.number}-{self.created}"
        self.created += 1
        workload = {"id": f"job-{name}", "nodes": [f"node-{n}" for n in range(16)]}
        if self.rng.random() < 0.5:
            made = self.ask("/latest/attributor", {"workload": {**workload, "type": "slurm", "status": "FAILED"},
                                                   "metadata": {"cluster": "c1", "ruleset": "default"}}, {}, True)
        else:
            key = f"key-{name}"
            made = self.ask("/v2/attributors", {"workload": workload}, {"Idempotency-Key": key}, True)
            self.keys[key] = made["attributor_id"]
        if made["attributor_id"] in self.attributors:
            raise Failed("two attributors of one id")
        return made["attributor_id"]

    def observation(self, made, at):
        text = f"NVRM: Xid (PCI:0000:3b:00): 79, pid={self.number}, GPU has fallen off the bus. {at} " + "x" * self.rng.choice((0, 9, 3000))
        node = f"node-{at % 16}"
        if self.rng.random() < 0.5:
            inner = {"body": text, "severity": "err", "attributes": {"hostname": node, "appname": "kernel"}, "resources": {}}
            streams = [{"stream": {"job": "j", "app": "kernel", "hostname": node},
                        "values": [[str(1788000000_000000000 + at), json.dumps(inner)]]}]
            return (f"/latest/attributor/{made}/observation",
                    {"context": {"time_interval": {"start": "2026-08-29T10:00:00Z", "end": "2026-08-29T12:00:00Z"},
                                 "resources": "AllJobResources", "source": "syslog", "format": "raw_loki_streams"},
                     "body": json.dumps(streams)})
        return (f"/v2/attributors/{made}/observations",
                {"schema": "attrib.evidence/1",
                 "observations": [{"source": "kernel", "node": node, "ts": "2026-08-29T11:00:00Z", "message": text}]})

    def acknowledge(self, path, body):
        answer = self.ask(path, body, {}, False)
        self.acknowledged += 1
        self.copies += bool(answer.get("copy"))
        return answer["observation_id"]

    def ask(self, path, body, headers, creates):
        """Sends until there is an answer."""
        text = json.dumps(body).encode()
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            self.attempts += 1
            self.create_attempts += creates
            try:
                status, answer = self.send(path, text, headers)
            except (OSError, http.client.HTTPException):
                self.connection = None
                time.sleep(0.004)
                continue
            if status in (200, 201):
                self.service.answers += 1
                return json.loads(answer)
            if status not in (429, 503):
                raise Failed(f"{path}: {status} {answer[:300]!r}")
            time.sleep(0.01)
        raise Failed(f"{path}: no answer in {PATIENCE} s")

    def send(self, path, text, headers):
        port = self.service.port()
        if port is None:
            raise OSError("it is starting")
        if self.connection is None or self.port != port:
            self.connection, self.port = http.client.HTTPConnection("127.0.0.1", port, timeout=30), port
        self.connection.request("POST", path, body=text, headers={"Content-Type": "application/json", **headers})
        answer = self.connection.getresponse()
        return answer.status, answer.read()


def pages(server, path, name):
    """All items of a listing."""
    items, after = [], ""
    while True:
        status, page = server.ask_json("GET", f"{path}?limit={PAGE}" + (f"&after={after}" if after else ""))
        if status != 200:
            raise Failed(f"{path}: {status} {page}")
        items += page[name]
        if not page["next"]:
            return items
        after = page["next"]


def check(server, clients):
    """Lines about what is not as it should be."""
    wrong = []
    listed = [each["attributor_id"] for each in pages(server, "/v2/attributors", "attributors")]
    if len(set(listed)) != len(listed):
        wrong.append("an attributor is listed twice")
    mine = {made: ids for client in clients for made, ids in client.attributors.items()}
    for made in mine:
        if made not in set(listed):
            wrong.append(f"attributor {made} is lost")
    created = sum(client.created for client in clients)
    if not created <= len(listed) <= sum(client.create_attempts for client in clients):
        wrong.append(f"{len(listed)} attributors of {created}")
    lost = twice = unknown = 0
    for made, ids in mine.items():
        found = [each["observation_id"] for each in pages(server, f"/v2/attributors/{made}/observations", "observations")]
        lost += len(set(ids) - set(found))
        twice += len(found) - len(set(found))
        unknown += len(set(found) - set(ids))
        status, session = server.ask_json("GET", f"/v2/attributors/{made}")
        if status != 200 or session["posts"] != len(found):
            wrong.append(f"attributor {made}: {session} but {len(found)} posts are listed")
    if lost or twice or unknown:
        wrong.append(f"{lost} acknowledged observations are lost, {twice} there more than once, {unknown} never sent")
    if any(times > 1 for ids in mine.values() for times in ids.values()):
        wrong.append("different contents got one id")
    for client in clients:
        for key, made in client.keys.items():
            status, again = server.ask_json("POST", "/v2/attributors", {}, {"Idempotency-Key": key})
            if status not in (200, 201) or again["attributor_id"] != made:
                wrong.append(f"the key {key} leads to another attributor")
    # Contents can be read too, not only listed.
    for made in list(mine)[:20]:
        status, _, text = server.ask("GET", f"/v2/attributors/{made}/attribution")
        if status != 200:
            wrong.append(f"attribution of {made}: {status} {text[:200]!r}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--fleet", required=True)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so long, with fewer kills")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    rng = random.Random(arguments.seed)
    directory = tempfile.mkdtemp(prefix="attribd-kill-")
    service = Service(os.path.join(arguments.bin, "attribd"), arguments.fleet, directory, rng)
    stop = threading.Event()
    clients = [Client(service, number, rng.getrandbits(32), stop) for number in range(CLIENTS)]
    begun = time.monotonic()
    try:
        service.start()
        for client in clients:
            client.start()
        while service.kills < arguments.kills and time.monotonic() - begun < arguments.seconds:
            service.kill_under_load()
            if rng.random() < 0.15 and service.kills < arguments.kills:
                service.kill_while_starting()
            service.start()
            if any(client.failure for client in clients):
                break
        stop.set()
        for client in clients:
            client.join(2 * PATIENCE)
        wrong = [f"client {client.number}: {client.failure!r}" for client in clients if client.failure]
        wrong += [f"client {client.number} hangs" for client in clients if client.is_alive()]
        wrong += check(service.server, clients)
        if service.kills - service.early_kills == service.idle_kills:
            wrong.append("no answer was given between any two kills")
    finally:
        service.server.kill()
    print(f"{service.kills} kills of {arguments.kills} asked for in {time.monotonic() - begun:.0f} s "
          f"({service.early_kills} while starting, {service.idle_kills} before any answer); "
          f"{sum(len(c.attributors) for c in clients)} attributors, "
          f"{sum(len(ids) for c in clients for ids in c.attributors.values())} observations, "
          f"{sum(c.acknowledged for c in clients)} answers 2xx, {sum(c.copies for c in clients)} of them to copies, "
          f"{sum(c.attempts for c in clients)} attempts")
    for line in wrong:
        print("WRONG:", line)
    if wrong:
        print(f"the database is kept: {directory}; seed {arguments.seed}")
        return 1
    print("nothing lost, nothing twice")
    shutil.rmtree(directory, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
