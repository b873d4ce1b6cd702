#!/usr/bin/env python3
"""tools/job_evidence.py on small made-up inputs: what it reads, what it leaves out, and how it says what is wrong.

usage: job_evidence_test.py [-v]

The real jobs are in tests/samples; here each test holds one shape.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILDER = ROOT / "tools/job_evidence.py"
sys.path.insert(0, str(ROOT / "tools"))
import job_evidence  # noqa: E402

HEADER = "JobID|JobIDRaw|JobName|State|ExitCode|Submit|Start|End|NodeList|SubmitLine"


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, *lines):
        path = pathlib.Path(self.folder.name) / name
        path.write_text("\n".join(lines) + "\n")
        return path

    def run_builder(self, *arguments):
        return subprocess.run([sys.executable, BUILDER, *map(str, arguments)], capture_output=True, text=True, timeout=60)

    def documents(self, *arguments):
        done = self.run_builder(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]


def messages(document, file):
    return [o["message"] for o in document["observations"] if o.get("file") == file and "message" in o]


class HostLists(unittest.TestCase):
    def test_ranges_keep_their_padding_and_groups_multiply(self):
        expand = job_evidence.expand_hosts
        self.assertEqual(expand("node[001-003,7],login"), ["node001", "node002", "node003", "node7", "login"])
        self.assertEqual(expand("[09-11]"), ["09", "10", "11"])
        self.assertEqual(expand("rack[1-2]node[01-02]"), ["rack1node01", "rack1node02", "rack2node01", "rack2node02"])

    def test_words_for_nothing_name_no_host(self):
        for text in (None, "", "None assigned", "(null)"):
            self.assertEqual(job_evidence.expand_hosts(text), [])

    def test_an_absurd_list_is_refused(self):
        with self.assertRaises(job_evidence.InputError):
            job_evidence.expand_hosts("n[0-99999999]")
        with self.assertRaises(job_evidence.InputError):
            job_evidence.expand_hosts("a[0-999]b[0-999]")


class Accounting(Folder):
    def rows(self, *lines):
        return job_evidence.read_accounting("\n".join([HEADER, *lines]))

    def test_bars_and_newlines_of_the_submit_line_are_its_own(self):
        rows = self.rows("1|1|a|COMPLETED|0:0|1|1|2|n1|sbatch a | tee b", "2|2|b|FAILED|1:0|1|1|2|n1|bash -c 'x", "y | z'",
                         "3|3|c|FAILED|1:0|1|1|2|n1|c")
        self.assertEqual([r["JobID"] for r in rows], ["1", "2", "3"])
        self.assertEqual([r["SubmitLine"] for r in rows], ["sbatch a | tee b", "bash -c 'x\ny | z'", "c"])

    def test_a_submit_line_in_the_middle_takes_what_is_too_much(self):
        header = "JobID|State|SubmitLine|NodeList"
        rows = job_evidence.read_accounting("\n".join([header, "1|FAILED|a | b|n1", "2|FAILED|bash -c 'x", "y'|n2", "3|FAILED|c|n3"]))
        self.assertEqual([(r["JobID"], r["SubmitLine"], r["NodeList"]) for r in rows],
                         [("1", "a | b", "n1"), ("2", "bash -c 'x\ny'", "n2"), ("3", "c", "n3")])

    def test_accounting_without_a_header_is_refused(self):
        path = self.write("sacct.psv", "1|1|a|COMPLETED")
        done = self.run_builder("--job", "1", "--sacct", path)
        self.assertEqual(done.returncode, 3)
        self.assertIn("no header line", done.stderr)

    def test_a_short_row_is_refused(self):
        path = self.write("sacct.psv", HEADER, "1|1|a")
        self.assertEqual(self.run_builder("--job", "1", "--sacct", path).returncode, 3)

    def test_times_have_the_zone_of_the_client(self):
        path = self.write("sacct.psv", HEADER, "1|1|a|FAILED|1:0|2026-05-18T10:00:00|2026-05-18T10:00:05|2026-05-18T10:01:00|n1|x")
        workload = self.documents("--job", "1", "--sacct", path, "--tz", "+02:00")[0]["workload"]
        self.assertEqual((workload["start"], workload["end"]), ("2026-05-18T08:00:05Z", "2026-05-18T08:01:00Z"))
        self.assertEqual(self.run_builder("--job", "1", "--sacct", path, "--tz", "CEST").returncode, 3)

    def test_epoch_times_need_no_zone(self):
        path = self.write("sacct.psv", HEADER, "1|1|a|FAILED|1:0|1779098400|1779098405|1779098460|n1|x")
        self.assertEqual(self.documents("--job", "1", "--sacct", path, "--tz", "+02:00")[0]["workload"]["start"], "2026-05-18T10:00:05Z")

    def test_a_job_that_never_started_has_no_start_and_no_nodes(self):
        path = self.write("sacct.psv", HEADER, "39|39|a|DEADLINE|1:0|100|None|160|None assigned|x")
        workload = self.documents("--job", "39", "--sacct", path)[0]["workload"]
        self.assertNotIn("start", workload)
        self.assertEqual(workload["nodes"], [])
        self.assertEqual(workload["state"], "DEADLINE")


class Jobs(Folder):
    def test_an_array_asks_for_its_task(self):
        path = self.write("sacct.psv", HEADER, "17_0|28|a|COMPLETED|0:0|100|101|102|n1|x", "17_3|17|a|FAILED|7:0|100|101|102|n1|x")
        done = self.run_builder("--job", "17", "--sacct", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("17_0, 17_3", done.stderr)
        self.assertEqual(self.documents("--job", "17_3", "--sacct", path)[0]["workload"]["exit_code"], 7)

    def test_components_of_a_heterogeneous_job_are_one_attempt(self):
        path = self.write("sacct.psv", HEADER, "18+0|18|a|COMPLETED|0:0|100|101|103|n4|x", "18+1|19|a|FAILED|3:0|100|101|104|n[1-2]|x")
        [document] = self.documents("--job", "18", "--sacct", path)
        self.assertEqual(document["workload"]["nodes"], ["n4", "n1", "n2"])
        self.assertEqual(document["workload"]["state"], "FAILED")

    def test_a_resized_job_is_one_attempt(self):
        path = self.write("sacct.psv", HEADER, "38|38|a|RESIZING|0:0|100|101|140|n[3-4]|x", "38.0|38.0|a|RESIZING|0:0|100|101|140|n[3-4]|",
                          "38|38|a|COMPLETED|0:0|140|140|150|n3|x")
        [document] = self.documents("--job", "38", "--sacct", path)
        self.assertEqual(document["workload"]["state"], "COMPLETED")
        self.assertEqual(document["workload"]["end"], "1970-01-01T00:02:30Z")

    def test_an_unknown_job_or_attempt_is_named(self):
        path = self.write("sacct.psv", HEADER, "1|1|a|FAILED|1:0|100|101|102|n1|x")
        for arguments in (["--job", "2"], ["--job", "1", "--attempt", "2"]):
            self.assertEqual(self.run_builder(*arguments, "--sacct", path).returncode, 1)


class Logs(Folder):
    def setUp(self):
        super().setUp()
        self.sacct = self.write("sacct.psv", HEADER, "36|36|a|NODE_FAIL|0:0|2026-05-18T10:00:00|2026-05-18T10:00:10|2026-05-18T10:05:00|n[3-4]|x",
                                "36|36|a|COMPLETED|0:0|2026-05-18T10:05:03|2026-05-18T10:07:00|2026-05-18T10:08:00|n[3-4]|x")

    def kept(self, *lines):
        path = self.write("ctld.log", *(f"[2026-05-18T{line}" for line in lines))
        return [messages(d, "slurmctld.log") for d in self.documents("--job", "36", "--sacct", self.sacct, "--slurmctld", path)]

    def test_the_first_job_of_a_line_is_its_subject(self):
        first, second = self.kept("10:04:00.000] preempted JobId=31 has been requeued to reclaim resources for JobId=36",
                                  "10:04:01.000] preempted JobId=36 has been requeued to reclaim resources for JobId=37",
                                  "10:04:02.000] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=360 uid 0")
        self.assertEqual([len(first), len(second)], [1, 0])
        self.assertIn("JobId=36 has been", first[0])

    def test_the_line_that_requeues_belongs_to_the_attempt_before(self):
        first, second = self.kept("10:05:03.600] Requeuing JobId=36", "10:07:00.100] sched/backfill: _start_job: Started JobId=36 in main on n[3-4]")
        self.assertEqual([len(first), len(second)], [1, 1])

    def test_lines_about_the_nodes_count_only_while_the_job_has_them(self):
        first, second = self.kept("10:00:01.000] error: validate_node_specs: Prolog or job env setup failure on node n4, draining the node",
                                  "10:05:00.000] error: Nodes n[4-5] not responding, setting DOWN",
                                  "10:05:00.000] error: Nodes n7 not responding, setting DOWN",
                                  "10:06:00.000] Node n4 now responding")
        self.assertEqual(len(first), 1)
        self.assertIn("n[4-5]", first[0])
        self.assertEqual(second, [])

    def test_slurmd_calls_jobs_by_their_raw_number(self):
        path = self.write("slurmd.log", "[2026-05-18T10:01:00.000] [36.0] done with job", "[2026-05-18T10:01:00.000] [37.0] done with job",
                          "[2026-05-18T10:01:01.000] error: something of the node")
        [first, second] = [messages(d, "slurmd-n3.log") for d in self.documents("--job", "36", "--sacct", self.sacct, "--slurmd", f"n3={path}")]
        self.assertEqual(len(first), 2)
        self.assertEqual(second, [])

    def test_the_controller_knows_the_exit_code_that_accounting_reduces(self):
        sacct = self.write("one.psv", HEADER, "3|3|a|FAILED|15:0|2026-05-18T10:00:00|2026-05-18T10:00:10|2026-05-18T10:05:00|n3|x")
        log = self.write("ctld.log", "[2026-05-18T10:05:00.100] _job_complete: JobId=3 WEXITSTATUS 143")
        self.assertEqual(self.documents("--job", "3", "--sacct", sacct)[0]["workload"]["exit_code"], 15)
        self.assertEqual(self.documents("--job", "3", "--sacct", sacct, "--slurmctld", log)[0]["workload"]["exit_code"], 143)

    def test_coverage_is_claimed_of_a_log_that_spans_the_attempt(self):
        whole = self.write("whole.log", "[2026-05-18T09:00:00.000] x", "[2026-05-18T11:00:00.000] x")
        part = self.write("part.log", "[2026-05-18T10:01:00.000] x", "[2026-05-18T11:00:00.000] x")
        for log, wanted in ((whole, True), (part, False)):
            source = self.documents("--job", "36", "--sacct", self.sacct, "--slurmctld", log)[0]["sources"][0]
            self.assertEqual("coverage" in source, wanted)


class Output(Folder):
    def setUp(self):
        super().setUp()
        self.sacct = self.write("sacct.psv", HEADER, "27|27|a|REQUEUED|0:0|2026-05-18T10:00:00|2026-05-18T10:00:10|2026-05-18T10:05:00|n1|x",
                                "27|27|a|FAILED|4:0|2026-05-18T10:05:03|2026-05-18T10:07:00|2026-05-18T10:08:00|n1|x")

    def parts(self, *lines):
        path = self.write("job.out", *lines)
        return [messages(d, "job.out") for d in self.documents("--job", "27", "--sacct", self.sacct, "--output", path)]

    def test_attempts_that_share_a_file_are_parted_where_slurm_ended_the_first(self):
        first, second = self.parts("one", "slurmstepd: error: *** JOB 27 ON n1 CANCELLED AT 2026-05-18T10:05:00 DUE TO JOB REQUEUE ***",
                                   "srun: error: n1: task 0: Terminated", "two")
        self.assertEqual(len(first), 3)
        self.assertEqual(second, ["two"])

    def test_a_file_that_was_truncated_is_the_last_attempts(self):
        self.assertEqual(self.parts("two"), [[], ["two"]])

    def test_lines_are_bounded_by_the_attempt(self):
        path = self.write("job.out", "two")
        document = self.documents("--job", "27", "--sacct", self.sacct, "--output", path, "--attempt", "2")[0]
        opened, line, closed = [o for o in document["observations"] if o.get("file") == "job.out"]
        self.assertEqual((opened["ts"], closed["ts"]), ("2026-05-18T10:07:00Z", "2026-05-18T10:08:00Z"))
        self.assertNotIn("ts", line)

    def test_a_missing_and_an_empty_file_are_told_apart(self):
        empty = self.write("empty.out")
        empty.write_text("")
        for path, status in ((empty, "empty"), (pathlib.Path(self.folder.name) / "none.out", "missing")):
            sources = self.documents("--job", "27", "--sacct", self.sacct, "--output", path, "--attempt", "2")[0]["sources"]
            self.assertEqual([s["status"] for s in sources if s["kind"] == "app"], [status])

    def test_output_alone_makes_one_document(self):
        path = self.write("job.out", "mpirun noticed that process rank 2 ...")
        [document] = self.documents("--job", "x", "--output", path, "--node", "n1", "--ranks", "4")
        self.assertEqual(document["workload"], {"id": "x", "attempt": 1, "nodes": ["n1"], "ranks": 4})
        self.assertEqual(messages(document, "job.out"), ["mpirun noticed that process rank 2 ..."])

    def test_daemon_logs_without_accounting_are_refused(self):
        path = self.write("job.out", "x")
        self.assertEqual(self.run_builder("--job", "x", "--output", path, "--slurmctld", path).returncode, 2)


if __name__ == "__main__":
    unittest.main()
