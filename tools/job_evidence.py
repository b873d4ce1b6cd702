#!/usr/bin/env python3
"""Build evidence of one job from what it left behind: its output, Slurm's accounting rows and the logs of Slurm's daemons.

Each attempt of the job (a requeue makes another) becomes one document of attrib.evidence/1, one a line on standard output, or
DIR/JOB-N.json with --out DIR. Only what belongs to the job is taken from logs that all jobs share: lines whose subject it is, and
lines about its nodes while it had them.

  sacct -D -P -j 36 -o JobID,JobIDRaw,JobName,User,State,ExitCode,DerivedExitCode,Reason,Submit,Start,End,NodeList,SubmitLine > sacct.psv
  tools/job_evidence.py --job 36 --sacct sacct.psv --output job.out --slurmctld slurmctld.log --slurmd node003=slurmd.log | head -n 1 > attempt-1.json
  attrib-vm run --program fleet.rbc --input attempt-1.json

Without --sacct the output alone makes one document (mpirun, torchrun): --node and --ranks say where it ran.
Stamps without zone are read in --tz. Exit codes: 0 written, 1 no such job or attempt, 2 usage, 3 a file or a time that cannot be read.
"""
import argparse
import collections
import dataclasses
import datetime
import itertools
import json
import pathlib
import re
import sys

OUTSIDE = 60             # seconds around the attempt for which its output is complete, too: a job prints only while it runs
AFTERWARDS = 5           # seconds for which lines about a node that name no job may still be the attempt's
MAX_HOSTS = 1 << 16      # of one host list
KEPT = ["JobID", "JobIDRaw", "JobName", "State", "ExitCode", "DerivedExitCode", "Reason", "FailedNode", "Submit", "Start", "End",
        "NNodes", "NTasks", "NodeList", "Timelimit", "TimelimitRaw", "Restarts"]
UNSET = {"", "None", "Unknown", "None assigned", "(null)", "N/A"}
STAMP = re.compile(r"\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?\]")
CANCEL_STAMP = re.compile(r"CANCELLED AT (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)")
CONTROLLER_JOB = re.compile(r"\b(?:JobId=|StepId=|[Jj]ob )(\d+(?:_(?:\d+|\[[\d,-]+\])|\+\d+)?)")
NODE_JOB = re.compile(r"^\[(\d+)\.\w+\]|\bStepId=(\d+)|\bJobId=(\d+)|\b[Jj]ob (\d+)")
WAIT_STATUS = re.compile(r"_job_complete: JobId=\S+ (WEXITSTATUS|WTERMSIG) (\d+)")
STEPD_NODE = re.compile(r"slurmstepd-([^:\s]+): ")
SLURM_TOOL = re.compile(r"(?:srun|slurmstepd(?:-\S+)?): ")


class InputError(Exception):
    """Something about the input that its giver can mend."""


def expand_hosts(text):
    """The names of a Slurm host list: `node[001-003,7],login`. Several bracket groups multiply, the last one fastest."""
    if text is None or text in UNSET:
        return []
    names = []
    for part in re.split(r",(?![^\[]*\])", text):
        choices = []
        for literal, ranges in re.findall(r"([^\[\]]+)|\[([^\]]*)\]", part):
            choices.append([literal] if literal else [n for r in ranges.split(",") for n in expand_range(r)])
        size = 1
        for choice in choices:
            size *= len(choice)
        if size + len(names) > MAX_HOSTS:
            raise InputError(f"host list names more than {MAX_HOSTS} hosts: {text[:80]}")
        names += ["".join(c) for c in itertools.product(*choices)]
    return names


def expand_range(text):
    low, _, high = text.partition("-")
    if not low.isdigit() or (high and not high.isdigit()):
        return [text]
    last = int(high or low)
    if last - int(low) >= MAX_HOSTS:
        raise InputError(f"host range is too wide: {text}")
    return [str(n).zfill(len(low)) for n in range(int(low), last + 1)]


@dataclasses.dataclass(frozen=True)
class Zone:
    """The fixed offset in which sacct and the daemons print their times."""

    name: str

    @property
    def offset(self):
        if self.name in ("UTC", "Z"):
            return 0
        match = re.fullmatch(r"([+-])(\d\d):?(\d\d)", self.name)
        if not match:
            raise InputError(f"--tz {self.name}: expected UTC or an offset such as +02:00")
        seconds = int(match[2]) * 3600 + int(match[3]) * 60
        return seconds if match[1] == "+" else -seconds

    def seconds(self, text):
        """Unix seconds of an accounting time or of a log's stamp; None if it is not set."""
        if text is None or text in UNSET:
            return None
        if text.isdigit():  # SLURM_TIME_FORMAT=%s
            return int(text)
        try:
            local = datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc)
        except ValueError as error:
            raise InputError(f"time {text!r}: {error}") from error
        return int(local.timestamp()) - self.offset


def rfc3339(seconds):
    return None if seconds is None else datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def read_accounting(text):
    """Rows of `sacct --parsable2` with its header line.

    SubmitLine may hold bars and newlines: what a record has too many of is part of it.
    """
    lines = text.splitlines()
    header = lines[0].split("|") if lines else []
    if "JobID" not in header or "State" not in header:
        raise InputError("the accounting has no header line with JobID and State (use sacct --parsable2 without --noheader)")
    free = header.index("SubmitLine") if "SubmitLine" in header else len(header) - 1
    records = []
    for line in lines[1:]:
        complete = records and len(records[-1].split("|")) >= len(header)
        starts = len(line.split("|")) >= len(header) or (complete and free != len(header) - 1)
        if records and not starts:
            records[-1] += "\n" + line
        else:
            records.append(line)
    rows = []
    for record in records:
        cells = record.split("|")
        surplus = len(cells) - len(header)
        if surplus < 0:
            raise InputError(f"accounting row has {len(cells)} of {len(header)} columns: {record[:80]}")
        cells[free:free + surplus + 1] = ["|".join(cells[free:free + surplus + 1])]
        rows.append(dict(zip(header, cells)))
    return rows


@dataclasses.dataclass
class Attempt:
    number: int
    rows: list
    submit: int | None
    start: int | None
    end: int | None
    nodes: list
    controller_until: float = float("inf")   # the controller writes about the next attempt from here on
    node_until: float = float("inf")         # the nodes do

    @property
    def allocations(self):
        """The last row of each component: a resized job has several."""
        return list({r.get("JobIDRaw") or r["JobID"]: r for r in self.rows if is_allocation(r)}.values())

    @property
    def last_end(self):
        """Steps may end after their job: KillWait."""
        return max((r["end"] for r in self.rows if r["end"] is not None), default=self.end)

    def leader(self):
        """The row that tells how the attempt ended: of a heterogeneous job the first component that did not complete."""
        return next((r for r in self.allocations if r["State"] != "COMPLETED"), self.allocations[0])


def is_allocation(row):
    return "." not in row["JobID"]


def base_id(text):
    return text.partition(".")[0]


@dataclasses.dataclass
class JobNames:
    """How the daemons call the job: the controller by its displayed id, slurmd by its raw number."""

    controller: set
    node: set


def find_job(rows, job):
    """The rows of the job and its names. `job` is an id as sacct displays it (7, 17_2, 18) or a raw number."""
    mine = [r for r in rows if base_id(r["JobID"]) == job or base_id(r["JobID"]).startswith(job + "+")]
    if not mine:
        tasks = sorted({base_id(r["JobID"]) for r in rows if r["JobID"].startswith(job + "_")})
        if tasks:
            raise LookupError(f"job {job} is an array: name one of its tasks: {', '.join(tasks[:8])}")
        mine = [r for r in rows if base_id(r.get("JobIDRaw", "")) == job]
    if not mine:
        raise LookupError(f"job {job}: no such job in the accounting")
    displayed = {base_id(r["JobID"]) for r in mine}
    raw = {base_id(r.get("JobIDRaw") or r["JobID"]) for r in mine}
    arrays = {d.partition("_")[0] for d in displayed if "_" in d}
    leaders = {d.partition("+")[0] for d in displayed if "+" in d}
    return mine, JobNames(displayed | leaders | (arrays or raw), raw)


def attempts_of(rows, zone):
    """Group rows into attempts. A record that ends as RESIZING goes on in the next record: no new attempt."""
    for row in rows:
        row.update({key: zone.seconds(row.get(name)) for key, name in (("submit", "Submit"), ("start", "Start"), ("end", "End"))})
    groups = collections.defaultdict(list)   # raw id -> list of lists of rows
    resizing = set()
    for row in rows:
        raw = base_id(row.get("JobIDRaw") or row["JobID"])
        if not is_allocation(row) and groups[raw]:
            groups[raw][-1].append(row)
        elif raw in resizing:
            groups[raw][-1].append(row)
        else:
            groups[raw].append([row])
        if is_allocation(row):
            (resizing.add if row["State"] == "RESIZING" else resizing.discard)(raw)
    attempts = []
    for number, parts in enumerate(itertools.zip_longest(*groups.values(), fillvalue=[]), 1):
        united = [row for part in parts for row in part]
        heads = [r for r in united if is_allocation(r)]
        known = lambda key: [r[key] for r in heads if r[key] is not None]
        nodes = list(dict.fromkeys(n for r in heads for n in expand_hosts(r.get("NodeList"))))
        attempts.append(Attempt(number, united, min(known("submit"), default=None), min(known("start"), default=None),
                                max(known("end"), default=None), nodes))
    for attempt, following in zip(attempts, attempts[1:]):
        # The line that requeues the job carries the second of the new record's Submit.
        attempt.controller_until = following.submit + 1 if following.submit is not None else float("inf")
        attempt.node_until = following.start if following.start is not None else float("inf")
    return attempts


@dataclasses.dataclass
class Line:
    number: int
    text: str
    when: int | None     # of its stamp or, without one, of the line before it


def read_log(path, zone):
    lines, when = [], None
    for number, text in enumerate(read_text(path).splitlines(), 1):
        stamp = STAMP.match(text)
        when = zone.seconds(stamp[1]) if stamp else when
        lines.append(Line(number, text, when))
    return lines


def read_text(path):
    try:
        return pathlib.Path(path).read_text(errors="backslashreplace")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def held(attempt, line):
    """Whether the attempt had its nodes, or had them a moment ago, when the line was written.

    Not before: what a node says of the prolog of the job before names no job either.
    """
    if line.when is None or attempt.start is None:
        return False
    return attempt.start <= line.when <= (attempt.last_end or line.when) + AFTERWARDS


def controller_lines(lines, attempt, names, earlier):
    """Lines of slurmctld whose subject, the first job named, is this one, and those about its nodes that name no job."""
    for line in lines:
        if line.when is None or not (earlier.controller_until if earlier else 0) <= line.when < attempt.controller_until:
            continue
        subject = CONTROLLER_JOB.search(line.text)
        if subject:
            if names.controller.intersection(expand_hosts(subject[1])):
                yield line
        elif held(attempt, line) and names_node(line.text, attempt.nodes):
            yield line


def names_node(text, nodes):
    words = re.findall(r"[\w.-]+(?:\[[\d,-]+\])?", text)
    return any(not set(nodes).isdisjoint(expand_hosts(w.rstrip(".")) if "[" in w else [w.rstrip(".")]) for w in words)


def node_lines(lines, attempt, names, earlier):
    """Lines of a slurmd about the job, and those that name no job, while the attempt had the node."""
    since = attempt.start if earlier else float("-inf")
    for line in lines:
        if line.when is None or attempt.start is None or not since <= line.when < attempt.node_until:
            continue
        body = STAMP.sub("", line.text, count=1).lstrip()
        subjects = {next(filter(None, m.groups())) for m in NODE_JOB.finditer(body)}
        if subjects & names.node or (not subjects and held(attempt, line)):
            yield line


def split_output(lines, attempts, zone):
    """Line numbers at which each attempt's part of the output begins.

    With --open-mode=append attempts share the file. An attempt's part ends with the last line that says when slurmstepd ended it, and with
    what Slurm's tools print right after it. Without such a line the file was truncated at the requeue: all of it is the last attempt's.
    """
    begins = [0]
    for attempt in attempts[:-1]:
        cut = begins[-1]
        for index in range(begins[-1], len(lines)):
            stamp = CANCEL_STAMP.search(lines[index])
            if stamp and zone.seconds(stamp[1]) < attempt.node_until:
                cut = index + 1
        while cut > begins[-1] and cut < len(lines) and SLURM_TOOL.match(lines[cut]):
            cut += 1
        begins.append(cut)
    return begins + [len(lines)]


def output_observations(lines, first, attempt, file):
    """Lines of the job's output. They carry no stamps: the accounting says between which times they were printed.

    A line that names its node (`slurmstepd-NODE:`) is read as one of that node's, so each node gets the bounds.
    """
    place = {"source": "app", **({"node": attempt.nodes[0]} if len(attempt.nodes) == 1 else {}), "file": file}
    speakers = dict.fromkeys([place.get("node"), *(m[1] for m in map(STEPD_NODE.match, lines) if m)])

    def bounds(when, seq, what):
        for speaker in speakers if when is not None else ():
            yield {"id": ":".join(filter(None, (file, what, speaker))), "ts": rfc3339(when), **place, **({"node": speaker} if speaker else {}),
                   "seq": seq, "record": {"Output": what}}

    observations = list(bounds(attempt.start, first, "opened"))
    observations += [{"id": f"{file}:{n}", **place, "seq": n, "message": text} for n, text in enumerate(lines, first + 1)]
    return observations + list(bounds(attempt.last_end, first + len(lines) + 1, "closed"))


def log_observations(lines, file, node=None):
    return [{"id": f"{file}:{line.number}", "source": "slurm", **({"node": node} if node else {}), "file": file, "seq": line.number,
             "message": line.text} for line in lines]


def records(attempt):
    seen = collections.Counter()
    for row in attempt.rows:
        record = {name: row[name] for name in KEPT if row.get(name)}
        seen[row["JobID"]] += 1
        suffix = f"/{seen[row['JobID']]}" if seen[row["JobID"]] > 1 else ""
        moment = row["end"] if row["end"] is not None else row["submit"]
        yield {"id": f"sacct:{row['JobID']}{suffix}", **({"ts": rfc3339(moment)} if moment is not None else {}), "source": "slurm", "record": record}


def true_exit(lines, row):
    """Exit code and signal of the attempt. sacct subtracts 128 from codes above it; slurmctld's own line does not."""
    code, _, signal = (row.get("ExitCode") or "").partition(":")
    code, signal = (int(code), int(signal)) if code.isdigit() and signal.isdigit() else (None, None)
    for line in lines:
        status = WAIT_STATUS.search(line.text)
        if status:
            code, signal = (int(status[2]), 0) if status[1] == "WEXITSTATUS" else (0, int(status[2]))
    return {k: v for k, v in (("exit_code", code), ("signal", signal)) if v is not None}


def span(lines, attempt):
    """Coverage of a log, if it begins before the attempt and goes on after it. Accounting cuts times to the second."""
    stamps = [line.when for line in lines if line.when is not None]
    first = attempt.submit if attempt.submit is not None else attempt.start
    if not stamps or first is None or attempt.end is None or stamps[0] > first or stamps[-1] < attempt.end:
        return {}
    until = max(attempt.end + 1, min(stamps[-1], attempt.end + OUTSIDE))
    return {"coverage": [[rfc3339(max(stamps[0], first - OUTSIDE)), rfc3339(until)]]}


def slurm_documents(args):
    zone = Zone(args.tz)
    rows, names = find_job(read_accounting(read_text(args.sacct)), args.job)
    attempts = attempts_of(rows, zone)
    controller = read_log(args.slurmctld, zone) if args.slurmctld else []
    node_logs = {node: read_log(path, zone) for node, path in args.slurmd}
    present = args.output is not None and pathlib.Path(args.output).exists()
    output = read_text(args.output).splitlines() if present else []
    begins = split_output(output, attempts, zone)
    earlier = None
    for attempt in attempts:
        first, last = begins[attempt.number - 1], begins[attempt.number]
        kept = list(controller_lines(controller, attempt, names, earlier))
        leader = attempt.leader()
        workload = {"id": args.job, "attempt": attempt.number, "kind": "slurm", "name": leader.get("JobName"), "user": leader.get("User"),
                    "cluster": args.cluster, "state": leader["State"].split(" ")[0], **true_exit(kept, leader), "start": rfc3339(attempt.start),
                    "end": rfc3339(attempt.end), "nodes": attempt.nodes}
        sources = [{"kind": "slurm", "tz": zone.name, **(span(controller, attempt) if controller else {})}]
        observations = list(records(attempt))
        observations += log_observations(kept, "slurmctld.log")
        for node in attempt.nodes:
            if node in node_logs:
                sources.append({"kind": "slurm", "node": node, "tz": zone.name, **span(node_logs[node], attempt)})
                observations += log_observations(node_lines(node_logs[node], attempt, names, earlier), f"slurmd-{node}.log", node)
        if args.output is not None:
            sources.append(output_source(present, last > first, attempt, zone))
            if present:
                observations += output_observations(output[first:last], first, attempt, "job.out")
        yield {"schema": "attrib.evidence/1", "workload": {k: v for k, v in workload.items() if v not in (None, "")}, "sources": sources,
               "observations": observations}
        earlier = attempt


def output_source(present, printed, attempt, zone):
    if not present:
        return {"kind": "app", "status": "missing", "reason": "the job left no output file"}
    interval = {"coverage": [[rfc3339(attempt.start - OUTSIDE), rfc3339(attempt.last_end + OUTSIDE)]]} if None not in (attempt.start, attempt.last_end) else {}
    return {"kind": "app", "tz": zone.name, "status": "ok" if printed else "empty", **({} if printed else {"reason": "the job printed nothing"}), **interval}


def output_document(args):
    """What a launcher printed, with nothing else known."""
    lines = read_text(args.output).splitlines()
    attempt = Attempt(1, [], None, None, None, args.node)
    workload = {"id": args.job, "attempt": 1, "nodes": args.node, "ranks": args.ranks}
    yield {"schema": "attrib.evidence/1", "workload": {k: v for k, v in workload.items() if v not in (None, [])},
           "observations": output_observations(lines, 0, attempt, "job.out")}


def node_and_path(text):
    node, separator, path = text.partition("=")
    if not node or not separator or not path:
        raise argparse.ArgumentTypeError(f"{text!r}: expected NODE=FILE")
    return node, path


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--job", required=True, help="id as sacct displays it: 7, 17_2 (array task), 18 (heterogeneous job)")
    parser.add_argument("--sacct", metavar="FILE", help="accounting rows: sacct -D --parsable2, with the header line")
    parser.add_argument("--output", metavar="FILE", help="what the job printed; a missing file is evidence, too")
    parser.add_argument("--slurmctld", metavar="FILE", help="log of the controller")
    parser.add_argument("--slurmd", metavar="NODE=FILE", type=node_and_path, action="append", default=[], help="log of a node's slurmd (repeat)")
    parser.add_argument("--cluster", help="name of the cluster")
    parser.add_argument("--tz", default="UTC", help="zone of stamps: UTC (default) or an offset such as +02:00")
    parser.add_argument("--node", action="append", default=[], help="without --sacct: where it ran (repeat)")
    parser.add_argument("--ranks", type=int, help="without --sacct: how many ranks it had")
    parser.add_argument("--attempt", type=int, help="only this attempt")
    parser.add_argument("--out", metavar="DIR", help="write DIR/JOB-N.json, indented, instead of lines")
    args = parser.parse_args()
    if args.sacct is None and args.output is None:
        parser.error("give --sacct, --output or both")
    if args.sacct is None and (args.slurmctld or args.slurmd):
        parser.error("--slurmctld and --slurmd need --sacct: it says which lines are the job's")
    return args


def indented(document):
    """One observation a line: a document that people can read and compare."""
    head = {k: v for k, v in document.items() if k != "observations"}
    lines = ",\n  ".join(json.dumps(o) for o in document["observations"])
    return json.dumps(head, indent=1)[:-2] + ",\n \"observations\": [\n  " + lines + "\n ]\n}\n"


def main():
    args = arguments()
    documents = [d for d in (slurm_documents(args) if args.sacct else output_document(args))
                 if args.attempt in (None, d["workload"]["attempt"])]
    if not documents:
        raise LookupError(f"job {args.job} has no attempt {args.attempt}")
    for document in documents:
        if args.out is None:
            print(json.dumps(document))
            continue
        folder = pathlib.Path(args.out)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{args.job.replace('/', '_')}-{document['workload']['attempt']}.json").write_text(indented(document))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except InputError as problem:
        print(f"job_evidence: {problem}", file=sys.stderr)
        sys.exit(3)
    except LookupError as problem:
        print(f"job_evidence: {problem.args[0]}", file=sys.stderr)
        sys.exit(1)
