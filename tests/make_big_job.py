#!/usr/bin/env python3
"""Write the evidence of a big failed job as NDJSON.

usage: make_big_job.py [--nodes N] [--ranks-per-node N] > big.ndjson

One NVLink fault on one node in the middle of the job; ten minutes later every rank's watchdog gives up, and Slurm ends the step. The header
has the whole placement and says that kernel and application logs of all nodes are complete. The same arguments give the same bytes.
"""
import argparse
import json
import sys

XID = ("NVRM: Xid (PCI:0000:04:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 08 "
       "(0x004505c6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)")
START, FAULT, END = "2026-05-18T12:00:00Z", "2026-05-18T12:31:05.120Z", "2026-05-18T12:42:00Z"


def watchdog(rank):
    micros = 10_000 + (rank * 7919) % 900_000  # Ranks do not give up in the order of their numbers.
    stamp = f"12:41:06.{micros:06d}"
    text = (f"[rank{rank}]:[E518 {stamp} ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: "
            f"WorkNCCL(SeqNum=9017, OpType=ALLREDUCE, NumelIn=67108864, NumelOut=67108864, Timeout(ms)=600000) "
            f"ran for {600_000 + micros // 10_000} milliseconds before timing out.")
    return f"2026-05-18T{stamp}Z", text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1280)
    parser.add_argument("--ranks-per-node", type=int, default=8)
    args = parser.parse_args()
    nodes = [f"node-{i:04d}" for i in range(args.nodes)]
    per_node, ranks = args.ranks_per_node, args.nodes * args.ranks_per_node
    faulty = nodes[args.nodes // 2]
    out = sys.stdout

    def write(item):
        out.write(json.dumps(item, separators=(",", ":")) + "\n")

    write({
        "schema": "attrib.evidence/1",
        "workload": {"id": "48213", "attempt": 1, "kind": "slurm", "name": "big", "cluster": "c1", "state": "FAILED", "exit_code": 1,
                     "start": START, "end": END, "nodes": nodes, "ranks": ranks, "ranks_per_node": per_node,
                     "placement": [{"rank": r, "node": nodes[r // per_node]} for r in range(ranks)]},
        "sources": [{"kind": kind, "node": node, "status": "ok", "coverage": [[START, END]]}
                    for kind in ("kernel", "app") for node in nodes],
    })
    write({"id": "k1", "ts": FAULT, "source": "kernel", "node": faulty, "message": XID})
    for rank in range(ranks):
        ts, message = watchdog(rank)
        write({"id": f"w{rank}", "ts": ts, "source": "app", "node": nodes[rank // per_node], "rank": rank, "message": message})
    write({"id": "s1", "ts": "2026-05-18T12:41:30Z", "source": "slurm",
           "message": f"srun: error: {nodes[0]}: task 0: Exited with exit code 1"})
    write({"id": "s2", "ts": END, "source": "slurm",
           "message": f"slurmstepd: error: *** STEP 48213.0 ON {nodes[0]} CANCELLED AT 2026-05-18T12:42:00 ***"})


if __name__ == "__main__":
    main()
