#!/usr/bin/env python3
"""Writes a log as large training jobs leave it, the same bytes for the same arguments.

    bench/make_log.py --mb 1000 --signal 0.001 --out train.log [--ndjson train.ndjson] [--rotated 3] [--seed 7] [--nodes 128]

Lines come from bench/ordinary_lines.txt and, for the share --signal of them, from bench/signal_lines.txt. About 3 % of the
ordinary lines hold words of failures and are none. --ndjson writes the same lines as observations, one a line.

The first --pool megabytes are all new. What follows repeats them with later stamps and steps, which is many times quicker to
write and reads no differently: no cache of a reader is as large. --rotated N cuts the text into N + 1 files as logrotate
leaves them: OUT.N.gz is the oldest, of several gzip members, OUT the newest.
"""
import argparse
import collections
import datetime
import gzip
import itertools
import json
import pathlib
import random
import re

HOLE = re.compile(r"\{\{|\}\}|\{([a-z]+)(?::([^{}]*(?:\{bar\}[^{}]*)*))?\}")
HERE = pathlib.Path(__file__).resolve().parent
START = datetime.datetime(2026, 5, 18, 8, 0, 0, tzinfo=datetime.timezone.utc).timestamp()

FIRST_STEP = 1200
COMMUNICATORS = 32
BLOCK = 1 << 20


# Ranks of the job, in the communicator's order, and for each the address of its own part.
Communicator = collections.namedtuple("Communicator", "ranks parts")


class Log:
    """Where and when the next line is printed."""

    def __init__(self, seed, nodes):
        self.random = random.Random(seed)
        self.nodes = [f"gpu-a{n // 32:02d}-{n % 32:03d}" for n in range(nodes)]
        self.ranks = 8 * nodes
        self.at = START
        self.step = FIRST_STEP
        self.inits = self.communicators()

    def communicators(self):
        """Of each communicator of the job every rank's start, then every rank's end, over and over, each time under a new number. The
        job has one of the first ranks of all nodes and one of the ranks of each of some nodes."""
        known = [range(0, self.ranks, 8)] + [range(8 * node, 8 * node + 8) for node in range(min(len(self.nodes), COMMUNICATORS - 1))]
        drawn = random.Random(self.random.getrandbits(64))
        known = [Communicator(ranks, ["55%010x" % drawn.getrandbits(40) for _ in ranks]) for ranks in known]
        for number, communicator in enumerate(itertools.cycle(known)):
            for state in ("START", "COMPLETE"):
                for member in drawn.sample(range(len(communicator.ranks)), len(communicator.ranks)):
                    yield number, communicator, member, state

    def init(self):
        """The next line is that of a rank in a communicator."""
        self.communicator_number, self.communicator, self.member, self.state = next(self.inits)
        self.rank = self.communicator.ranks[self.member]
        self.node = self.nodes[self.rank // 8]
        return ""

    def move(self):
        self.at += self.random.random() * 0.01
        self.rank = int(self.random.random() * self.ranks)
        self.node = self.nodes[self.rank // 8]

    def second(self):
        return int(self.at)

    def fraction(self, digits):
        return ("%.6f" % (self.at % 1))[1:2 + digits] if self.at % 1 < 0.9999995 else "." + "9" * digits


def between(log, low, high):
    return low + int(log.random.random() * (high - low + 1))


# What a later repetition of a block writes anew, `number` in the form `form`: a second of the calendar, or a step.
Moving = collections.namedtuple("Moving", "form number")


def utc(second, form):
    return datetime.datetime.fromtimestamp(second, datetime.timezone.utc).strftime(form)


FORMS = {
    "iso": lambda second: utc(second, "%Y-%m-%d %H:%M:%S"),
    "t": lambda second: utc(second, "%Y-%m-%dT%H:%M:%S"),
    "syslog": lambda second: utc(second, "%b %e %H:%M:%S"),
    "glog": lambda second: utc(second, "%m%d %H:%M:%S"),
    "up": lambda second: str(second - int(START) + 86400),
    "step": str,
    "step8": lambda step: str(step).rjust(8),
    "step_id": lambda number: "%016x" % (number * 0x9E3779B97F4A7C15 % (1 << 64)),
}


def stamp(form, digits=0):
    return lambda log: (Moving(form, log.second()), log.fraction(digits)) if digits else (Moving(form, log.second()),)


def advance(log, width):
    log.step += 1
    return (Moving("step8" if width else "step", log.step),)


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


COMM = {
    "init": lambda log: log.init(),
    "part": lambda log: log.communicator.parts[log.member],
    "rank": lambda log: str(log.member),
    "ranks": lambda log: str(len(log.communicator.ranks)),
    "gpu": lambda log: str(log.rank % 8),
    "id": lambda log: (Moving("step_id", log.communicator_number),),  # Far fewer than steps, so none comes twice.
    "state": lambda log: log.state,
}

HOLES = {
    "node": lambda _: lambda log: log.node,
    "rank": lambda _: lambda log: str(log.rank),
    "iter": lambda width: lambda log: advance(log, width),
    "step": lambda _: lambda log: (Moving("step", log.step),),
    "int": a_number,
    "dec": a_decimal,
    "of": one_of,
    "comm": COMM.get,
    "hex": lambda digits: lambda log: "%0*x" % (int(digits), log.random.getrandbits(4 * int(digits))),
    "ip": lambda _: lambda log: f"10.{between(log, 0, 3)}.{between(log, 0, 255)}.{between(log, 1, 254)}",
    "pci": lambda _: lambda log: "0000:%s:00" % log.random.choice(("1b", "43", "52", "61", "9d", "c3", "d1", "df")),
    "iso": lambda _: stamp("iso"),
    "ms": lambda _: stamp("t", 3),
    "syslog": lambda _: stamp("syslog"),
    "glog": lambda _: stamp("glog", 6),
    "up": lambda _: stamp("up", 6),
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
            out += [(source, shape(text))] * round(100 * float(weight))
    return out


def fill(log, parts):
    """The line's text with `SLOT` for each moving part, and these."""
    text, moving = "", []
    for part in parts:
        made = part if isinstance(part, str) else part(log)
        for piece in (made,) if isinstance(made, str) else made:
            if isinstance(piece, Moving):
                moving.append(piece)
                piece = SLOT
            text += piece
    return text, moving


SLOT = "\ue000"  # In no shape.


def as_json(log, source, text):
    observation = {"ts": f"{SLOT}{log.fraction(3)}Z", "source": source, "node": log.node}
    if source == "app":
        observation["rank"] = log.rank
    observation["message"] = text
    return json.dumps(observation, separators=(",", ":"), ensure_ascii=False)


class Block:
    """Some lines, to be written again and again with later stamps and steps."""

    def __init__(self, lines, moving):
        self.texts, self.moving = ("\n".join(lines) + "\n").split(SLOT), moving

    def text(self, seconds, steps):
        known, out = {}, [self.texts[0]]
        for moving, text in zip(self.moving, self.texts[1:]):
            shown = known.get(moving)
            if shown is None:
                shown = known[moving] = FORMS[moving.form](moving.number + (steps if moving.form.startswith("step") else seconds))
            out += (shown, text)
        return "".join(out)


def make_block(log, options, ordinary, signal, size):
    """Lines of `size` bytes: as text, as NDJSON, how many, and how many signals."""
    texts, moving, objects, moving_objects, signals = [], [], [], [], 0
    while size > 0:
        log.move()
        from_signals = log.random.random() < options.signal
        source, parts = log.random.choice(signal if from_signals else ordinary)
        text, slots = fill(log, parts)
        signals += from_signals
        size -= len(text) + 1 + sum(len(FORMS[m.form](m.number)) - 1 for m in slots)
        texts.append(text)
        moving += slots
        if options.ndjson:
            objects.append(as_json(log, source, text))
            moving_objects += [Moving("t", log.second()), *slots]
    return Block(texts, moving), Block(objects, moving_objects), len(texts), signals


def blocks(options):
    """(text, objects, lines, signals) until the log is long enough."""
    log = Log(options.seed, options.nodes)
    ordinary, signal = shapes(HERE / "ordinary_lines.txt"), shapes(HERE / "signal_lines.txt")
    left, pool, seconds, steps = int(options.mb * 1e6), [], 0, 0
    while left > 0 and len(pool) < options.pool:
        pool.append(make_block(log, options, ordinary, signal, min(left, BLOCK)))
        text = pool[-1][0].text(0, 0)
        yield text, pool[-1][1].text(0, 0) if options.ndjson else "", *pool[-1][2:]
        left -= len(text)
    while True:
        seconds, steps = seconds + int(log.at - START) + 1, steps + log.step - FIRST_STEP
        for texts, objects, lines, signals in pool:
            if left <= 0:
                return
            text = texts.text(seconds, steps)
            yield text, objects.text(seconds, steps) if options.ndjson else "", lines, signals
            left -= len(text)


class Rotated:
    """Text written to N + 1 files, the oldest first, each block a gzip member but in the last."""

    def __init__(self, out, files, size):
        self.out, self.left, self.size, self.room = out, files, size // (files + 1) + 1, 0
        self.file = None

    def write(self, text):
        if self.room <= 0:
            self.close()
            self.file = open(f"{self.out}.{self.left}.gz" if self.left else self.out, "wb")
            self.packed, self.left, self.room = self.left > 0, self.left - 1, self.size
        data = text.encode()
        self.room -= len(data)
        self.file.write(gzip.compress(data, 6, mtime=0) if self.packed else data)

    def close(self):
        if self.file:
            self.file.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=float, default=100)
    parser.add_argument("--signal", type=float, default=0.001)
    parser.add_argument("--out", required=True)
    parser.add_argument("--ndjson")
    parser.add_argument("--rotated", type=int, default=0)
    parser.add_argument("--pool", type=int, default=16)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--nodes", type=int, default=128)
    options = parser.parse_args()
    lines, signals = 0, 0
    ndjson = open(options.ndjson, "w") if options.ndjson else None
    out = Rotated(options.out, options.rotated, int(options.mb * 1e6))
    for text, objects, some_lines, some_signals in blocks(options):
        out.write(text)
        lines, signals = lines + some_lines, signals + some_signals
        if ndjson:
            ndjson.write(objects)
    out.close()
    print(f"{options.out}: {lines} lines, {signals} of them signals")


if __name__ == "__main__":
    main()
