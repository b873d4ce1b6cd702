#!/usr/bin/env python3
"""However a log is read, the verdict is the same: in one file or rotated, packed, by portable code, on several threads.

usage: reading_test.py --bin DIR --fleet FILE
"""
import argparse
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser()
parser.add_argument("--bin", required=True, type=pathlib.Path)
parser.add_argument("--fleet", required=True)
args = parser.parse_args()


def run(folder, *flags):
    """The verdict and the figures of --stats, with FOLDER/train.log as `app` unless flags name logs."""
    logs = () if "--log" in flags else ("--log", "app=train.log")
    done = subprocess.run([args.bin.resolve() / "attrib-vm", "run", "--program", pathlib.Path(args.fleet).resolve(), "--format", "json", "--stats", *logs,
                           *flags], cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(f"attrib-vm {' '.join(flags)}: exit {done.returncode}: {done.stderr}")
    return done.stdout, done.stderr


def without_parts(verdict):
    """Ids of lines without the files of the set and their lines: only these may differ."""
    def plain(value):
        if isinstance(value, str):
            name, colon, line = value.rpartition(":")
            return "train.log" if colon and line.isdigit() and name.removeprefix("./").startswith("train.log") else value
        if isinstance(value, list):
            return [plain(each) for each in value]
        return {key: plain(each) for key, each in value.items()} if isinstance(value, dict) else value
    return plain(json.loads(verdict))


def rotate(folder, text, names):
    """Writes `text` to files of these names, oldest first, cut at line ends."""
    lines, count = text.splitlines(keepends=True), len(names)
    for at, name in enumerate(names):
        part = b"".join(lines[len(lines) * at // count:len(lines) * (at + 1) // count])
        (folder / name).write_bytes(gzip.compress(part, 1) if name.endswith(".gz") else part)


def main():
    with tempfile.TemporaryDirectory(prefix="attrib-reading-") as name:
        scratch = pathlib.Path(name)
        plain, sets = scratch / "plain", {"numbers": ["train.log.3.gz", "train.log.2.gz", "train.log.1", "train.log"],
                                          "dates": ["train.log-20260516.gz", "train.log-20260517", "train.log-20260518", "train.log"]}
        plain.mkdir()
        subprocess.run([ROOT / "bench" / "make_log.py", "--mb", "1", "--signal", "0.01", "--out", plain / "train.log"], check=True, stdout=subprocess.DEVNULL)
        text = (plain / "train.log").read_bytes()
        expected = run(plain)
        assert json.loads(expected[0])["symptoms"], "the log shows nothing"
        assert run(plain, "--portable") == expected, "portable code gives another verdict"
        for kind, names in sets.items():
            folder = scratch / kind
            folder.mkdir()
            rotate(folder, text, names)
            for logs in (["app=."], [f"app={name}" for name in names], ["app=train.log*"]):
                verdict, stats = run(folder, *(flag for log in logs for flag in ("--log", log)))
                assert stats == expected[1], f"{kind}, {logs}: {stats.splitlines()[:2]}, not {expected[1].splitlines()[:2]}"
                assert without_parts(verdict) == without_parts(expected[0]), f"{kind}, {logs}: another verdict"
        long = scratch / "long"
        long.mkdir()
        subprocess.run([ROOT / "bench" / "make_log.py", "--mb", "12", "--pool", "1", "--signal", "0.01", "--out", long / "train.log"], check=True,
                       stdout=subprocess.DEVNULL)
        one = run(long, "--threads", "1")
        for threads in (), ("--threads", "2"), ("--threads", "5"), ("--threads", "5", "--portable"):
            assert run(long, *threads) == one, f"a long log reads otherwise with {threads or 'the usual threads'}"
        folder = scratch / "ranks"
        folder.mkdir()
        rotate(folder, text, [f"rank{n}.log" for n in range(9)])
        one = run(folder, "--log", "app=.")
        for threads in "2", "7":
            assert run(folder, "--log", "app=.", "--threads", threads) == one, f"{threads} threads give another verdict"
    print("reading: ok")


main()
