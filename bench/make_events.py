#!/usr/bin/env python3
"""Writes kernel lines each of which is an event of bench/graph.rules, the same bytes for the same arguments.

    bench/make_events.py --events 1000000 --occurrences 10000 --out events.log

Events of one node and unit follow one another within the hour, so they fold to --occurrences: half faults, half stalls
behind them, on 100 nodes.
"""
import argparse
import time

NODES = 100
START = 1779091200


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1000000)
    parser.add_argument("--occurrences", type=int, default=10000)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    pairs = options.occurrences // 2
    texts = ("accelerator fault of unit", "collective stalled behind unit")
    with open(options.out, "w") as out:
        for number in range(options.events):
            pair, second = number // 2 % pairs, number // 1000
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(START + second))
            node, unit = pair % NODES, pair // NODES
            out.write(f"{stamp}.{number % 1000:03d}000+00:00 gpu-{node:03d} kernel: {texts[number % 2]} {unit}, kind {number % 7}\n")


if __name__ == "__main__":
    main()
