#!/usr/bin/env python3
"""Writes a log as large training jobs leave it, the same bytes for the same arguments.

    bench/make_log.py --mb 1000 --signal 0.001 --out train.log [--ndjson train.ndjson] [--seed 7] [--nodes 128]

Lines come from bench/ordinary_lines.txt and, for the share --signal of them, from bench/signal_lines.txt. About 3 % of the
ordinary lines hold words of failures and are none. --ndjson writes the same lines as observations, one a line.
"""
import argparse
import datetime
import json
import pathlib
import random
import re

HOLE = re.compile(r"\{\{|\}\}|\{([a-z]+)(?::([^{}]*(?:\{bar\}[^{}]*)*))?\}")
HERE = pathlib.Path(__file__).resolve().parent
START = datetime.datetime(2026, 5, 18, 8, 0, 0, tzinfo=datetime.timezone.utc).timestamp()


class Log:
    """Where and when the next line is printed."""

    def __init__(self, seed, nodes):
        self.random = random.Random(seed)
        self.nodes = [f"gpu-a{n // 32:02d}-{n % 32:03d}" for n in range(nodes)]
        self.ranks = 8 * nodes
        self.at = START
        self.step = 1200

    def move(self):
        self.at += self.random.random() * 0.01
        self.rank = int(self.random.random() * self.ranks)
        self.node = self.nodes[self.rank // 8]

    def when(self):
        return datetime.datetime.fromtimestamp(self.at, datetime.timezone.utc)


def between(log, low, high):
    return low + int(log.random.random() * (high - low + 1))


def advance(log, width):
    log.step += 1
    return str(log.step).rjust(int(width or 1))


def a_number(argument):
    low, high = (int(x) for x in argument.split(":"))
    return lambda log: str(between(log, low, high))


def a_decimal(argument):
    low, high, places = argument.split(":")
    low, high, form = float(low), float(high), f"%.{places}f"
    return lambda log: form % (low + log.random.random() * (high - low))


def one_of(argument):
    words = [w.replace("{bar}", "|") for w in argument.split("|")]
    return lambda log: log.random.choice(words)


HOLES = {
    "node": lambda _: lambda log: log.node,
    "rank": lambda _: lambda log: str(log.rank),
    "iter": lambda width: lambda log: advance(log, width),
    "step": lambda _: lambda log: str(log.step),
    "int": a_number,
    "dec": a_decimal,
    "of": one_of,
    "hex": lambda digits: lambda log: "%0*x" % (int(digits), log.random.getrandbits(4 * int(digits))),
    "ip": lambda _: lambda log: f"10.{between(log, 0, 3)}.{between(log, 0, 255)}.{between(log, 1, 254)}",
    "pci": lambda _: lambda log: "0000:%s:00" % log.random.choice(("1b", "43", "52", "61", "9d", "c3", "d1", "df")),
    "iso": lambda _: lambda log: log.when().strftime("%Y-%m-%d %H:%M:%S"),
    "ms": lambda _: lambda log: log.when().isoformat(timespec="milliseconds")[:-6],
    "syslog": lambda _: lambda log: log.when().strftime("%b %e %H:%M:%S"),
    "glog": lambda _: lambda log: log.when().strftime("%m%d %H:%M:%S.%f"),
    "up": lambda _: lambda log: "%.6f" % (log.at - START + 86400),
}


def shape(text):
    """The fixed texts and the makers of the holes between them."""
    parts, at = [], 0
    for hole in HOLE.finditer(text):
        parts.append(text[at:hole.start()])
        at = hole.end()
        if hole.group(0) in ("{{", "}}"):
            parts[-1] += hole.group(0)[0]
        else:
            parts.append(HOLES[hole.group(1)](hole.group(2)))
    parts.append(text[at:])
    return parts


def shapes(path):
    """(source, parts) of each line of the file, as often as its weight says."""
    out = []
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            weight, source, text = line.split(" ", 2)
            out += [(source, shape(text))] * int(weight)
    return out


def fill(log, parts):
    return "".join(part if isinstance(part, str) else part(log) for part in parts)


def as_json(log, source, text):
    observation = {"ts": log.when().isoformat(timespec="milliseconds").replace("+00:00", "Z"), "source": source, "node": log.node}
    if source == "app":
        observation["rank"] = log.rank
    observation["message"] = text
    return json.dumps(observation, separators=(",", ":"), ensure_ascii=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=float, default=100)
    parser.add_argument("--signal", type=float, default=0.001)
    parser.add_argument("--out", required=True)
    parser.add_argument("--ndjson")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--nodes", type=int, default=128)
    options = parser.parse_args()
    ordinary, signal = shapes(HERE / "ordinary_lines.txt"), shapes(HERE / "signal_lines.txt")
    log = Log(options.seed, options.nodes)
    left, lines, signals = int(options.mb * 1e6), 0, 0
    ndjson = open(options.ndjson, "w") if options.ndjson else None
    with open(options.out, "w") as out:
        while left > 0:
            log.move()
            from_signals = log.random.random() < options.signal
            source, parts = log.random.choice(signal if from_signals else ordinary)
            text = fill(log, parts)
            left -= out.write(text + "\n")
            lines += 1
            signals += from_signals
            if ndjson:
                ndjson.write(as_json(log, source, text) + "\n")
    print(f"{options.out}: {lines} lines, {signals} of them signals")


if __name__ == "__main__":
    main()
