"""A strict reader of the Prometheus text format (version 0.0.4)."""

import math
import re

SAMPLE = re.compile(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')


def labels_of(text):
    out, at = {}, 0
    while at < len(text):
        found = LABEL.match(text, at)
        if not found or found.group(1) in out:
            raise ValueError(f"labels: {text!r}")
        out[found.group(1)] = found.group(2)
        at = found.end()
        if at < len(text):
            if text[at] != "," or at + 1 == len(text):
                raise ValueError(f"labels: {text!r}")
            at += 1
    return out


def check_histogram(name, samples):
    """Buckets rise, end with +Inf, and +Inf is the count."""
    series = {}
    for sample, labels, value in samples:
        rest = tuple(sorted((k, v) for k, v in labels.items() if k != "le"))
        one = series.setdefault(rest, {"buckets": [], "sum": None, "count": None})
        if sample == name + "_bucket":
            one["buckets"].append((float(labels["le"].replace("+Inf", "inf")), value))
        else:
            one[sample[len(name) + 1:]] = value
    for one in series.values():
        bounds = [bound for bound, _ in one["buckets"]]
        counts = [count for _, count in one["buckets"]]
        if bounds != sorted(set(bounds)) or counts != sorted(counts) or bounds[-1] != math.inf:
            raise ValueError(f"{name}: buckets {one['buckets']}")
        if counts[-1] != one["count"] or one["sum"] is None:
            raise ValueError(f"{name}: count {one['count']}, last bucket {counts[-1]}")


def parse(page):
    """{name: {tuple of sorted labels: value}} of all samples; raises ValueError at what the format does not allow."""
    if not page.endswith("\n"):
        raise ValueError("the last line has no end")
    types, helps, samples, family, seen = {}, set(), {}, None, []
    values = {}
    for number, line in enumerate(page[:-1].split("\n"), 1):
        if line.startswith("# HELP "):
            name = line.split(" ", 3)[2]
            if name in helps:
                raise ValueError(f"line {number}: a second HELP of {name}")
            helps.add(name)
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            if name in types or kind not in ("counter", "gauge", "histogram"):
                raise ValueError(f"line {number}: {line}")
            types[name], family = kind, name
            seen.append(name)
        else:
            found = SAMPLE.match(line)
            if not found:
                raise ValueError(f"line {number}: {line!r}")
            name, labels, value = found.group(1), labels_of(found.group(2) or ""), float(found.group(3))
            allowed = [family + end for end in ("_bucket", "_sum", "_count")] if types.get(family) == "histogram" else [family]
            if name not in allowed:
                raise ValueError(f"line {number}: {name} stands below TYPE {family}")
            if types[family] == "counter" and (value < 0 or not name.endswith("_total")):
                raise ValueError(f"line {number}: counter {line}")
            key = tuple(sorted(labels.items()))
            if key in values.setdefault(name, {}):
                raise ValueError(f"line {number}: a second sample of {line}")
            values[name][key] = value
            samples.setdefault(family, []).append((name, labels, value))
    for name in seen:
        if name not in helps:
            raise ValueError(f"{name} has no HELP")
        if types[name] == "histogram" and name in samples:
            check_histogram(name, samples[name])
    return values
