"""Evidence documents that the tests of whole verdicts share, and a pool that runs them."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE.parent / "cases"
sys.path.insert(0, str(HERE.parent.parent / "tools"))
import score_cases  # noqa: E402  (its folder is not a package)


def stream(o):
    return (o.get("source"), o.get("node"), o.get("pod"), o.get("container"), o.get("file"), o.get("rank"))


def verdict_documents():
    """(path, document) of every verdict golden."""
    for path in sorted((HERE / "verdict").rglob("*.json")):
        if path.name != "expected.json":
            yield path, json.loads(path.read_text())


def case_documents(cases=CASES):
    """(folder, document, truth) of every real case, the document as score_cases.py gives it to the VM."""
    for folder in sorted(p for p in cases.iterdir() if (p / "truth.json").exists()):
        truth, (header, *observations) = score_cases.load(folder)
        yield folder, {**header, "observations": observations}, truth


def rule_test_documents(rulec, rules):
    """(name, document, offset of each node's clock in ns) of every `test` block."""
    with tempfile.NamedTemporaryFile(suffix=".ndjson") as f:
        subprocess.run([rulec, "test", rules.name, "--write-evidence", f.name], cwd=rules.parent, stdout=subprocess.DEVNULL)
        lines = pathlib.Path(f.name).read_text().splitlines()
    for line in lines:
        test = json.loads(line)
        yield test["test"].removeprefix(rules.name + "/"), test["document"], test["clock_offsets"]


class Runner:
    """Runs attrib-vm over documents, as many at once as there are cores."""

    def __init__(self, bin_dir, fleet=None):
        self.bin = pathlib.Path(bin_dir).resolve()
        self.fleet = pathlib.Path(fleet) if fleet else self.bin.parent / "fleet.rbc"
        self.scratch = tempfile.TemporaryDirectory(prefix="attrib-meta-")
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())

    def program_of(self, path):
        """The program for a golden: of the rules beside it, if there are any."""
        if not (path.parent / "rules").is_dir():
            return self.fleet
        program = pathlib.Path(self.scratch.name) / (str(path.parent).replace("/", "-") + ".rbc")
        if program.exists():
            return program
        subprocess.run([str(self.bin / "rulec"), "build", str(path.parent / "rules"), "-o", str(program)], check=True,
                       stdout=subprocess.DEVNULL)
        return program

    def run(self, inputs, program=None):
        """The bytes of the verdict of one attempt, whose evidence is in one document or several."""
        command = [str(self.bin / "attrib-vm"), "run", "--program", str(program or self.fleet), "--format", "json"]
        with tempfile.TemporaryDirectory(dir=self.scratch.name) as folder:
            for index, document in enumerate(inputs):
                path = pathlib.Path(folder) / f"{index}.json"
                path.write_text(json.dumps(document))
                command += ["--input", str(path)]
            done = subprocess.run(command, capture_output=True, timeout=120)
        if done.returncode not in (0, 4):
            raise SystemExit(f"attrib-vm failed: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def verdicts(self, jobs):
        """The verdict of each (document, program), in order."""
        return self.pool.map(lambda job: json.loads(self.run([job[0]], job[1])), jobs)
