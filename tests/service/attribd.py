"""Starts attribd for tests: on loopback, on a free port, with a database of its own."""

import http.client
import json
import os
import signal
import subprocess
import tempfile
import threading

START_SECONDS = 60  # Of a program under sanitizers on a busy machine.


class Attribd:
    """A running attribd. `with Attribd(binary, program) as server: ...` kills it at the end."""

    def __init__(self, binary, program, *more, directory=None, database=None, environment=None):
        self.directory = directory or tempfile.mkdtemp(prefix="attribd-")
        self.database = database or os.path.join(self.directory, "attrib.db")
        self.command = [binary, "--program", program, "--db", self.database,
                        "--listen", "127.0.0.1:0", "--log-format", "json", *more]
        self.environment = {**os.environ, **(environment or {})}
        self.process = None
        self.log = []  # Lines of standard error so far.

    def start(self):
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE, env=self.environment)
        listening = threading.Event()
        process = self.process

        def read():
            for line in process.stderr:
                text = line.decode("utf-8", "replace").rstrip("\n")
                self.log.append(text)
                try:
                    event = json.loads(text)
                except ValueError:
                    continue
                if event.get("event") == "listening":
                    self.host, port = event["address"].rsplit(":", 1)
                    self.port = int(port)
                    listening.set()
            listening.set()

        self.port = None
        self.reader = threading.Thread(target=read, daemon=True)
        self.reader.start()
        listening.wait(START_SECONDS)
        if self.port is None:
            self.kill()
            raise RuntimeError("attribd did not start:\n" + "\n".join(self.log[-20:]))
        return self

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, seconds=60):
        code = self.process.wait(seconds)
        self.reader.join(seconds)
        return code

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def stop(self):
        """Asks it to end; gives the exit code."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.kill()

    def connect(self, seconds=120):
        return http.client.HTTPConnection(self.host, self.port, timeout=seconds)

    def ask(self, method, path, body=None, headers=None):
        """One request on a connection of its own: (status, headers, body as bytes)."""
        connection = self.connect()
        try:
            if isinstance(body, (dict, list)):
                body = json.dumps(body).encode()
                headers = {"Content-Type": "application/json", **(headers or {})}
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def ask_json(self, method, path, body=None, headers=None):
        status, _, text = self.ask(method, path, body, headers)
        return status, json.loads(text)
