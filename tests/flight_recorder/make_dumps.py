#!/usr/bin/env python3
"""Writes flight-recorder dumps of a made-up job, one file a rank, as PyTorch writes them.

usage: make_dumps.py OUT SCENARIO [--form pickle|json] [--version 2.9|2.4|1.5] [--complete] [--without RANK ...]

The job: 8 ranks, tensor groups of two, data groups of two ({r, r+2}), pipeline groups of two ({r, r+4}) that send and
receive, and one group of all. Scenarios:

  missing    rank 5 never enters a collective; rank 2 never enters one of its own groups either
  stalled    rank 6 stops: its operations stay open although its peers have ended them and the next
  equal      all ranks wait in the same collective: nobody is missing
  behind     rank 1 never enters; rank 3, which waits for it, is late in another group
  mismatch   rank 4 calls another operation than the rest of the world
  sizes      rank 4 calls the same operation with another size
  running    nothing is open

The pickler below emits the opcodes that PyTorch's own emits (protocol 2: memoized text and containers, integers as
BININT1, BININT2, BININT or LONG1), so that the reader is tested on that form and not on Python's.
"""
import argparse
import json
import pathlib
import struct

WORLD = 8
START = 1_779_093_600_000_000_000  # 2026-05-18T08:40:00Z in nanoseconds
GROUPS = {}                        # name -> (description, ranks)


def add_groups():
    GROUPS["0"] = ("default_pg", list(range(WORLD)))
    name = 1
    for description, groups in (
            ("TENSOR_MODEL_PARALLEL_GROUP", [[0, 1], [2, 3], [4, 5], [6, 7]]),
            ("DATA_PARALLEL_GROUP", [[0, 2], [1, 3], [4, 6], [5, 7]]),
            ("PIPELINE_MODEL_PARALLEL_GROUP", [[0, 4], [1, 5], [2, 6], [3, 7]])):
        for ranks in groups:
            GROUPS[str(name)] = (description, ranks)
            name += 1


def groups_of(rank):
    return [name for name, (_, ranks) in GROUPS.items() if rank in ranks]


def group(kind, rank):
    return next(n for n in groups_of(rank) if GROUPS[n][0].startswith(kind))


class Rank:
    """What one rank has recorded: entries, and a status for each group it used."""

    def __init__(self, rank):
        self.rank, self.entries, self.clock = rank, [], START + rank * 1_000_000
        self.sequence, self.transfers = {}, {}
        self.status = {name: [0, -1, 0] for name in groups_of(rank)}

    def collective(self, name, op, size, ended):
        self.sequence[name] = number = self.sequence.get(name, 100) + 1
        self.entry(name, "nccl:" + op, number, self.transfers.get(name, 0), size, ended, False)
        self.status[name][0] = number
        if ended:
            self.status[name][2] = number

    def transfer(self, name, sends, size, ended):
        ranks = GROUPS[name][1]
        here, there = ranks.index(self.rank), 1 - ranks.index(self.rank)
        # Each rank counts its own sends and receives.
        self.transfers[name] = number = self.transfers.get(name, 500 * (here + 1)) + 1
        what = f"send {here}->{there}" if sends else f"recv {here}<-{there}"
        self.entry(name, "nccl:" + what, self.sequence.get(name, 0), number, size, ended, True)
        self.status[name][0] = number
        if ended:
            self.status[name][2] = number

    def entry(self, name, profiling, sequence, transfer, size, ended, p2p):
        self.clock += 2_000_000
        started, completed = (self.clock + 300_000, self.clock + 900_000) if ended else (None, None)
        self.entries.append({
            "frames": [{"name": "train_step", "filename": "train.py", "line": 88},
                       {"name": "<module>", "filename": "train.py", "line": 120}],
            "record_id": len(self.entries), "pg_id": groups_of(self.rank).index(name), "process_group": (name, GROUPS[name][0]),
            "thread_name": "pt_autograd_0", "thread_id": "23437656749760",
            "collective_seq_id": sequence, "p2p_seq_id": transfer, "op_id": sequence + transfer, "profiling_name": profiling,
            "time_created_ns": self.clock, "duration_ms": 0.6 if ended else None,
            "input_sizes": [[size, 64]], "input_dtypes": ["BFloat16"], "output_sizes": [[size, 64]], "output_dtypes": ["BFloat16"],
            "state": "completed" if ended else "scheduled", "time_discovered_started_ns": started,
            "time_discovered_completed_ns": completed, "retired": ended, "timeout_ms": 600_000, "is_p2p": p2p})
        if self.entries[-1]["duration_ms"] is None:
            del self.entries[-1]["duration_ms"]

    def dump(self, version, complete):
        entries = [dict(e) for e in self.entries if complete or e["state"] != "completed"]
        out = {"version": version}
        if version.startswith("1."):
            for e in entries:
                e["seq_id"] = e.pop("p2p_seq_id") if e["is_p2p"] else e["collective_seq_id"]
                for key in ("collective_seq_id", "p2p_seq_id", "is_p2p", "timeout_ms", "thread_name", "thread_id", "retired"):
                    e.pop(key, None)
            return {**out, "entries": entries}
        out["pg_config"] = {n: {"name": n, "desc": GROUPS[n][0], "ranks": str(GROUPS[n][1])} for n in groups_of(self.rank)}
        if version != "2.4":
            out["nccl_version"] = "2.27.3"
        else:
            for e in entries:
                del e["thread_name"], e["thread_id"]
        out["pg_status"] = {str(i): dict(zip(("last_enqueued_collective", "last_started_collective", "last_completed_collective"), self.status[n]))
                            for i, n in enumerate(groups_of(self.rank))}
        out["entries"] = entries
        return out


def build(scenario):
    job = [Rank(r) for r in range(WORLD)]
    for r in job:  # Some steps that all have ended.
        for _ in range(3):
            r.collective(group("TENSOR", r.rank), "_all_gather_base", 128, True)
            r.collective(group("TENSOR", r.rank), "_reduce_scatter_base", 256, True)
            r.transfer(group("PIPELINE", r.rank), r.rank < 4, 128, True)
        r.collective(group("DATA", r.rank), "all_reduce", 512, True)
        r.collective("0", "all_reduce", 1, True)
    if scenario == "running":
        return job
    if scenario in ("mismatch", "sizes", "equal"):
        for r in job:
            odd = r.rank == 4
            r.collective("0", "broadcast" if odd and scenario == "mismatch" else "all_reduce", 9 if odd and scenario == "sizes" else 1, False)
        return job
    if scenario == "missing":
        for r in job:
            if r.rank not in (2, 5):
                r.collective(group("TENSOR", r.rank), "_all_gather_base", 128, False)
                r.collective(group("DATA", r.rank), "all_reduce", 512, False)
                r.transfer(group("PIPELINE", r.rank), r.rank < 4, 128, False)
        return job
    if scenario == "behind":
        for r in job:
            data = group("DATA", r.rank)  # {1, 3}: rank 1 never comes.
            if r.rank != 1:
                r.collective(data, "all_reduce", 512, r.rank not in (1, 3))
            if r.rank not in (1, 3):      # {2, 3}: rank 3 still waits for rank 1.
                r.collective(group("TENSOR", r.rank), "_all_gather_base", 128, False)
        return job
    if scenario == "stalled":
        for r in job:  # {6, 7} and {4, 6}: rank 6 sees nothing end any more.
            tensor, data = group("TENSOR", r.rank), group("DATA", r.rank)
            stopped = r.rank == 6
            for _ in range(3):
                r.collective(tensor, "_all_gather_base", 128, not stopped)
            r.collective(data, "all_reduce", 512, not stopped)
            r.collective(tensor, "_reduce_scatter_base", 256, False)
        return job
    raise SystemExit(f"make_dumps.py: no scenario `{scenario}`")


class Pickler:
    def __init__(self):
        self.out, self.texts = bytearray(b"\x80\x02"), {}
        self.kept = 0

    def keep(self):
        self.out += b"q" + bytes([self.kept]) if self.kept < 256 else b"r" + struct.pack("<I", self.kept)
        self.kept += 1

    def value(self, v):
        if v is None:
            self.out += b"N"
        elif v is True or v is False:
            self.out += b"\x88" if v else b"\x89"
        elif isinstance(v, int):
            self.integer(v)
        elif isinstance(v, float):
            self.out += b"G" + struct.pack(">d", v)
        elif isinstance(v, str):
            self.text(v)
        elif isinstance(v, tuple):
            for item in v:
                self.value(item)
            self.out += bytes([0x84 + len(v)])
        elif isinstance(v, list):
            self.out += b"]"
            self.keep()
            self.out += b"("
            for item in v:
                self.value(item)
            self.out += b"e"
        else:
            self.out += b"}"
            self.keep()
            self.out += b"("
            for key, item in v.items():
                self.value(key)
                self.value(item)
            self.out += b"u"

    def integer(self, v):
        if 0 <= v < 256:
            self.out += b"K" + bytes([v])
        elif 0 <= v < 65536:
            self.out += b"M" + struct.pack("<H", v)
        elif -2**31 <= v < 2**31:
            self.out += b"J" + struct.pack("<i", v)
        else:
            self.out += b"\x8a\x08" + struct.pack("<q", v)

    def text(self, v):
        if v in self.texts:
            at = self.texts[v]
            self.out += b"h" + bytes([at]) if at < 256 else b"j" + struct.pack("<I", at)
            return
        data = v.encode()
        self.out += b"X" + struct.pack("<I", len(data)) + data
        self.texts[v] = self.kept
        self.keep()


def as_json(dump):
    """The HTTP handler writes the numbers of statuses as text, 0 for a time that is not known, and no frames."""
    dump = json.loads(json.dumps(dump))
    for status in dump.get("pg_status", {}).values():
        for key in status:
            status[key] = str(status[key])
    for e in dump["entries"]:
        e.pop("frames", None)
        for key in ("time_discovered_started_ns", "time_discovered_completed_ns"):
            e[key] = e[key] or 0
    if not dump["entries"]:
        del dump["entries"]
    return json.dumps(dump, separators=(",", ":"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("scenario")
    parser.add_argument("--form", choices=["pickle", "json"], default="pickle")
    parser.add_argument("--version", default="2.9")
    parser.add_argument("--complete", action="store_true", help="ended operations too, as PyTorch dumps by default")
    parser.add_argument("--without", type=int, nargs="*", default=[], help="ranks that write no dump")
    args = parser.parse_args()
    add_groups()
    args.out.mkdir(parents=True, exist_ok=True)
    for rank in build(args.scenario):
        if rank.rank in args.without:
            continue
        dump = rank.dump(args.version, args.complete)
        if args.form == "json":
            (args.out / f"_dump_{rank.rank}.json").write_text(as_json(dump))
            continue
        pickler = Pickler()
        pickler.value(dump)
        (args.out / f"_dump_{rank.rank}").write_bytes(bytes(pickler.out) + b".")


if __name__ == "__main__":
    main()
