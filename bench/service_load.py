#!/usr/bin/env python3
"""Load on attribd: a surge of posts to one attributor, then many attributors at once. Nothing may be lost.

    service_load.py --bin build/release/bin --fleet build/release/fleet.rbc
        [--connections 200] [--posts 20000] [--attributors 1000] [--each 16] [--processes 2]

Each connection sends its next post when the last is answered, as the public client does (V1, a node's syslog lines);
429 and 503 are sent again after Retry-After. Times are from the first byte sent to the last byte of the 2xx, with those
waits; the clients run beside the service and take their share of the same processors. Exit 1 if anything is lost.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "service"))
from attribd import Attribd

LINES = 12  # Of a post.
START = 1788000000_000000000


def observation(number, node):
    """A post like no other: a node's kernel lines."""
    texts = [f"NVRM: Xid (PCI:0000:3b:00): 79, pid={number}, GPU has fallen off the bus.",
             f"nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 32 egress ({number})"]
    texts += [f"wlan0: CTRL-EVENT-EAP-SUCCESS EAP authentication completed successfully {number}-{line}"
              for line in range(LINES - len(texts))]
    values = []
    for line, text in enumerate(texts):
        inner = {"body": text, "severity": "err", "attributes": {"hostname": node, "appname": "kernel", "facility": 0},
                 "resources": {}}
        values.append([str(START + number * 1000 + line), json.dumps(inner, separators=(",", ":"))])
    streams = [{"stream": {"job": "nvrx", "app": "dmesg", "hostname": node}, "values": values}]
    return json.dumps({"context": {"time_interval": {"start": "2026-08-29T10:00:00Z", "end": "2026-08-30T12:00:00Z"},
                                   "resources": "AllJobResources", "source": "syslog", "format": "raw_loki_streams"},
                       "body": json.dumps(streams, separators=(",", ":"))}, separators=(",", ":")).encode()


def workload(number):
    return json.dumps({"workload": {"id": f"job:cycle{number}", "type": "slurm", "status": "FAILED", "nranks": 128, "ranks_per_node": 8,
                                    "nodes": [f"node-{n}" for n in range(16)],
                                    "job_start_time": "2026-08-29T10:00:00+00:00", "job_end_time": "2026-08-30T12:00:00+00:00"},
                       "metadata": {"cluster": "c1", "ruleset": "default"}}).encode()


class Connection:
    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def ask(self, method, path, body, results):
        """Until it is answered with 2xx: the answer."""
        head = (f"{method} {path} HTTP/1.1\r\nHost: attribd\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode()
        begun = time.monotonic()
        while True:
            if self.writer is None:
                self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
            self.writer.write(head + body)
            try:
                status, headers, answer = await self.read()
            except (OSError, asyncio.IncompleteReadError):
                results["broken"] += 1
                self.writer = None
                continue
            if status in (200, 201):
                results["seconds"].append(time.monotonic() - begun)
                return answer
            if status not in (429, 503):
                results["wrong"].append(f"{method} {path}: {status} {answer[:200]!r}")
                return None
            results["again"] += 1
            if headers.get("connection") == "close":
                self.writer.close()
                self.writer = None
            await asyncio.sleep(float(headers.get("retry-after", "1")) * random.uniform(0.5, 1.5))

    async def read(self):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        return int(head[0].split()[1]), headers, body


def new_results():
    return {"seconds": [], "wrong": [], "again": 0, "broken": 0, "made": {}}


async def drive(port, jobs, connections):
    """Does the jobs, (method, path, body, name), on so many connections."""
    results = new_results()
    waiting = list(reversed(jobs))

    async def run():
        connection = Connection(port)
        while waiting:
            method, path, body, name = waiting.pop()
            answer = await connection.ask(method, path, body() if callable(body) else body, results)
            if answer is not None and name is not None:
                results["made"][name] = json.loads(answer)

    await asyncio.gather(*(run() for _ in range(connections)))
    return results


def process(port, jobs, connections, gate, out):
    gate.wait()
    out.put(asyncio.run(drive(port, jobs, connections)))


def load(server, jobs, arguments):
    """All jobs, by several processes: what came of them, and seconds."""
    context = multiprocessing.get_context("fork")
    count = arguments.processes
    gate, out = context.Barrier(count + 1), context.Queue()
    shares = [arguments.connections // count + (n < arguments.connections % count) for n in range(count)]
    for number in range(count):
        context.Process(target=process, args=(server.port, jobs[number::count], shares[number], gate, out), daemon=True).start()
    gate.wait()
    begun = time.monotonic()
    total = new_results()
    for _ in range(count):
        part = out.get()
        for name, value in part.items():
            total[name] = {**total[name], **value} if isinstance(value, dict) else total[name] + value
    return total, time.monotonic() - begun


def memory(server, field):
    """MB, of the service."""
    for line in open(f"/proc/{server.process.pid}/status", encoding="ascii"):
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"no {field}")


def processor_seconds(server):
    fields = open(f"/proc/{server.process.pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def report(title, results, seconds, server):
    times = sorted(results["seconds"])
    at = lambda share: 1000 * times[min(len(times) - 1, int(share * len(times)))] if times else float("nan")
    used, server.processor = processor_seconds(server) - getattr(server, "processor", 0), processor_seconds(server)
    print(f"{title}: {len(times)} answers 2xx in {seconds:.2f} s ({len(times) / seconds:.0f}/s; {used:.2f} s of attribd's processor time), p50 {at(0.5):.0f} ms, "
          f"p99 {at(0.99):.0f} ms, longest {at(1):.0f} ms, {results['again']} sent again after 429 or 503, "
          f"{results['broken']} connections broken; RSS {memory(server, 'VmRSS'):.0f} MB, peak {memory(server, 'VmHWM'):.0f} MB",
          flush=True)
    return results["wrong"] + ([f"{title}: {results['broken']} connections were broken"] if results["broken"] else [])


def count_posts(server, attributor):
    """(posts that the attributor tells of, different ids that are listed)"""
    status, session = server.ask_json("GET", f"/v2/attributors/{attributor}")
    if status != 200:
        return status, 0
    ids, after = [], ""
    while True:
        _, page = server.ask_json("GET", f"/v2/attributors/{attributor}/observations?limit=1000" + (f"&after={after}" if after else ""))
        ids += [each["observation_id"] for each in page["observations"]]
        after = page["next"]
        if not after:
            return session["posts"], len(set(ids)) if len(set(ids)) == len(ids) else -1


def surge(server, arguments):
    """Many posts to one attributor."""
    _, made = server.ask_json("POST", "/latest/attributor", json.loads(workload(0)))
    path = f"/latest/attributor/{made['attributor_id']}/observation"
    jobs = [("POST", path, observation(number, f"node-{number % 16}"), None) for number in range(arguments.posts)]
    results, seconds = load(server, jobs, arguments)
    wrong = report(f"{arguments.posts} posts of {len(jobs[0][2])} bytes to one attributor, {arguments.connections} connections",
                   results, seconds, server)
    found = count_posts(server, made["attributor_id"])
    if found != (arguments.posts, arguments.posts):
        wrong.append(f"of {arguments.posts} posts {found} are there")
    begun = time.monotonic()
    status, _, _ = server.ask("GET", f"/latest/attributor/{made['attributor_id']}/attribution")
    print(f"its attribution: {time.monotonic() - begun:.2f} s; RSS {memory(server, 'VmRSS'):.0f} MB, "
          f"peak {memory(server, 'VmHWM'):.0f} MB", flush=True)
    return wrong + ([f"attribution: {status}"] if status != 200 else [])


def crowd(server, arguments):
    """Many attributors, each with a few posts and an attribution."""
    count, each = arguments.attributors, arguments.each
    jobs = [("POST", "/latest/attributor", workload(number), number) for number in range(count)]
    results, seconds = load(server, jobs, arguments)
    wrong = report(f"{count} attributors made", results, seconds, server)
    ids = {number: made["attributor_id"] for number, made in results["made"].items()}
    if len(set(ids.values())) != count:
        return wrong + [f"of {count} attributors {len(set(ids.values()))} were made"]
    jobs = [("POST", f"/latest/attributor/{made}/observation", observation(number * each + post, f"node-{post % 16}"), None)
            for post in range(each) for number, made in ids.items()]
    results, seconds = load(server, jobs, arguments)
    wrong += report(f"{each} posts to each of them", results, seconds, server)
    jobs = [("GET", f"/latest/attributor/{made}/attribution", b"", None) for made in ids.values()]
    results, seconds = load(server, jobs, arguments)
    wrong += report("an attribution of each", results, seconds, server)
    bad = [made for made in ids.values() if count_posts(server, made) != (each, each)]
    return wrong + ([f"{len(bad)} attributors have not just their {each} posts"] if bad else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--fleet", required=True)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--posts", type=int, default=20_000)
    parser.add_argument("--attributors", type=int, default=1000)
    parser.add_argument("--each", type=int, default=16)
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    with Attribd(os.path.join(arguments.bin, "attribd"), arguments.fleet, "--log-level", "info") as server:
        print(f"at rest: RSS {memory(server, 'VmRSS'):.0f} MB; {os.cpu_count()} processors, clients beside the service", flush=True)
        wrong = surge(server, arguments) + crowd(server, arguments)
    for line in wrong[:20]:
        print("WRONG:", line)
    if wrong:
        return 1
    print("nothing lost")
    shutil.rmtree(server.directory, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
