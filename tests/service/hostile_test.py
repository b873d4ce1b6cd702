#!/usr/bin/env python3
"""attribd against clients that mean ill or are broken: bodies without end, bombs, drips, garbage, JSON of every bad kind.

    hostile_test.py --bin build/release/bin --fleet build/release/fleet.rbc [--sanitized] [--seed S] [TEST...]
"""

import argparse
import gzip
import http.client
import json
import os
import random
import select
import shutil
import socket
import struct
import sys
import threading
import time
import unittest
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from attribd import Attribd

MB = 1 << 20
MOST_ADDED = 64  # MB of memory that one such request may cost.
WAIT = 120       # Seconds for an answer, on whatever machine.
BIN = FLEET = None
SANITIZED = False  # Then freed memory is kept for a while, and its size says nothing.
SEED = 0

KERNEL_LINE = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus."


def v2_body(count=3):
    return {"schema": "attrib.evidence/1", "workload": {"id": "job-1", "nodes": ["node-a", "node-b"]},
            "observations": [{"source": "kernel", "node": "node-a", "ts": f"2026-08-29T11:00:{n:02}Z", "message": f"{KERNEL_LINE} {n}"}
                             for n in range(count)]}


def v1_body():
    inner = {"body": KERNEL_LINE, "severity": "err", "attributes": {"hostname": "node-a", "appname": "kernel"}, "resources": {}}
    streams = [{"stream": {"job": "j", "app": "kernel", "hostname": "node-a"}, "values": [["1788000000000000000", json.dumps(inner)]]}]
    return {"context": {"time_interval": {"start": "2026-08-29T10:00:00Z", "end": "2026-08-29T12:00:00Z"},
                        "resources": "AllJobResources", "source": "syslog", "format": "raw_loki_streams"}, "body": json.dumps(streams)}


def v1_metrics():
    result = {"resultType": "vector", "result": [{"metric": {"__name__": "DCGM_FI_DEV_XID_ERRORS", "host": "node-a"}, "value": [1788000000, "79"]}]}
    return {"context": {"time_interval": {"start": "2026-08-29T10:00:00Z", "end": "2026-08-29T12:00:00Z"},
                        "resources": "AllJobResources", "source": "node_metrics", "format": "prometheus_metrics"}, "body": json.dumps(result["result"])}


V1_WORKLOAD = {"workload": {"id": "job-1", "type": "slurm", "nodes": ["node-a"], "status": "FAILED"}, "metadata": {"ruleset": "default"}}


def head(method, path, *headers):
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: attribd", "Content-Type: application/json", *headers, "", ""]).encode()


def exchange(server, pieces, linger=0.0):
    """Sends the pieces as far as the service takes them; what it answers until it closes or says all of one answer."""
    with socket.create_connection((server.host, server.port), WAIT) as to:
        to.setblocking(False)
        pieces, waiting, got, until = iter(pieces), b"", b"", time.monotonic() + WAIT
        sending, sent = True, 0
        while time.monotonic() < until:
            if sending and not waiting:
                waiting = next(pieces, None)
                sending = waiting is not None
            readable, writable, _ = select.select([to], [to] if sending else [], [], 1)
            if readable:
                try:
                    more = to.recv(65536)
                except OSError:
                    more = b""
                if not more or complete(got + more):
                    return got + more, sent
                got += more
            if writable and sending:
                try:
                    count = to.send(waiting)
                    waiting, sent = waiting[count:], sent + count
                except OSError:
                    sending = False
            if not sending and linger and time.monotonic() > until - WAIT + linger:
                return got, sent
    raise AssertionError(f"neither an answer nor an end in {WAIT} s; so far {got[:200]!r}")


def complete(answer):
    front, end, body = answer.partition(b"\r\n\r\n")
    if not end:
        return False
    for line in front.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(body) >= int(line.split(b":")[1])
    return False


def status_of(answer):
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.") else None


class Test(unittest.TestCase):
    def setUp(self):
        self.server = Attribd(str(os.path.join(BIN, "attribd")), FLEET)
        self.addCleanup(shutil.rmtree, self.server.directory, ignore_errors=True)
        self.addCleanup(self.end)
        self.server.start()
        status, made = self.server.ask_json("POST", "/v2/attributors", {})
        self.assertEqual(status, 201, made)
        self.id = made["attributor_id"]
        # Every route with a body, and a good body of it.
        self.routes = {"/v2/attributors": {"workload": {"id": "job-1"}},
                       f"/v2/attributors/{self.id}/observations": v2_body(),
                       "/v2/attribute": v2_body(),
                       "/latest/attributor": V1_WORKLOAD,
                       f"/latest/attributor/{self.id}/observation": v1_body()}

    def end(self):
        self.server.kill()
        self.server.wait()
        self.server.process.stderr.close()

    def memory(self, field):
        with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) / 1024
        raise AssertionError(f"no {field}")

    def restart(self):
        self.server.kill()
        self.server.wait()
        self.server.process.stderr.close()
        self.server.start()

    def lives(self):
        self.assertIsNone(self.server.process.poll(), "\n".join(self.server.log[-20:]))
        self.assertEqual(self.server.ask("GET", "/healthz")[0], 200)
        status, _, answer = self.server.ask("POST", f"/v2/attributors/{self.id}/observations", v2_body())
        self.assertIn(status, (200, 201), answer)

    def warm_up(self):
        """What any request costs once: threads' stacks, the caches of SQLite, the first verdict."""
        for path, body in self.routes.items():
            self.server.ask("POST", path, body)
        self.server.ask("POST", f"/latest/attributor/{self.id}/observation", v1_metrics())
        self.server.ask("GET", f"/v2/attributors/{self.id}/attribution")

    def costs(self, title, most, attack):
        """Memory at its highest during `attack`, above what it was before."""
        self.restart()  # What an attack before this one left behind would make this one cheaper.
        self.warm_up()
        before = self.memory("VmRSS")
        with open(f"/proc/{self.server.process.pid}/clear_refs", "w", encoding="ascii") as reset:
            reset.write("5")  # The high-water mark begins anew.
        attack()
        added = self.memory("VmHWM") - before
        print(f"{title}: {added:.1f} MB added to {before:.1f} MB", flush=True)
        if not SANITIZED:
            self.assertLess(added, most, title)
        self.lives()

    def refused(self, path, pieces, statuses=(413,)):
        answer, sent = exchange(self.server, pieces)
        self.assertIn(status_of(answer), statuses, (path, answer[:300]))
        return sent

    # Bodies that are too large.

    def test_a_body_of_a_gigabyte(self):
        piece = b" " * MB
        for path in self.routes:
            with self.subTest(path):
                self.costs(f"1 GB to {path.replace(self.id, 'ID')}", MOST_ADDED, lambda path=path: self.refused(
                    path, [head("POST", path, f"Content-Length: {1 << 30}"), *([piece] * 1024)]))

    def test_a_chunked_body_without_end(self):
        def endless(path):
            yield head("POST", path, "Transfer-Encoding: chunked")
            while True:
                yield b"10000\r\n" + b" " * 65536 + b"\r\n"

        def of_crumbs(path):
            yield head("POST", path, "Transfer-Encoding: chunked")
            while True:
                yield b"1;name=value\r\n \r\n" * 4096

        for path in self.routes:
            with self.subTest(path):
                self.costs(f"endless chunks to {path.replace(self.id, 'ID')}", MOST_ADDED, lambda path=path: self.refused(path, endless(path)))
        self.costs("endless chunks of a byte", MOST_ADDED, lambda: self.refused("", of_crumbs("/v2/attribute")))

    def test_a_small_body_that_inflates(self):
        bombs = {"gzip": gzip.compress(b" " * (200 * MB)), "deflate": zlib.compress(b" " * (200 * MB)),
                 # It begins as JSON does.
                 "gzip of a string": gzip.compress(b'{"observations":[{"message":"' + b"a" * (200 * MB))}
        for name, bomb in bombs.items():
            self.assertLess(len(bomb), 250_000)
            for path in self.routes if name == "gzip" else ["/v2/attribute"]:
                with self.subTest(name=name, path=path):
                    pieces = [head("POST", path, f"Content-Length: {len(bomb)}", f"Content-Encoding: {name.split()[0]}"), bomb]
                    self.costs(f"200 MB in {len(bomb) // 1000} kB of {name} to {path.replace(self.id, 'ID')}", MOST_ADDED,
                               lambda path=path, pieces=pieces: self.refused(path, pieces))

    def test_many_large_bodies_at_once(self):
        """Bodies that are allowed, from 40 clients: more than may be in flight together."""
        body = b'{"observations":[' + b" " * (15 * MB) + b"]}"
        statuses = []

        def attack():
            def one():
                answer, _ = exchange(self.server, [head("POST", "/v2/attribute", f"Content-Length: {len(body)}"), body])
                statuses.append(status_of(answer))
            threads = [threading.Thread(target=one) for _ in range(40)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        self.costs("40 bodies of 15 MB at once", 3 * MOST_ADDED, attack)
        self.assertEqual(len(statuses), 40)
        self.assertLessEqual(set(statuses), {200, 422, 429}, statuses)

    def test_trees_that_are_larger_than_their_text(self):
        """JSON within the limit of a body of which a parser might make much more."""
        size = 15 * MB if not SANITIZED else MB
        trees = {"empty lists": b"[" + b"[]," * (size // 3) + b"[]]", "nesting": b"[" * size, "numbers": b"[" + b"1," * (size // 2) + b"1]",
                 "names": b"{" + b",".join(b'"%d":0' % n for n in range(size // 15)) + b"}",
                 "observations": b'{"schema":"attrib.evidence/1","observations":[' + b"{}," * (size // 3) + b"{}]}",
                 "members": b"{" + b'"":0,' * (size // 5) + b'"":0}', "one name": b'{"' + b"a" * size + b'":1}',
                 "escapes": b'{"a":"' + b"\\u0041" * (size // 6) + b'"}'}
        for name, tree in trees.items():
            for path in ("/v2/attribute", "/latest/attributor", f"/latest/attributor/{self.id}/observation"):
                with self.subTest(name=name, path=path):
                    pieces = [head("POST", path, f"Content-Length: {len(tree)}"), tree]
                    self.costs(f"{name} to {path.replace(self.id, 'ID')}", 3 * MOST_ADDED, lambda path=path, pieces=pieces: self.refused(
                        path, pieces, (200, 201, 400, 413, 422)))

    # Slowness.

    def test_drips_leave_others_undisturbed(self):
        """300 clients send a byte a second, in the head or in the body; 200 others post meanwhile."""
        stop = threading.Event()
        text = json.dumps(v2_body()).encode()
        path = f"/v2/attributors/{self.id}/observations"
        times = {"alone": self.posts(200, 10)}
        slow = [socket.create_connection((self.server.host, self.server.port), WAIT) for _ in range(300)]
        for number, each in enumerate(slow):
            if number % 2:
                each.sendall(head("POST", path, f"Content-Length: {len(text)}"))

        def drip():
            at = 0
            while not stop.wait(1):
                for number, each in enumerate(slow):
                    source = text if number % 2 else head("POST", path, "X-Slow: " + "x" * 4000)
                    try:
                        each.send(source[at:at + 1])
                    except OSError:
                        pass  # Its time was up.
                at += 1

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            time.sleep(2.5)
            times["beside 300 drips"] = self.posts(200, 10)
        finally:
            stop.set()
            dripping.join()
            for each in slow:
                each.close()
        for title, seconds in times.items():
            seconds.sort()
            self.assertEqual(len(seconds), 2000)
            print(f"2000 posts of 200 clients, {title}: p50 {1000 * seconds[1000]:.0f} ms, p99 {1000 * seconds[1980]:.0f} ms", flush=True)
        self.lives()

    def posts(self, clients, each):
        """Seconds of each post; all must be answered with 2xx."""
        times, wrong = [], []
        path = f"/v2/attributors/{self.id}/observations"

        def client(number):
            connection = self.server.connect(WAIT)
            try:
                for at in range(each):
                    body = json.dumps(v2_body(1 + (number + at) % 5)).encode()
                    begun = time.monotonic()
                    connection.request("POST", path, body=body, headers={"Content-Type": "application/json"})
                    answer = connection.getresponse()
                    answer.read()
                    times.append(time.monotonic() - begun)
                    if answer.status not in (200, 201):
                        wrong.append(answer.status)
            except (OSError, http.client.HTTPException) as failure:
                wrong.append(repr(failure))
            finally:
                connection.close()

        threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        return times

    # What is no HTTP.

    def test_garbage(self):
        rng = random.Random(SEED)
        good = head("GET", "/healthz")
        wrong = {
            "noise": [rng.randbytes(5000) for _ in range(30)],
            "noise in lines": [rng.randbytes(100) + b"\r\n\r\n" for _ in range(30)],
            "a request line": [b"GET\r\n\r\n", b"GET /healthz\r\n\r\n", b"GET  HTTP/1.1\r\n\r\n", b"GET /healthz HTTP/9.9\r\n\r\n", b"\r\n\r\n\r\n\r\n",
                               b"GET /healthz HTTP/1.1 more\r\n\r\n", b"G\0T /healthz HTTP/1.1\r\n\r\n", b"GET /he\0althz HTTP/1.1\r\n\r\n"],
            "a path": [head("GET", path) for path in ("healthz", "*", "/%", "/%zz", "/%00", "/..%2f..%2fetc/passwd", "/../../etc/passwd",
                                                      "/" + "a" * 9000, "/v2/attributors/" + "a" * 5000, "/v2/attributors/%ff%fe",
                                                      "/v2/attributors//observations", "/v2/attributors/'; DROP TABLE session; --", "http://elsewhere/x")],
            "a header": [head("GET", "/v2/nothing", line) for line in ("no colon", ": no name", "Name : space", "A: " + "b" * 20000, "A: \0", "Content-Length: -1",
                         "Content-Length: 1x", "Content-Length: 99999999999999999999999", "Transfer-Encoding: other")],
            "two lengths": [head("POST", "/v2/attribute", "Content-Length: 5", "Content-Length: 6") + b"{}   ",
                            head("POST", "/v2/attribute", "Content-Length: 2", "Transfer-Encoding: chunked") + b"zz\r\n"],
            "a chunk": [head("POST", "/v2/attribute", "Transfer-Encoding: chunked") + chunk for chunk in
                        (b"zz\r\n", b"-1\r\n", b"ffffffffffffffffff\r\n", b"5\r\nabcdeX\r\n", b"\r\n\r\n")],
            "a method": [head(method, "/v2/attribute") for method in ("BREW", "CONNECT", "TRACE", "OPTIONS", "PRI")],
            "another protocol": [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0" * 100, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(508),
                                 b"SSH-2.0-OpenSSH_9.2p1\r\n" + b"\r\n", b"EHLO here\r\n\r\n"],
        }
        for kind, requests in wrong.items():
            for request in requests:
                with self.subTest(kind, request=request[:80]):
                    # A client that has no more to say: what waits for more of it ends too.
                    answer = self.spoken_out(request)
                    status = status_of(answer)
                    self.assertTrue(answer == b"" or status is not None and 400 <= status < 500 or status in (501, 505), answer[:200])
        self.assertEqual(status_of(exchange(self.server, [good])[0]), 200)
        self.lives()

    def spoken_out(self, request):
        """Everything that is answered to a client that sends `request` and then nothing more."""
        with socket.create_connection((self.server.host, self.server.port), WAIT) as to:
            got = b""
            try:
                to.sendall(request)
                to.shutdown(socket.SHUT_WR)
                while more := to.recv(65536):
                    got += more
            except ConnectionError:
                pass  # A reset is an end too.
            return got

    def test_half_requests(self):
        """Every kind of end at many places of a good request."""
        path = f"/v2/attributors/{self.id}/observations"
        text = json.dumps(v2_body()).encode()
        whole = head("POST", path, f"Content-Length: {len(text)}") + text
        zipped = gzip.compress(text)
        packed = head("POST", path, f"Content-Length: {len(zipped)}", "Content-Encoding: gzip") + zipped
        chunked = head("POST", path, "Transfer-Encoding: chunked") + b"%x\r\n" % len(text) + text + b"\r\n0\r\n\r\n"
        held = []
        for request in (whole, packed, chunked):
            for at in sorted({*range(0, len(request), 37), len(request) - 1}):
                for how in ("close", "reset", "shutdown", "hold"):
                    to = socket.create_connection((self.server.host, self.server.port), WAIT)
                    to.sendall(request[:at])
                    if how == "hold":
                        held.append(to)
                        continue
                    if how == "reset":
                        to.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    if how == "shutdown":
                        to.shutdown(socket.SHUT_WR)
                        try:
                            answer = to.recv(65536)
                        except ConnectionError:
                            answer = b""
                        status = status_of(answer)
                        self.assertTrue(answer == b"" or 400 <= status < 500, answer[:200])
                    to.close()
        self.assertGreater(len(held), 20)
        status, session = self.server.ask_json("GET", f"/v2/attributors/{self.id}")
        self.assertEqual((status, session["posts"]), (200, 0), "half a post was taken")
        self.lives()
        for each in held:
            each.close()
        # And answers that nobody takes.
        for _ in range(50):
            to = socket.create_connection((self.server.host, self.server.port), WAIT)
            to.sendall(head("GET", "/v2/openapi.json") * 20)
            to.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            to.close()
        self.lives()

    # What is no JSON, or not the JSON that is asked for.

    def test_bad_json(self):
        bad = {b"": "empty", b" ": "blank", b"{": "open", b"}": "closed", b"{]": "crossed", b'{"a"': "no value", b'{"a":}': "value missing", b'{"a":1,}': "comma",
               b"{'a':1}": "quotes", b'{a:1}': "no quotes", b"nul": "half a word", b"NaN": "NaN", b'{"a":NaN}': "NaN inside", b'{"a":Infinity}': "infinity",
               b'{"a":01}': "zero first", b'{"a":+1}': "plus", b'{"a":.5}': "no digit", b'{"a":1.}': "no digit after", b'{"a":0x1}': "hex", b'{"a":"\n"}': "raw newline",
               b'{"a":"\\x"}': "escape", b'{"a":"\\u12"}': "short escape", b'{"a":1}}': "too much", b'{"a":1} {': "one more", b"\xef\xbb\xbf{": "mark",
               b'{"a":"': "open string", b"\0": "nul", b"{\0}": "nul inside", b"\xff\xfe{\0}\0": "UTF-16", b"<xml/>": "XML", b"[" * 100_000: "deep", b'{"a":' * 100_000: "deep objects",
               b"[" * 100 + b"]" * 100: "deep and closed", b"null": "null", b"true": "true", b"1": "number", b'"text"': "text", b"[]": "list", b"[1]": "list of a number",
               b"// no\n{": "comment"}
        for path in self.routes:
            for body, name in bad.items():
                if path == "/v2/attributors" and not body.strip():
                    continue  # As good as {}.
                with self.subTest(path, name=name):
                    self.is_refused(path, body)
        self.is_refused("/v2/attribute", b"{}", (415,), {"Content-Type": "image/png"})
        self.lives()

    def is_refused(self, path, body, statuses=range(400, 500), headers=None):
        status, got, answer = self.server.ask("POST", path, body, {"Content-Type": "application/json", **(headers or {})})
        self.assertIn(status, statuses, (path, body[:100], answer[:300]))
        problem = json.loads(answer)
        self.assertIsInstance(problem, dict)
        self.assertTrue(got.get("content-type", "").startswith("application/"), got)
        self.assertLess(len(answer), 4000)  # What was sent is not thrown back.

    def test_wrong_types_everywhere(self):
        """Every value of a good body is replaced by one of each other kind: never more than a 4xx."""
        others = (None, True, -1, 1.5, 1e308, 10 ** 30, "", "x" * 1000, "\udc80", [], [[]], {}, {"x": {}}, ["a", 1, None])
        bodies = {**self.routes}
        for path, good in list(bodies.items()) + [(f"/latest/attributor/{self.id}/observation", v1_metrics())]:
            counts = {}
            for body in self.changed(good, others):
                status, _, answer = self.server.ask("POST", path, json.dumps(body).encode(), {"Content-Type": "application/json"})
                counts[status] = counts.get(status, 0) + 1
                self.assertTrue(status in (200, 201) or 400 <= status < 500, (path, body, answer[:300]))
            self.assertTrue(any(400 <= status < 500 for status in counts), (path, counts))
        inner = json.loads(v1_body()["body"])
        for streams in self.changed(inner, others):
            body = {**v1_body(), "body": json.dumps(streams)}
            status, _, answer = self.server.ask("POST", f"/latest/attributor/{self.id}/observation", body)
            self.assertTrue(status == 200 or 400 <= status < 500, (body, answer[:300]))
        self.lives()

    def changed(self, value, others):
        """`value` with one place in it replaced, for every place."""
        yield from others
        if isinstance(value, dict):
            for name, inner in value.items():
                yield {other: each for other, each in value.items() if other != name}
                for each in self.changed(inner, others):
                    yield {**value, name: each}
        elif isinstance(value, list):
            for at, inner in enumerate(value[:1]):
                for each in self.changed(inner, others):
                    yield value[:at] + [each] + value[at + 1:]

    def test_mutations(self):
        """Good requests with bytes changed, left out, doubled: any answer but a failure of ours."""
        rng = random.Random(SEED + 1)
        for path, good in self.routes.items():
            text = json.dumps(good).encode()
            for _ in range(150):
                body = bytearray(text)
                for _ in range(rng.randint(1, 4)):
                    at = rng.randrange(len(body))
                    what = rng.randrange(4)
                    if what == 0:
                        body[at] = rng.randrange(256)
                    elif what == 1:
                        del body[at:at + rng.randint(1, 20)]
                    elif what == 2:
                        body[at:at] = body[at:at + rng.randint(1, 50)]
                    else:
                        body[at:at] = rng.choice((b"\0", b'"', b"\\", b"{", b"]", b"\xff", b"null", b"1e9999", b"\\ud800"))
                    if not body:
                        body = bytearray(b"{")
                status, _, answer = self.server.ask("POST", path, bytes(body), {"Content-Type": "application/json"})
                self.assertTrue(status in (200, 201) or 400 <= status < 500, (path, bytes(body), answer[:300]))
        self.lives()

    def test_bad_compression(self):
        text = json.dumps(v2_body()).encode()
        packed = gzip.compress(text)
        broken = bytearray(packed)
        broken[len(broken) // 2] ^= 0xff
        for name, body, encoding in (("cut", packed[:-10], "gzip"), ("broken", bytes(broken), "gzip"), ("noise", os.urandom(100), "gzip"), ("empty", b"", "gzip"),
                                     ("a wrong sum", packed[:-8] + b"\0" * 8, "gzip"), ("more behind", packed + b"more", "gzip"), ("plain", text, "gzip"),
                                     ("plain", text, "deflate"), ("unknown", text, "br"), ("twice", gzip.compress(packed), "gzip, gzip"), ("unknown", text, "zstd")):
            with self.subTest(name, encoding=encoding):
                self.is_refused("/v2/attribute", body, headers={"Content-Encoding": encoding})
        self.lives()


def main():
    global BIN, FLEET, SANITIZED, SEED
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--fleet", required=True)
    parser.add_argument("--sanitized", action="store_true", help="memory is not judged")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments, rest = parser.parse_known_args()
    BIN, FLEET, SANITIZED, SEED = arguments.bin, arguments.fleet, arguments.sanitized, arguments.seed
    print(f"seed {SEED}", flush=True)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
