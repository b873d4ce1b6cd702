#!/usr/bin/env python3
"""Turns bench/patterns.txt into one set of rules for every engine of the benchmark.

    bench/make_rules.py --rules 120 --out DIR [--samples]

Writes to DIR: bench.rules (rulec build), regexes.txt (ripgrep -f), engine.json (bench/python_engine.py), and with
--samples samples.log, a line for each alternative of each pattern.

A pattern becomes a list of alternatives, an alternative a list of pieces: literal text, holes, gaps. Rules and regular
expressions are both printed from these pieces, holes as model/reader.def says, so the engines search for the same
language even where a piece is wider than what the pattern had: a class for which there is no reader becomes the next wider one.
What pieces cannot say (ignoring case) is given to all engines as the regular expression it is.
"""
import argparse
import itertools
import json
import pathlib
import re

try:
    from re import _parser as parser
except ImportError:  # Python 3.10 and before.
    import sre_parse as parser

HERE = pathlib.Path(__file__).resolve().parent
MOST_ALTERNATIVES = 16

# Class: role and domain of its symptom, and the weight that decides between several.
CLASSES = {
    "gpu": ("origin", "gpu", 90),
    "fabric": ("origin", "network_fabric", 80),
    "storage": ("origin", "storage", 70),
    "host": ("origin", "host", 65),
    "scheduler": ("origin", "scheduler", 60),
    "cuda": ("relay", "application", 55),
    "application": ("relay", "application", 50),
    "collective": ("victim", "application", 30),
}
# Cause, effect, seconds, and whether both must be on one node.
DEMOTIONS = [
    ("gpu", "collective", 1800, False),
    ("gpu", "cuda", 300, True),
    ("fabric", "collective", 1800, False),
    ("storage", "collective", 1800, False),
    ("host", "collective", 1800, False),
    ("host", "scheduler", 600, True),
    ("cuda", "collective", 900, False),
    ("application", "collective", 900, False),
    ("gpu", "scheduler", 600, True),
    ("collective", "scheduler", 600, False),
]

PIECES = {
    "KERNEL": "\x01",  # Framing takes these two off a line; see PREFIXES.
    "RANK": "\x02",
    "NCCL": r"^(?P<node>[^: ]+):(?P<pid>{NUM}):(?P<tid>{NUM}) \[(?P<dev>{NUM})\] .*NCCL WARN ",
    "PCI": r"\(PCI:(?P<pci>{HEX}+:{HEX}+:{HEX}+)\)",
    "HEX": "[0-9a-fA-F]",
    "NUM": "[0-9]+",
}
# What stands in front of the pieces in a regular expression, and in a sample.
PREFIXES = {
    "": ("", ""),
    "\x01": (r"^[A-Z][a-z][a-z] [ 0-9][0-9] [0-9:]+ (?P<node>[^ ]+) kernel: .*", "May 18 09:10:11 gpu-a00-001 kernel: [86400.5] "),
    "\x02": (r"\[rank(?P<rank>[0-9]+)\].*", "[rank7]: "),
}

WORD_STOPS = set(" \t\r\n,;:()[]{}<>\"'=|")
DIGITS = set("0123456789")
HEX_DIGITS = set("0123456789abcdefABCDEF")
EXAMPLES = {"u64": "17", "i64": "-3", "hex": "3f", "word": "abc", "token": "abc", "text": "some text", "pci": "0000:04:00"}


def reader_patterns():
    text = (HERE.parent / "model" / "reader.def").read_text()
    rows = re.findall(r'^ATTRIB_READER\(\w+,\s*"(\w+)",\s*\w+,\s*"((?:[^"\\]|\\.)*)"', text, re.M)
    return {name: pattern.replace('\\"', '"').replace("\\\\", "\\") for name, pattern in rows}


READERS = reader_patterns()


class NeedsRegex(Exception):
    """The pattern says what pieces cannot."""


def class_of(items):
    """The characters of a bracket, or None for a negated one or one with categories."""
    out = set()
    for op, value in items:
        name = str(op)
        if name == "LITERAL":
            out.add(chr(value))
        elif name == "RANGE":
            out |= {chr(c) for c in range(value[0], value[1] + 1)}
        else:
            return None
    return out


def reader_for(repeated):
    """The narrowest reader that reads every run of these characters."""
    op, value = repeated
    chars = class_of(value) if str(op) == "IN" else None
    if chars is None:
        blank_ends_it = value == ord(" ") if str(op) == "NOT_LITERAL" else str(op) == "IN" and " " in (class_of(value[1:]) or ())
        return "token" if blank_ends_it else "text"
    if chars <= DIGITS:
        return "u64"
    if chars <= HEX_DIGITS:
        return "hex"
    if not chars & WORD_STOPS:
        return "word"
    return "text" if " " in chars else "token"


def literal(text):
    return ("literal", text)


def hole(name, reader):
    return ("hole", name, reader)


GAP = ("gap",)


def product(parts):
    """Every way to take one of each part's alternatives, the first of each first."""
    ways = [[piece for pieces in way for piece in pieces] for way in itertools.product(*parts)]
    if len(ways) > MOST_ALTERNATIVES:
        raise NeedsRegex("too many alternatives")
    return ways


def group(name, inner):
    """A named group: one hole if a reader says it, else its parts without the name."""
    if name in ("pci", "bdf"):
        return [[hole(name, "pci")]]
    if len(inner) == 1 and str(inner[0][0]) in ("MAX_REPEAT", "MIN_REPEAT"):
        low, _, (repeated, *_) = inner[0][1]
        return [[hole(name, reader_for(repeated) if low == 1 else "text")]]
    if any(str(op) == "LITERAL" and value == ord(" ") for op, value in inner) or any(str(op) == "NOT_LITERAL" for op, _ in inner):
        if any(str(op) not in ("LITERAL", "BRANCH") for op, _ in inner):
            return [[hole(name, "text")]]
    return alternatives(inner)


def one(op, value):
    op = str(op)
    if op == "LITERAL":
        return [[literal(chr(value))]]
    if op == "AT":
        return [[("start",)]]
    if op == "ANY":
        return [[GAP]]
    if op == "SUBPATTERN":
        index, _, _, inner = value
        return alternatives(inner) if index is None else group(NAMES[index], inner)
    if op == "BRANCH":
        return [way for branch in value[1] for way in alternatives(branch)]
    if op == "IN":
        chars = class_of(value)
        if chars is None or len(chars) > 7:
            return [[GAP]]
        return [[literal(c)] for c in sorted(chars)]
    if op in ("MAX_REPEAT", "MIN_REPEAT"):
        low, high, inner = value
        first = str(inner[0][0])
        if first in ("ANY", "NOT_LITERAL") or (first == "IN" and low != 1):
            return [[GAP]]
        if first == "IN":
            reader = reader_for(inner[0])
            return [[GAP]] if reader in ("text", "token") else [[hole(None, reader)]]
        if first == "LITERAL" and (low, high) != (0, 1):
            return ([[]] if low == 0 else []) + [[literal(chr(inner[0][1]))]]
        if (low, high) == (0, 1):
            return alternatives(inner) + [[]]
    raise NeedsRegex(op)


def tidy(pieces):
    """Literals joined, gaps joined, no gap at an end, `-` before a number read with it."""
    out = []
    for piece in pieces:
        if out and piece[0] == out[-1][0] == "literal":
            out[-1] = literal(out[-1][1] + piece[1])
        elif not (out and piece == out[-1] == GAP):
            out.append(piece)
    while out and out[0] == GAP:
        out.pop(0)
    while out and out[-1] == GAP:
        out.pop()
    return out


def signed(sequence):
    """`-?[0-9]+` in one: (is it so at this place)."""
    return [str(op) for op, _ in sequence[:2]] == ["MAX_REPEAT", "MAX_REPEAT"] and sequence[0][1][:2] == (0, 1) and str(
        sequence[0][1][2][0]) == "(LITERAL, 45)"


def alternatives(sequence):
    parts, at, sequence = [], 0, list(sequence)
    while at < len(sequence):
        if signed(sequence[at:]):
            parts.append([[hole(None, "i64")]])
            at += 2
            continue
        parts.append(one(*sequence[at]))
        at += 1
    return product(parts)


def without_covered(ways):
    """Leaves out what captures nothing and holds an earlier alternative's texts in order: that one matches first."""
    kept = []
    for way in ways:
        plain = all(piece[0] in ("literal", "gap") for piece in way)
        shown = " ".join(piece[1] for piece in way if piece[0] == "literal")
        if not (plain and any(all(p[0] in ("literal", "gap") for p in other) and re.search(
                ".*".join(re.escape(p[1]) for p in other if p[0] == "literal"), shown) for other in kept)):
            kept.append(way)
    return kept


NAMES = {}


class Pattern:
    """One row of patterns.txt: its class and either alternatives of pieces or one regular expression."""

    def __init__(self, number, kind, text):
        for _ in range(2):
            text = re.sub(r"\{([A-Z]+)\}", lambda m: PIECES[m.group(1)], text)
        self.name, self.kind = f"p{number:03d}", kind
        self.prefix = text[0] if text[0] in PREFIXES else ""
        body = text[len(self.prefix):]
        self.fold = body.startswith("(?i)")
        self.regex, self.pieces = None, []
        tree = parser.parse(body)
        NAMES.clear()
        NAMES.update({index: name for name, index in tree.state.groupdict.items()})
        try:
            if self.fold:
                raise NeedsRegex("ignores case")
            self.pieces = without_covered([tidy(way) for way in alternatives(tree)])
        except NeedsRegex as why:
            self.regex, self.why = body, str(why)

    def fields(self):
        """Name and reader of every capture; a name that means something else in an alternative is not kept."""
        seen = {}
        for way in self.pieces:
            for piece in way:
                if piece[0] == "hole" and piece[1] and piece[1] != "node":
                    seen.setdefault(piece[1], set()).add(piece[2])
        return {name: next(iter(readers)) for name, readers in seen.items() if len(readers) == 1}


def escape_line(text):
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("{", "{{").replace("}", "}}")


def field_name(name):
    return "f_" + name


def line_clause(pattern, way):
    start = way[0] == ("start",)
    text = ""
    for piece in way[1 if start else 0:]:
        if piece[0] == "literal":
            text += escape_line(piece[1])
        elif piece == GAP:
            text += "{..}"
        elif piece[1] == "node":
            text += "{node:Node}"
        elif piece[1] in pattern.fields():
            text += "{%s}" % field_name(piece[1])
        else:
            text += "{_:%s}" % piece[2]
    return f'  line   {"start " if start else ""}"{text}"'


def types_of(pattern):
    types = {"u64": "u64", "i64": "i64", "hex": "hex", "word": "word", "token": "token", "text": "text", "pci": "pci"}
    everywhere = set.intersection(*[{p[1] for p in way if p[0] == "hole"} for way in pattern.pieces]) if pattern.pieces else set()
    return {name: types[reader] + ("" if name in everywhere else "?") for name, reader in pattern.fields().items()}


def rules(patterns):
    out = ["# Generated by bench/make_rules.py from bench/patterns.txt.", "pack bench.patterns 1.0.0", "language 1", ""]
    for kind, (role, domain, _) in CLASSES.items():
        out.append(f"symptom bench.{kind} on Node {{ rule word  key rule  role {role}  domain {domain} }}")
    for pattern in patterns:
        fields = "  ".join(f"{field_name(name)} {kind}" for name, kind in types_of(pattern).items())
        event = pattern.name.upper()
        out += ["", f"event {event} on Node {{ {fields} }}"]
        out.append(f"extract {pattern.name} from {'kernel' if pattern.prefix == chr(1) else 'any'} as {event} {{")
        if pattern.regex is None:
            out += [line_clause(pattern, way) for way in pattern.pieces]
        else:
            body = re.sub(r"\(\?P<\w+>", "(?:", pattern.regex).replace("\\", "\\\\").replace('"', '\\"').replace("{", "\\{").replace("}", "\\}")
            out.append(f'  regex  "{body}"' + ("" if pattern.fold else f' slow "{pattern.why}"'))
        out += [f'  sample "{escape_line(body)}"' for body in sample_bodies(pattern)]
        out += ['  reject "all is well"', "}"]
        out.append(f'decode is_{pattern.name} {{ on e: {event}  emit bench.{pattern.kind} at e.node {{ rule: "{pattern.name}" }} }}')
    for cause, effect, seconds, one_node in DEMOTIONS:
        where = "  where  c.node == e.node\n" if one_node else ""
        out += ["", f"demote {cause}_behind_{effect} {{", f"  cause  c: bench.{cause}", f"  effect e: bench.{effect}"]
        out += [f"{where}  within 0s..{seconds}s from c.begin to e.begin", f'  because "{cause} faults come before {effect} faults"', "}"]
    return "\n".join(out) + "\n"


def regex_literal(text):
    return re.sub(r"([.^$*+?{}\[\]\\|()])", r"\\\1", text)


def regexes(pattern, named):
    """The expressions of a pattern, one an alternative. Without `named` no group is captured."""
    prefix = PREFIXES[pattern.prefix][0]
    found = []
    if pattern.regex is not None:
        found = [prefix + pattern.regex]
    for way in pattern.pieces:
        text, names = prefix, set()
        for at, piece in enumerate(way):
            if piece[0] == "start":
                text += "^"
            elif piece[0] == "literal":
                text += regex_literal(piece[1])
            elif piece == GAP:
                text += ".*"
            else:
                reader = "host" if piece[1] == "node" else piece[2]
                inner = READERS[reader] if reader != "text" else (".*" if at == len(way) - 1 else ".*?")
                fresh = piece[1] and piece[1] not in names and (piece[1] in pattern.fields() or piece[1] == "node")
                names.add(piece[1])
                text += f"(?P<{piece[1]}>{inner})" if fresh else f"(?:{inner})"
        found.append(text)
    return found if named else [re.sub(r"\(\?P<\w+>", "(?:", text) for text in found]


def required_literal(pattern, way):
    """The longest text that a line of this alternative must hold."""
    return max((piece[1] for piece in way if piece[0] == "literal"), key=len)


def folded_literals(text):
    """Lower-case texts of which a line must hold one, for a pattern that ignores case."""
    runs, run = [], ""
    for op, value in parser.parse(text):
        if str(op) == "LITERAL":
            run += chr(value)
        elif str(op) == "BRANCH" and run and all(str(o) == "LITERAL" for branch in value[1] for o, _ in branch):
            return [run + "".join(chr(v) for _, v in branch) for branch in value[1]]
        else:
            runs, run = runs + [run], ""
    return [max(runs + [run], key=len).lower()]


def engine(patterns):
    rows = []
    for pattern in patterns:
        expressions = regexes(pattern, named=True)
        if pattern.regex is None:
            literals = sorted({required_literal(pattern, way) for way in pattern.pieces})
        else:
            literals = folded_literals(pattern.regex)
        numbers = [name for name, reader in pattern.fields().items() if reader in ("u64", "i64")]
        rows.append({"name": pattern.name, "class": pattern.kind, "regexes": expressions, "fold": pattern.fold, "literals": literals,
                     "numbers": numbers, "hexes": [name for name, reader in pattern.fields().items() if reader == "hex"]})
    classes = {kind: weight for kind, (_, _, weight) in CLASSES.items()}
    return {"classes": classes, "demotions": DEMOTIONS, "rules": rows}


def example_of(sequence):
    """A text that an expression matches."""
    text = ""
    for op, value in sequence:
        op = str(op)
        if op == "LITERAL":
            text += chr(value)
        elif op == "IN":
            text += min(class_of(value) or {"x"})
        elif op == "SUBPATTERN":
            text += example_of(value[3])
        elif op == "BRANCH":
            text += example_of(value[1][0])
        elif op in ("MAX_REPEAT", "MIN_REPEAT"):
            text += example_of(value[2]) * max(1, value[0])
        else:
            text += " "
    return text


def sample_bodies(pattern):
    """A line for each alternative, without what framing takes off."""
    if pattern.regex is not None:
        return [example_of(parser.parse(pattern.regex))]
    shown = {"literal": lambda p: p[1], "gap": lambda _: " ... ", "hole": lambda p: "gpu-a00-001" if p[1] == "node" else EXAMPLES[p[2]], "start": lambda _: ""}
    return ["".join(shown[piece[0]](piece) for piece in way) for way in pattern.pieces]


def sample_lines(pattern):
    starts = [way[0] == ("start",) for way in pattern.pieces] or [False]
    return [("" if start else PREFIXES[pattern.prefix][1]) + body for start, body in zip(starts, sample_bodies(pattern))]


def read(count):
    rows = [row for row in (HERE / "patterns.txt").read_text().splitlines() if row and not row.startswith("#")]
    return [Pattern(number, *row.split(" ", 1)) for number, row in enumerate(rows[:count], 1)]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rules", type=int, default=120)
    arguments.add_argument("--out", required=True)
    arguments.add_argument("--samples", action="store_true")
    options = arguments.parse_args()
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    patterns = read(options.rules)
    (out / "bench.rules").write_text(rules(patterns))
    (out / "regexes.txt").write_text("\n".join(r for p in patterns for r in regexes(p, named=False)) + "\n")
    (out / "engine.json").write_text(json.dumps(engine(patterns), indent=1))
    if options.samples:
        (out / "samples.log").write_text("\n".join(line for p in patterns for line in sample_lines(p)) + "\n")
    templates = sum(len(p.pieces) for p in patterns)
    print(f"{out}: {len(patterns)} rules, {templates} line templates, {sum(p.regex is not None for p in patterns)} regular expressions")


if __name__ == "__main__":
    main()
