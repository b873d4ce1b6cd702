#!/usr/bin/env python3
"""A rule engine in plain Python, to measure against: the whole job from a log to one verdict as JSON.

    bench/python_engine.py RULES.json LOG [--max-mb N]

What a careful author would write with the standard library alone; the rules are those of bench/make_rules.py:
  * lines are streamed and only events are kept;
  * a line is tried only by rules one of whose required texts it holds (`text in line`: quicker in CPython than one regular
    expression of all texts), and its expressions are compiled once;
  * events have typed fields, the time of the line and its place;
  * an event is demoted when an event of a causing class lies within the window before it, found by bisection;
  * the verdict is the earliest event of the heaviest class that is left, with counts and the first lines as proof.
"""
import argparse
import bisect
import collections
import json
import re

STAMP = re.compile(r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)|([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d)|\b[IWEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)")
MONTHS = {name: at for at, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}


class Rule:
    __slots__ = ("name", "kind", "searches", "numbers", "hexes")

    def __init__(self, row):
        self.name, self.kind = row["name"], row["class"]
        self.searches = [re.compile(text).search for text in row["regexes"]]
        self.numbers, self.hexes = row["numbers"], row["hexes"]

    def match(self, line):
        for search in self.searches:
            found = search(line)
            if found:
                return found
        return None

    def fields(self, found):
        out = found.groupdict()
        for names, base in ((self.numbers, 10), (self.hexes, 16)):
            for name in names:
                if out.get(name) is not None:
                    out[name] = int(out[name], base)
        return out


def stamp_of(line, last):
    found = STAMP.search(line)
    if not found:
        return last
    part = found.groups()
    if part[0]:
        month, rest = int(part[1]), part[2:6]
    elif part[6]:
        month, rest = MONTHS.get(part[6], 1), part[7:11]
    else:
        month, rest = int(part[11]), part[12:16]
    day, hour, minute, second = map(int, rest)
    return (((month * 31 + day) * 24 + hour) * 60 + minute) * 60 + second


def index_by_text(rows):
    """Rules by required text: those that respect case, and those that do not (texts in lower case)."""
    exact, folded = collections.defaultdict(list), collections.defaultdict(list)
    for row in rows:
        rule = Rule(row)
        for text in row["literals"]:
            (folded if row["fold"] else exact)[text].append(rule)
    return list(exact.items()), list(folded.items())


def read_events(path, rows, limit):
    exact, folded = index_by_text(rows)
    counts, events, last = {"lines": 0, "hit_lines": 0}, [], 0
    with open(path, encoding="utf-8", errors="replace", buffering=1 << 20) as log:
        for line in log:
            counts["lines"] += 1
            limit -= len(line)
            low = line.lower()
            to_try = [rules for text, rules in exact if text in line] + [rules for text, rules in folded if text in low]
            if to_try:
                hit = False
                for rule in dict.fromkeys(rule for rules in to_try for rule in rules):
                    found = rule.match(line)
                    if found:
                        if not hit:
                            hit, last = True, stamp_of(line, last)
                            counts["hit_lines"] += 1
                        fields = rule.fields(found)
                        events.append({"rule": rule.name, "class": rule.kind, "time": last, "line": counts["lines"],
                                       "node": fields.get("node"), "fields": fields, "text": line[:200].strip(), "behind": None})
            if limit <= 0:
                break
    return events, counts


def demote(events, demotions):
    events.sort(key=lambda event: event["time"])
    times = collections.defaultdict(list)
    for event in events:
        times[event["class"], None].append(event["time"])
        times[event["class"], ("node", event["node"])].append(event["time"])
    by_effect = collections.defaultdict(list)
    for cause, effect, seconds, one_node in demotions:
        by_effect[effect].append((cause, seconds, one_node))
    for event in events:
        for cause, seconds, one_node in by_effect[event["class"]]:
            causes = times.get((cause, ("node", event["node"]) if one_node else None))
            if causes:
                at = bisect.bisect_left(causes, event["time"] - seconds)
                if at < len(causes) and causes[at] <= event["time"]:
                    event["behind"] = cause
                    break


def verdict(events, counts, weights):
    left = [event for event in events if not event["behind"]]
    out = {"verdict": None, **counts, "events": len(events), "demoted": len(events) - len(left),
           "by_rule": dict(sorted(collections.Counter(event["rule"] for event in events).items()))}
    if left:
        first = max(left, key=lambda event: (weights[event["class"]], -event["time"], -event["line"]))
        same = [event for event in left if event["class"] == first["class"]]
        out.update(verdict=first["class"], rule=first["rule"], node=first["node"], line=first["line"],
                   nodes=collections.Counter(event["node"] for event in same).most_common(5), evidence=[event["text"] for event in same[:3]])
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules")
    parser.add_argument("log")
    parser.add_argument("--max-mb", type=float, default=float("inf"))
    options = parser.parse_args()
    with open(options.rules, encoding="utf-8") as file:
        rules = json.load(file)
    events, counts = read_events(options.log, rules["rules"], options.max_mb * 1e6)
    demote(events, rules["demotions"])
    print(json.dumps(verdict(events, counts, rules["classes"]), indent=1))


if __name__ == "__main__":
    main()
