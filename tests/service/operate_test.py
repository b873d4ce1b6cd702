#!/usr/bin/env python3
"""attribd as its operators meet it: settings, tokens, TLS, metrics, logs, signals, backups.

    operate_test.py --bin build/release/bin --fleet build/release/fleet.rbc [TEST...]
"""

import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import prometheus_text
from attribd import Attribd

ROOT = pathlib.Path(__file__).resolve().parents[2]
WAIT = 60  # Seconds for something that takes none: a machine may be slow, and then the test is.
BIN = FLEET = None

def eventually(what, *arguments):
    """What `what` gives once it gives something."""
    until = time.monotonic() + WAIT
    while True:
        value = what(*arguments)
        if value:
            return value
        if time.monotonic() > until:
            raise AssertionError(f"{what} did not come true")
        time.sleep(0.02)


def run(*arguments, environment=None, **more):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ATTRIBD_")}
    return subprocess.run([BIN / "attribd", *map(str, arguments)], capture_output=True, text=True, timeout=WAIT,
                          env={**clean, **(environment or {})}, **more)


class Test(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="attribd-operate-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, text, mode=0o600):
        path = self.folder / name
        beside = self.folder / (name + ".new")
        beside.write_text(text)
        beside.chmod(mode)
        beside.rename(path)  # As operators should: nobody sees half of it.
        return path

    def attribd(self, *more, program=None, **named):
        server = Attribd(str(BIN / "attribd"), str(program or FLEET), *map(str, more), directory=str(self.folder), **named)
        self.addCleanup(server.kill)
        return server.start()

    def token(self, name, scopes):
        """(the token, its entry)"""
        made = run("token", "--name", name, "--scopes", scopes)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stderr.split()[-1], made.stdout

    def logged(self, server, event, count=1):
        """The log's lines of this event, once there are `count`."""
        def found():
            lines = [json.loads(line) for line in list(server.log) if line.startswith("{")]
            lines = [line for line in lines if line["event"] == event]
            return lines if len(lines) >= count else None
        return eventually(found)

    def metrics(self, server, **headers):
        status, got, page = server.ask("GET", "/metrics", headers=headers)
        self.assertEqual(status, 200)
        self.assertTrue(got["content-type"].startswith("text/plain; version=0.0.4"), got["content-type"])
        return prometheus_text.parse(page.decode())

    def create(self, server, name="job-1", headers=None, **metadata):
        status, got = server.ask_json("POST", "/latest/attributor",
                                      {"workload": {"id": name, "type": "slurm"}, "metadata": metadata}, headers)
        self.assertIn(status, (200, 201), got)
        return got["attributor_id"]

    def observation(self, text="an ordinary line"):
        line = {"body": text, "severity": "err", "attributes": {"hostname": "node-a", "appname": "kernel"}, "resources": {}}
        streams = [{"stream": {"job": "syslog", "app": "kernel", "hostname": "node-a"},
                    "values": [["1700000000000000000", json.dumps(line)]]}]
        return {"context": {"source": "syslog", "format": "raw_loki_streams"}, "body": json.dumps(streams)}

    def post(self, server, session, text="an ordinary line", headers=None):
        return server.ask_json("POST", f"/latest/attributor/{session}/observation", self.observation(text), headers)


class Settings(Test):
    def test_a_flag_wins_over_the_environment_that_over_the_file_that_over_the_default(self):
        config = self.write("attribd.toml", 'program = "fleet.rbc"\ndb = "a.db"\n[limits]\nbody = "1MiB"\nsessions = 5\n'
                                            'connections = 6\n[rulesets]\nslow = "/slow.rbc"\n')
        done = run("--config", config, "--print-config", "--limits-body", "3MiB", "--db", "/x/flag.db",
                   environment={"ATTRIBD_LIMITS_BODY": "2MiB", "ATTRIBD_LIMITS_SESSIONS": "7", "ATTRIBD_LISTEN": "[::1]:1, localhost:2"})
        self.assertEqual(done.returncode, 0, done.stderr)
        value = tomllib.loads(done.stdout)
        self.assertEqual(value["limits"]["body"], "3MiB")
        self.assertEqual(value["limits"]["sessions"], 7)
        self.assertEqual(value["limits"]["connections"], 6)
        self.assertEqual(value["limits"]["requests"], 20000)
        self.assertEqual(value["listen"], ["[::1]:1", "localhost:2"])
        self.assertEqual(value["db"], "/x/flag.db")
        self.assertEqual(value["program"], str(self.folder / "fleet.rbc"))
        self.assertEqual(value["rulesets"], {"slow": "/slow.rbc"})
        for line in ('body = "3MiB"  # --limits-body', "sessions = 7  # ATTRIBD_LIMITS_SESSIONS",
                     f"connections = 6  # {config}:6", "requests = 20000  # default", 'db = "/x/flag.db"  # --db'):
            self.assertIn("\n" + line + "\n", "\n" + done.stdout)
        # What is printed is a file that means the same.
        again = run("--config", self.write("printed.toml", done.stdout), "--print-config")
        self.assertEqual(tomllib.loads(again.stdout), value)

    def test_the_file_may_be_named_by_the_environment(self):
        config = self.write("attribd.toml", "[limits]\nsessions = 5\n")
        done = run("--print-config", environment={"ATTRIBD_CONFIG": str(config)})
        self.assertEqual(tomllib.loads(done.stdout)["limits"]["sessions"], 5)

    def test_bad_settings_end_with_their_place_and_a_hint(self):
        files = {
            "db = \n": ":1:", 'dbb = "x"\n': ":1:1: no setting is named `dbb`; did you mean `db`?",
            '[limits]\nbody = "lots"\n': ":2:8: `limits.body` is `lots`, expected a size such as 16MiB",
            'listen = ["nowhere"]\n': "has no port; write HOST:PORT", "a" * 2_000_000: "is larger than",
            "db = 3\n": ":1:6: `db` is an integer, expected a string with a path", '\x00': ":1:",
        }
        for text, said in files.items():
            done = run("--config", self.write("bad.toml", text), "--program", FLEET, "--db", self.folder / "a.db")
            self.assertEqual(done.returncode, 2, text[:40])
            self.assertIn(str(self.folder / "bad.toml"), done.stderr)
            self.assertIn(said, done.stderr)
        done = run("--config", self.folder / "none.toml")
        self.assertEqual((done.returncode, "none.toml: cannot open" in done.stderr), (2, True))
        for flags, environment, said in (
                (["--limits-body", "lots"], {}, "--limits-body is `lots`"),
                ([], {"ATTRIBD_LIMITS_BODY": "lots"}, "ATTRIBD_LIMITS_BODY is `lots`"),
                (["--no-such-flag"], {}, "--no-such-flag"), (["--db", "a", "--db", "b"], {}, "--db"),
                (["--limits-body"], {}, "--limits-body"), (["nonsense"], {}, "nonsense")):
            done = run(*flags, environment=environment)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(said, done.stderr + done.stdout)

    def refused(self, *flags, said, environment=None):
        for command in ([], ["check-config"]):
            done = run(*command, *flags, environment=environment)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)

    def test_what_is_missing_contradictory_or_unsafe_is_refused(self):
        db = self.folder / "a.db"
        given = ["--program", FLEET, "--db", db]
        self.refused("--db", db, said="no program: give --program")
        self.refused("--program", FLEET, said="no database: give --db")
        self.refused(*given, "--rulesets", f"default={FLEET}", said="two programs for the ruleset `default`")
        self.refused(*given, "--limits-body", "1GiB", said="`limits.body` (1GiB, --limits-body) is more than")
        self.refused("--program", self.folder / "none.rbc", "--db", db, said="none.rbc: cannot open")
        self.refused("--program", self.write("bad.rbc", "no program"), "--db", db, said="bad.rbc: ")
        self.refused("--program", FLEET, "--db", self.folder / "none" / "a.db", said=str(self.folder / "none"))
        for address in ("0.0.0.0:0", "[::]:0", "10.0.0.1:0"):
            self.refused(*given, "--listen", address, said="there is no token file")
        self.refused(*given, "--tls-key", "x", said="`tls.key` without `tls.certificate`")
        self.refused(*given, "--tls-certificate", "x", said="`tls.certificate` without `tls.key`")
        self.refused(*given, "--tokens", self.folder / "none.toml", said="none.toml: cannot open")
        for address in ("127.0.0.1:0", "0.0.0.0:0"):
            self.refused(*given, "--listen", address, "--tokens", self.write("empty.toml", ""),
                         said="empty.toml: holds no token")
        _, entry = self.token("a", "read")
        self.refused(*given, "--tokens", self.write("t.toml", entry + "colour = 3\n"),
                     said="t.toml:5:1: no key of a token is named `colour`")
        self.refused(*given, "--tokens", self.write("w.toml", entry, mode=0o622), said="chmod go-w")
        self.assertFalse(db.exists())
        self.refused(*given, "--tls-certificate", self.write("c.pem", "no certificate"), "--tls-key",
                     self.write("k.pem", "no key"), said="pem")
        self.refused(*given, "--tls-certificate", "c.pem", "--tls-key", self.write("open.pem", "no key", mode=0o644),
                     said="chmod go-w,o-r")

    def test_check_config_names_programs_and_opens_nothing(self):
        done = run("check-config", "--program", FLEET, "--db", self.folder / "a.db", "--listen", "127.0.0.1:1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\Adefault sha256:[0-9a-f]{64}\ngood: 1 programs, 0 tokens\n\Z")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_packaged_file_is_good(self):
        _, entry = self.token("a", "read")
        done = run("check-config", "--config", ROOT / "packaging" / "attribd.toml", "--program", FLEET, "--db",
                   self.folder / "a.db", "--tokens", self.write("tokens.toml", entry))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("good: 1 programs, 1 tokens", done.stdout)

    def test_unknown_variables_are_only_warned_of(self):
        server = self.attribd(environment={"ATTRIBD_PORT": "tcp://10.0.0.1:80"})
        self.assertEqual(self.logged(server, "unknown_variable")[0]["name"], "ATTRIBD_PORT")

    def test_version_help_and_completion(self):
        self.assertRegex(run("--version").stdout, r"\Aattribd \d+\.\d+\.\d+\n\Z")
        help_text = run("--help").stdout
        for word in ("--limits-body", "--tls-certificate", "check-config", "token", "backup", "Exit codes"):
            self.assertIn(word, help_text)
        script = run("completion", "bash").stdout
        self.assertEqual(subprocess.run(["bash", "-n"], input=script, text=True).returncode, 0)
        completed = subprocess.run(
            ["bash", "-c", script + '\nCOMP_WORDS=(attribd --limits-b); COMP_CWORD=1; _attribd; echo "${COMPREPLY[@]}"'],
            capture_output=True, text=True)
        self.assertEqual(completed.stdout.split(), ["--limits-bodies", "--limits-body"], completed.stderr)


class Tokens(Test):
    def bearer(self, token):
        return {"Authorization": "Bearer " + token}

    def test_scopes_and_reloads(self):
        reader, read_entry = self.token("reader", "read")
        writer, write_entry = self.token("writer", "write")
        admin, admin_entry = self.token("root", "admin")
        path = self.write("tokens.toml", read_entry + write_entry + admin_entry)
        server = self.attribd("--tokens", path)
        session = self.create(server, headers=self.bearer(writer))

        def status(method, target, token=None):
            body = {"workload": {"id": "x"}, "metadata": {}} if target.endswith("attributor") else None
            return server.ask(method, target, body, self.bearer(token) if token else {})[0]

        read = ("GET", f"/latest/attributor/{session}/attribution")
        write = ("POST", "/latest/attributor")
        reload = ("POST", "/v2/admin/reload")
        for asked, allowed, refused in ((read, (reader, admin), (writer,)), (write, (writer, admin), (reader,)),
                                        (reload, (admin,), (reader, writer))):
            self.assertEqual(status(*asked), 401)
            self.assertEqual(status(*asked, "attribd_" + "0" * 64), 401)
            for token in refused:
                self.assertEqual(status(*asked, token), 403)
            for token in allowed:
                self.assertIn(status(*asked, token), (200, 201, 204))
        self.assertEqual(status("GET", "/healthz"), 200)
        self.assertEqual(status("GET", "/readyz"), 200)

        # By its change, without a signal: the reader goes, another comes.
        other, other_entry = self.token("other", "read")
        self.write("tokens.toml", other_entry + write_entry + admin_entry)
        eventually(lambda: status(*read, other) == 200)
        self.assertEqual(status(*read, reader), 401)
        self.assertEqual((self.logged(server, "tokens_read")[-1]["added"], self.logged(server, "tokens_read")[-1]["removed"]),
                         ("other", "reader"))

        # A bad one is told, once, and the old tokens stay.
        self.write("tokens.toml", "[[token]]\nname = 3\n")
        failed = self.logged(server, "reload_failed")
        self.assertIn("tokens.toml:2:8: a name is", failed[0]["error"])
        self.assertEqual(status(*read, other), 200)

        # So is an empty one, of an editor that truncates before it writes.
        self.write("tokens.toml", "")
        self.assertIn("tokens.toml: holds no token", self.logged(server, "reload_failed", 2)[-1]["error"])
        self.assertEqual(status(*read, other), 200)

        # By SIGHUP.
        self.write("tokens.toml", read_entry)
        server.signal(signal.SIGHUP)
        eventually(lambda: status(*read, reader) == 200)
        self.assertEqual(status(*read, other), 401)
        self.assertEqual(server.stop(), 0)
        text = "\n".join(server.log)
        for secret in (reader, writer, admin, other):
            self.assertNotIn(secret[8:], text)

    def test_a_changed_file_is_taken_without_a_signal_and_the_entry_of_a_token_can_be_appended(self):
        first, entry = self.token("first", "admin")
        path = self.write("tokens.toml", entry)
        server = self.attribd("--tokens", path, "--listen", "0.0.0.0:0")
        self.assertIn("unencrypted", self.logged(server, "unsafe")[0]["what"])
        second, entry = self.token("second", "read")
        with open(path, "a") as file:
            file.write(entry)
        eventually(lambda: server.ask("GET", "/metrics", headers=self.bearer(second))[0] == 200)

    def test_anonymous_requests_may_have_scopes(self):
        writer, entry = self.token("writer", "write")
        server = self.attribd("--tokens", self.write("tokens.toml", 'anonymous = ["read"]\n' + entry))
        self.metrics(server)
        self.assertEqual(server.ask("GET", "/metrics", headers=self.bearer("wrong"))[0], 401)
        self.assertEqual(server.ask_json("POST", "/latest/attributor", {"workload": {"id": "x"}})[0], 401)

    def test_bad_names_and_scopes_are_usage_errors(self):
        for flags in (["--name", "a b"], ["--name", ""], ["--name", "a", "--scopes", "reed"], []):
            done = run("token", *flags)
            self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)


class Tls(Test):
    def certificate(self, name, days=2):
        done = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                               "-nodes", "-days", str(days), "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1",
                               "-keyout", self.folder / "key.new", "-out", self.folder / "cert.new"], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "key.new").chmod(0o600)
        (self.folder / "key.new").rename(self.folder / "tls.key")
        (self.folder / "cert.new").rename(self.folder / "tls.crt")

    def past(self):
        """A certificate that ended long ago."""
        def openssl(*arguments):
            done = subprocess.run(["openssl", *arguments], capture_output=True, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.write("index.txt", "")
        self.write("ca.cnf", "[ca]\ndefault_ca = own\n[own]\ndatabase = index.txt\nnew_certs_dir = .\nrand_serial = yes\n"
                             "default_md = sha256\npolicy = any\n[any]\ncommonName = supplied\n")
        openssl("req", "-new", "-key", "tls.key", "-subj", "/CN=past", "-out", "past.csr")
        openssl("ca", "-batch", "-selfsign", "-config", "ca.cnf", "-keyfile", "tls.key", "-in", "past.csr", "-notext",
                "-out", "tls.crt", "-startdate", "20200101000000Z", "-enddate", "20200201000000Z")

    def context(self):
        return ssl.create_default_context(cafile=self.folder / "tls.crt")

    def ask(self, server, context):
        connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=WAIT)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status
        finally:
            connection.close()

    def test_a_certificate_is_swapped_by_sighup_and_a_bad_one_is_not(self):
        self.certificate("first")
        server = self.attribd("--tls-certificate", self.folder / "tls.crt", "--tls-key", self.folder / "tls.key")
        first = self.context()
        self.assertEqual(self.ask(server, first), 200)
        kept = http.client.HTTPSConnection("127.0.0.1", server.port, context=first, timeout=WAIT)
        kept.request("GET", "/healthz")
        kept.getresponse().read()

        self.certificate("second")
        server.signal(signal.SIGHUP)
        self.logged(server, "certificate_read")
        second = self.context()
        self.assertEqual(self.ask(server, second), 200)
        with self.assertRaises(ssl.SSLError):
            self.ask(server, first)
        kept.request("GET", "/healthz")  # A connection keeps the certificate with which it began.
        self.assertEqual(kept.getresponse().status, 200)
        kept.close()

        self.write("tls.crt", "no certificate")
        server.signal(signal.SIGHUP)
        self.assertEqual(self.logged(server, "reload_failed")[0]["what"], "tls")
        self.assertEqual(self.ask(server, second), 200)
        self.certificate("third")
        (self.folder / "tls.key").chmod(0o644)
        server.signal(signal.SIGHUP)
        self.assertIn("chmod go-w,o-r", self.logged(server, "reload_failed", 2)[1]["error"])
        self.assertEqual(self.ask(server, second), 200)
        with self.assertRaises((OSError, http.client.HTTPException)):  # No plain HTTP on this port.
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT)
            connection.request("GET", "/healthz")
            if connection.getresponse().status == 400:
                raise OSError("told so")
        self.assertEqual(server.stop(), 0)


    def test_a_certificate_that_is_not_valid_for_long_is_warned_of(self):
        files = ["--tls-certificate", self.folder / "tls.crt", "--tls-key", self.folder / "tls.key"]
        dates = r"valid from \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ to \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"

        def checked():
            done = run("check-config", "--program", FLEET, "--db", self.folder / "a.db", *files)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stderr
        self.certificate("long", days=60)
        self.assertEqual(checked(), "")
        server = self.attribd(*files)
        context = self.context()

        def end():
            connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=WAIT)
            connection.request("GET", "/metrics")
            page = prometheus_text.parse(connection.getresponse().read().decode())
            connection.close()
            return page["attribd_certificate_expiry_seconds"][()]
        self.assertAlmostEqual(end(), time.time() + 60 * 86400, delta=600)
        self.certificate("short", days=10)
        self.assertRegex(checked(), rf"\Aattribd: warning: \S+tls.crt: the certificate ends in \d+ days; it is {dates}")
        server.signal(signal.SIGHUP)
        context = self.context()
        self.assertRegex(self.logged(server, "certificate_ends")[0]["what"], rf"the certificate ends in \d+ days; it is {dates}")
        self.assertAlmostEqual(end(), time.time() + 10 * 86400, delta=600)
        self.assertEqual(server.stop(), 0)

        self.past()
        self.assertIn("tls.crt: the certificate has expired: clients refuse it; it is valid from 2020-01-01T00:00:00Z "
                      "to 2020-02-01T00:00:00Z", checked())
        server = self.attribd(*files)
        self.assertIn("has expired", self.logged(server, "certificate_ends")[0]["what"])
        self.assertEqual(server.stop(), 0)


class Observed(Test):
    def test_metrics_parse_and_move(self):
        server = self.attribd()
        before = self.metrics(server)
        session = self.create(server)
        self.assertEqual(before["attribd_sessions"][()], 0)
        for _ in range(3):
            self.assertIn(self.post(server, session)[0], (200, 201))
        for _ in range(2):
            self.assertEqual(server.ask("GET", f"/latest/attributor/{session}/attribution")[0], 200)
        server.ask("GET", "/no/such/thing/" + session)
        server.ask("GET", f"/latest/attributor/{'0' * 32}/attribution")
        after = self.metrics(server)

        def total(name, **labels):
            return sum(value for key, value in after.get(name, {}).items() if labels.items() <= dict(key).items())
        self.assertEqual(total("attribd_posts_total", result="stored"), 1)
        self.assertEqual(total("attribd_posts_total", result="copy"), 2)
        self.assertEqual(total("attribd_http_requests_total", method="POST"), 4)
        self.assertEqual(total("attribd_verdicts_total"), 1)
        self.assertEqual(total("attribd_verdicts_cached_total"), 1)
        self.assertEqual(after["attribd_sessions"][()], 1)
        self.assertGreaterEqual(after["attribd_store_commits_total"][()], 2)
        self.assertGreater(after["attribd_http_received_bytes_total"][()], 500)
        self.assertGreater(after["attribd_store_bytes"][()], 4096)
        self.assertGreater(after["process_resident_memory_bytes"][()], 1 << 20)
        self.assertGreaterEqual(after["attribd_http_connections"][()], 1)
        for samples in after.values():  # Never ids or paths.
            for labels in samples:
                self.assertNotIn(session, str(labels))
                self.assertNotIn("such", str(labels))
        # All that the page of settings and metrics names, and no more.
        page = (ROOT / "docs" / "attribd-settings.md").read_text()
        named = set(re.findall(r"^\| `((?:attribd|process)_\w+)` \|", page, re.M))
        text = server.ask("GET", "/metrics")[2].decode()
        self.assertEqual(named, set(re.findall(r"^# TYPE (\S+)", text, re.M)))

    def test_logs_are_json_lines_without_evidence_or_tokens(self):
        token, entry = self.token("writer", "admin")
        server = self.attribd("--log-level", "debug", "--tokens", self.write("tokens.toml", entry))
        marker = "MARKER-9f3a-of-evidence"
        headers = {"Authorization": "Bearer " + token, "X-Secret": marker, "User-Agent": marker}
        session = self.create(server, name=marker, headers=headers, cluster=marker)
        self.post(server, session, text="NVRM: Xid " + marker, headers=headers)
        bodies = (marker, "{" + marker, json.dumps({"body": marker}), json.dumps({"context": marker, "body": "[" + marker}),
                  json.dumps({"workload": {"id": [marker]}, "metadata": marker}))
        for target in ("/latest/attributor", f"/latest/attributor/{session}/observation", "/v2/attribute",
                       "/v2/attributors", f"/v2/attributors/{session}/observations"):
            for body in bodies:
                server.ask("POST", target, body.encode(), {**headers, "Content-Type": "application/json"})
        server.ask("GET", f"/latest/attributor/{session}/attribution?q={marker}", headers=headers)
        server.ask("GET", f"/v2/attributors/{session}/attribution", headers=headers)
        server.ask("GET", "/metrics", headers={"Authorization": "Bearer " + marker})
        server.ask("GET", "/metrics", headers={"Authorization": marker})
        with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as raw:
            raw.sendall(f"{marker} {marker}\r\n{marker}\r\n\r\n".encode())
            raw.recv(65536)
        server.ask("GET", "/v2/attributors/none", headers={"Authorization": "Bearer " + token})
        self.assertEqual(server.stop(), 0)
        refused = [each for each in map(json.loads, server.log) if each["event"] == "request" and each["status"] >= 400]
        self.assertGreater(len(refused), 5)
        for each in refused:
            self.assertTrue(each["reason"], each)
        self.assertEqual({each["token"] for each in refused}, {"", "writer"})
        self.assertEqual((refused[-1]["reason"], refused[-1]["client"], refused[-1]["token"]),
                         ("there is no such attributor, or it has expired", "127.0.0.1", "writer"))
        self.assertGreater(len(server.log), 5)
        for line in server.log:
            event = json.loads(line)
            self.assertRegex(event["ts"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\Z")
            self.assertIn(event["level"], ("debug", "info", "warning", "error"))
            self.assertNotIn(marker, line)
            self.assertNotIn(token[8:], line)

    def test_the_first_line_says_what_runs_and_where(self):
        server = self.attribd()
        line = self.logged(server, "listening")[0]
        self.assertEqual(line["address"], f"127.0.0.1:{server.port}")
        self.assertEqual(line["version"], run("--version").stdout.split()[1])
        self.assertIn(line["digest"], run("check-config", "--program", FLEET, "--db", self.folder / "x.db").stdout)
        self.assertEqual((line["tls"], line["tokens"], line["rulesets"]), (False, "none", 1))


    def test_too_few_descriptors_are_told(self):
        server = Attribd(str(BIN / "attribd"), str(FLEET), directory=str(self.folder))
        server.command = ["bash", "-c", 'ulimit -n 200 && exec "$@"', "bash", *server.command]
        self.addCleanup(server.kill)
        server.start()
        line = self.logged(server, "few_descriptors")[0]
        self.assertEqual((line["descriptors"], line["limits.connections"]), (200, 4096))

    def test_a_log_that_nobody_reads_does_not_stop_the_service(self):
        listening, log = os.pipe()
        process = subprocess.Popen([BIN / "attribd", "--program", FLEET, "--db", self.folder / "a.db", "--listen", "127.0.0.1:0",
                                    "--log-level", "debug", "--log-format", "json"], stderr=log)
        os.close(log)
        self.addCleanup(os.close, listening)
        self.addCleanup(process.kill)
        host, port = json.loads(os.read(listening, 4096).split(b"\n")[0])["address"].rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=WAIT)
        for _ in range(1000):  # A line each, more than a pipe holds.
            connection.request("GET", "/v2/attributors")
            self.assertEqual(connection.getresponse().read()[:1], b"{")
        connection.close()
        text = b""
        while b"log_lost" not in text:
            text += os.read(listening, 1 << 20)
            connection.request("GET", "/v2/attributors")
            connection.getresponse().read()
        connection.close()
        process.terminate()
        self.assertEqual(process.wait(WAIT), 0)


class Signals(Test):
    def begun(self, server, session):
        """A post of which the last byte is missing."""
        body = json.dumps(self.observation()).encode()
        raw = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT)
        raw.sendall(f"POST /latest/attributor/{session}/observation HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                    f"Content-Length: {len(body)}\r\n\r\n".encode() + body[:-1])
        return raw, body[-1:]

    def test_sigterm_answers_what_has_begun_and_takes_nothing_more(self):
        server = self.attribd()
        session = self.create(server)
        begun = [self.begun(server, session) for _ in range(20)]
        # All heads are in: the bodies are held.
        eventually(lambda: self.metrics(server)["attribd_http_body_bytes"][()] > 0)
        time.sleep(0.2)
        server.signal(signal.SIGTERM)
        self.logged(server, "draining")

        def refused():
            try:
                socket.create_connection(("127.0.0.1", server.port), timeout=WAIT).close()
                return False
            except OSError:
                return True
        eventually(refused)
        answers = []
        for raw, rest in begun:
            raw.sendall(rest)
        for raw, _ in begun:
            answer = http.client.HTTPResponse(raw)
            answer.begin()
            answers.append((answer.status, answer.read()[:1]))
        self.assertEqual({status // 100 for status, _ in answers}, {2}, answers)
        self.assertEqual(server.wait(), 0)
        self.assertTrue(json.loads(server.log[-1])["drained"])
        self.assertFalse(os.path.exists(server.database + "-wal"))  # All is in the file, whole.
        database = sqlite3.connect(server.database)
        self.addCleanup(database.close)
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))

    def test_under_load_every_answer_is_2xx_until_no_connection_is_taken(self):
        server = self.attribd()
        session = self.create(server)
        acknowledged, failures, halt = [], [], threading.Event()

        def load(thread):
            for number in range(100_000):
                if halt.is_set():
                    return
                name = f"{thread}-{number}"
                try:
                    connection = server.connect()
                    connection.connect()
                except OSError:
                    return  # It takes no more.
                try:
                    connection.request("POST", f"/latest/attributor/{session}/observation",
                                       json.dumps(self.observation(name)), {"Content-Type": "application/json"})
                    answer = connection.getresponse()
                    text = answer.read()
                    (acknowledged if answer.status // 100 == 2 else failures).append((name, answer.status, text[:200]))
                except (OSError, http.client.HTTPException):
                    return  # The connection was in the queue of the socket and closed with it: the request never began.
                finally:
                    connection.close()
        threads = [threading.Thread(target=load, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        eventually(lambda: len(acknowledged) > 50)
        server.signal(signal.SIGTERM)
        code = server.wait()
        halt.set()
        for thread in threads:
            thread.join()
        self.assertEqual((code, failures), (0, []))
        server = self.attribd(database=server.database)
        status, got = server.ask_json("GET", f"/v2/attributors/{session}")
        self.assertEqual(status, 200)
        self.assertGreaterEqual(got["posts"], len(acknowledged))

    def test_a_second_signal_ends_at_once(self):
        server = self.attribd("--timeouts-drain", "1h", "--timeouts-body", "1h")
        session = self.create(server)
        raw, _ = self.begun(server, session)
        eventually(lambda: self.metrics(server)["attribd_http_body_bytes"][()] > 0)
        server.signal(signal.SIGTERM)
        self.logged(server, "draining")
        self.assertIsNone(server.process.poll())
        server.signal(signal.SIGINT)
        self.assertEqual(server.wait(), 1)
        raw.close()

    def test_after_the_drain_time_the_rest_is_cut_off(self):
        server = self.attribd("--timeouts-drain", "100ms")
        session = self.create(server)
        raw, _ = self.begun(server, session)
        eventually(lambda: self.metrics(server)["attribd_http_body_bytes"][()] > 0)
        self.assertEqual(server.stop(), 1)
        self.assertFalse(json.loads(server.log[-1])["drained"])
        raw.close()

    def program(self, name, version):
        """A program of its own digest."""
        source = self.folder / f"source-{version}"
        source.mkdir()
        (source / "swap.rules").write_text(f"pack example.swap {version}\nlanguage 1\n")
        done = subprocess.run([BIN / "rulec", "build", source, "-o", self.folder / "new.rbc"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "new.rbc").rename(self.folder / name)
        return self.folder / name

    def digest(self, server, session):
        status, verdict = server.ask_json("GET", f"/v2/attributors/{session}/attribution")
        self.assertEqual(status, 200, verdict)
        return verdict["program"]["digest"]

    def test_sighup_swaps_programs_between_verdicts(self):
        program = self.program("swap.rbc", "1.0.0")
        server = self.attribd(program=program)
        session = self.create(server)
        first = self.digest(server, session)
        seen, halt = [], threading.Event()

        def ask():
            while not halt.is_set():
                seen.append(self.digest(server, session))
        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            digests = {first}
            for version in ("1.0.1", "1.0.2", "1.0.3"):
                self.program("swap.rbc", version)
                server.signal(signal.SIGHUP)
                changed = self.logged(server, "program_changed", int(version[-1]))[-1]
                self.assertIn(changed["before"], digests)
                self.assertNotIn(changed["after"], digests)
                digests.add(changed["after"])
                eventually(lambda: self.digest(server, session) == changed["after"])
        finally:
            halt.set()
            for thread in threads:
                thread.join()
        self.assertGreater(len(seen), 3)
        self.assertLessEqual(set(seen), digests)
        # What is no program keeps the old one.
        self.write("swap.rbc", "no program")
        server.signal(signal.SIGHUP)
        self.assertIn("swap.rbc: ", self.logged(server, "reload_failed")[0]["error"])
        self.assertEqual(self.digest(server, session), changed["after"])
        self.assertEqual(self.metrics(server)["attribd_program_loads_total"][(("result", "failed"), ("ruleset", "default"))], 1)
        status, _, text = server.ask("POST", "/v2/admin/reload")
        self.assertGreaterEqual(status, 400)
        self.program("swap.rbc", "1.0.4")
        self.assertIn(server.ask("POST", "/v2/admin/reload")[0], (200, 204))
        self.assertNotEqual(self.digest(server, session), changed["after"])

    def test_a_session_keeps_to_the_ruleset_it_named(self):
        other = self.program("other.rbc", "2.0.0")
        server = self.attribd("--rulesets", f"other={other}")
        digests = {self.digest(server, self.create(server, ruleset=name)) for name in ("default", "other")}
        self.assertEqual(len(digests), 2)

    def test_a_service_manager_is_told(self):
        heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(heard.close)
        heard.settimeout(WAIT)
        heard.bind(str(self.folder / "notify"))
        server = self.attribd(environment={"NOTIFY_SOCKET": str(self.folder / "notify")})
        self.assertEqual(heard.recv(4096).decode(), f"READY=1\nSTATUS=listening on 127.0.0.1:{server.port}")
        server.signal(signal.SIGHUP)
        self.assertRegex(heard.recv(4096).decode(), r"\ARELOADING=1\nMONOTONIC_USEC=\d+\Z")
        self.assertEqual(heard.recv(4096), b"READY=1")
        self.assertEqual(server.stop(), 0)
        self.assertEqual(heard.recv(4096), b"STOPPING=1")


class Database(Test):
    def test_a_second_attribd_on_the_same_file_is_refused(self):
        server = self.attribd()
        done = run("--program", FLEET, "--db", server.database, "--listen", "127.0.0.1:0")
        self.assertEqual(done.returncode, 2)
        self.assertIn(server.database, done.stderr)
        self.assertEqual(server.ask("GET", "/healthz")[0], 200)

    def test_a_port_that_is_taken_and_a_file_that_is_no_database_are_refused(self):
        server = self.attribd()
        done = run("--program", FLEET, "--db", self.folder / "b.db", "--listen", f"127.0.0.1:{server.port}")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"127.0.0.1:{server.port}", done.stderr)
        (self.folder / "d.db").mkdir()
        for name, text in (("c.db", "no database, but text " * 100), ("short.db", "x"), ("d.db", None)):
            if text:
                self.write(name, text, mode=0o666)
            for command in ([], ["check-config"]):
                before = set(self.folder.iterdir())
                done = run(*command, "--program", FLEET, "--db", self.folder / name, "--listen", "127.0.0.1:0")
                self.assertEqual(done.returncode, 2)
                # Neither advice on its permissions nor anything beside it.
                self.assertRegex(done.stderr, rf"\Aattribd: \S+{name}: not a store of attrib \(.*\)\n\Z")
                self.assertEqual(set(self.folder.iterdir()), before)

    def test_idle_sessions_expire(self):
        server = self.attribd("--sessions-idle", "1s")
        session = self.create(server)
        eventually(lambda: server.ask("GET", f"/v2/attributors/{session}")[0] == 404)
        self.logged(server, "expired")
        page = self.metrics(server)
        self.assertEqual(page["attribd_sessions_expired_total"][()], 1)
        self.assertEqual(page["attribd_sessions"][()], 0)

    def test_a_backup_is_whole_whether_or_not_attribd_runs_and_can_be_restored(self):
        server = self.attribd()
        session = self.create(server)
        self.post(server, session, "before the backup")
        done = run("backup", server.database, self.folder / "online.db")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.post(server, session, "after the backup")
        self.assertEqual(server.ask_json("GET", f"/v2/attributors/{session}")[1]["posts"], 2)
        server.kill()  # With a log that was not emptied.
        done = run("backup", server.database, self.folder / "offline.db")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, posts in (("online.db", 1), ("offline.db", 2)):
            self.assertEqual((self.folder / name).stat().st_mode & 0o777, 0o600)
            restored = self.attribd(database=str(self.folder / name))
            self.assertEqual(restored.ask_json("GET", f"/v2/attributors/{session}")[1]["posts"], posts)
            self.assertEqual(restored.stop(), 0)
        done = run("backup", server.database, self.folder / "online.db")
        self.assertEqual((done.returncode, "is there already" in done.stderr), (2, True))
        done = run("backup", self.folder / "none.db", self.folder / "x.db")
        self.assertEqual((done.returncode, "none.db" in done.stderr), (2, True))
        self.assertFalse((self.folder / "x.db").exists())
        done = run("backup", self.write("text", "no database" * 100), self.folder / "x.db")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(run("backup", server.database).returncode, 3)

    def test_the_database_is_for_its_owner_alone(self):
        server = self.attribd()
        for path in self.folder.glob("attrib.db*"):
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
        server.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--fleet", required=True, type=pathlib.Path)
    flags, rest = parser.parse_known_args()
    BIN, FLEET = flags.bin.resolve(), flags.fleet.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
