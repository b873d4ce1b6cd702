#!/usr/bin/env python3
"""Counted repeats (docs/semantics.md) change no verdict and take no memory.

usage: repeats_test.py --bin DIR --fleet FILE [--rounds 12] [--seed 1] [--lines 300000]

A log with many repeats is read twice: by itself, and beside one observation as JSON, which keeps every line. The verdicts
must differ in nothing but that observation. Then --lines repeats may take no more memory than a tenth of them, and on
several threads no more than what is read ahead.
"""
import argparse
import datetime
import difflib
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

LINES = {
    "syslog": [
        "kernel: NVRM: Xid (PCI:0000:04:00): 79, pid=1234, name=python3, GPU has fallen off the bus.",
        "kernel: NVRM: Xid (PCI:0000:04:00): 48, pid=99, name=python3, Double Bit ECC Error: physical address 0x123456789abc",
        "kernel: mlx5_core 0000:1b:00.0 mlx5_0: Port: 1 Link DOWN",
        "kernel: nfs: server nfs1.cluster.local not responding, timed out",
        "kernel: nfs: server nfs1.cluster.local OK",
        "kernel: nvme nvme1: I/O 12 QID 3 timeout, aborting",
        "kernel: printk: 12 messages suppressed",
        "kernel: Out of memory: Killed process 4242 (python3) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:1 pgtables:1kB oom_score_adj:0",
    ],
    "app": [
        "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.11 GiB of which 10.00 MiB is free.",
        "[rank2]: RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "transport/net_ib.cc:1295 NCCL WARN NET/IB: Got completion from peer 10.1.1.1<40001> with status=12 opcode=0 len=0 vendor err 129 (Send) hca mlx5_0",
        "slurmstepd-n1: error: *** STEP 918273.0 ON n1 CANCELLED AT 2026-05-18T12:42:00 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
        "Traceback (most recent call last):",
        "RuntimeError: NCCL communicator was aborted on rank 0.",
        "OSError: [Errno 28] No space left on device",
    ],
}
ORDINARY = "ordinary line {} of a program that goes on for so long that the middle of the log is not kept as a whole, and says nothing"
START = datetime.datetime(2026, 5, 18, 8, 0, 0)

parser = argparse.ArgumentParser()
parser.add_argument("--bin", required=True, type=pathlib.Path)
parser.add_argument("--fleet", required=True)
parser.add_argument("--rounds", type=int, default=12)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--lines", type=int, default=300000)
args = parser.parse_args()


def stamp(seconds, digits):
    return (START + datetime.timedelta(seconds=seconds)).isoformat(timespec="milliseconds" if digits else "seconds") + "Z"


def ordinary(rng, count, at, digits):
    return [f"{stamp(at + n / 50, digits)} n1 app[1]: {ORDINARY.format(rng.random())}\n" for n in range(count)]


def make(rng, kind):
    """Runs of repeats, mixed with each other and with gaps, between ordinary lines."""
    digits, host = rng.random() < 0.5, lambda: rng.choice(("n1", "n1", "n2"))
    lines, at = ordinary(rng, 600, -20, digits), 0.0
    for _ in range(rng.randint(3, 9)):
        bodies = rng.sample(LINES[kind], rng.randint(1, 2))
        stamped, pace = rng.random() < 0.8, rng.choice((0, 0.0004, 0.01, 0.3, 0.7, 2, 20))
        for _ in range(rng.choice((3, 20, 200, 700))):
            # A sharp stamp that comes again after the clock went back is the one thing that counting gets wrong.
            back = 0 if digits else 3
            at += rng.random() * 2 * pace - (back if rng.random() < 0.002 else 0) + (400 if rng.random() < 0.002 else 0)
            body = rng.choice(bodies)
            if body.startswith("kernel") or rng.random() < 0.5:
                body = f"{host()} {body}"
            lines.append(f"{stamp(at, digits)} {body}\n" if stamped else body + "\n")
        at += rng.choice((0.1, 5, 300))
        lines += ordinary(rng, rng.choice((0, 1, 40)), at, digits)
    return "".join(lines + ordinary(rng, 600, at + 1, digits))


def run(folder, *flags):
    command = [args.bin.resolve() / "attrib-vm", "run", "--program", pathlib.Path(args.fleet).resolve(), "--format", "json", "--explain", *flags]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(f"attrib-vm: exit {done.returncode}: {done.stderr}")
    return done.stdout


def verdicts(folder):
    (folder / "one.ndjson").write_text('{"source": "metric", "name": "x", "value": 1}\n')
    counted = run(folder, "--log", "app=app.log", "--log", "syslog=sys.log")
    kept = json.loads(run(folder, "--log", "app=app.log", "--log", "syslog=sys.log", "--input", "one.ndjson"))
    kept["counters"]["lines"] -= 1
    return json.loads(counted), kept


AHEAD_KB = 12 << 10  # What several threads may hold of a log, and a second thread's own.


def peak_kb(folder, lines, threads):
    """Peak memory of a run over so many repeats on standard input."""
    feed = "\n".join(["import sys", "for i in range(%d): print('x' * 200)" % 1000, "for i in range(%d): print('2026-05-18T08:%%02d:%%02d.%%03dZ n1 %s' %% (i // 60000 %% 60, i // 1000 %% 60, i %% 1000))"
                      % (lines, LINES["syslog"][0]), "for i in range(%d): print('x' * 200)" % 1000])
    source = subprocess.Popen([sys.executable, "-c", feed], stdout=subprocess.PIPE)
    command = [args.bin.resolve() / "attrib-vm", "run", "--program", pathlib.Path(args.fleet).resolve(), "--format", "json", "--log", "syslog@n1=-", "--profile=json",
               "--threads", str(threads)]
    # The address sanitizer sets freed memory aside, up to a quarter of a gigabyte.
    options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
    done = subprocess.run(command, cwd=folder, stdin=source.stdout, capture_output=True, text=True, env={**os.environ, "ASAN_OPTIONS": options})
    source.stdout.close()
    source.wait()
    verdict = json.loads(done.stdout)
    assert [cause["count"] for cause in verdict["root_causes"]] == [lines], f"not all repeats are counted: {verdict['root_causes']}"
    return json.loads(done.stderr)["peak_bytes"] / 1024


def main():
    symptoms = 0
    with tempfile.TemporaryDirectory(prefix="attrib-repeats-") as name:
        folder = pathlib.Path(name)
        for seed in range(args.seed, args.seed + args.rounds):
            rng = random.Random(seed)
            (folder / "app.log").write_text(make(rng, "app"))
            (folder / "sys.log").write_text(make(rng, "syslog"))
            counted, kept = verdicts(folder)
            symptoms += len(kept["symptoms"])
            if counted != kept:
                texts = [json.dumps(v, indent=1).splitlines() for v in (kept, counted)]
                print("\n".join(list(difflib.unified_diff(*texts, "kept", "counted", lineterm="", n=4))[:60]))
                sys.exit(f"seed {seed}: counting repeats changes the verdict")
        few, many, shared = peak_kb(folder, args.lines // 10, 1), peak_kb(folder, args.lines, 1), peak_kb(folder, args.lines, 2)
        assert many <= 1.1 * few, f"{args.lines} repeats take {many:.0f} KB, a tenth of them {few:.0f} KB"
        assert shared <= many + AHEAD_KB, f"{args.lines} repeats take {shared:.0f} KB on two threads, {many:.0f} KB on one"
    assert symptoms > args.rounds, "the logs show next to nothing"
    print(f"repeats: ok, {args.rounds} pairs of verdicts; {args.lines} repeats in {many / 1024:.1f} MB, a tenth of them in {few / 1024:.1f} MB")


main()
