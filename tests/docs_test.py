#!/usr/bin/env python3
"""Run the examples of the docs.

usage: docs_test.py --bin DIR

* docs/language.md: its `rules` blocks, in order, are one pack: it must pass `rulec check` and `rulec test`.
* docs/adding-a-rule.md: each block `rules FILE` is a file of a folder; its `sh` blocks run in it, in order, and must succeed.
* docs/speed.md: its `sh` blocks run in a folder like the repository's root; of those marked `long` the flags are looked up in
  the help of the programs.
* docs/operator-guide.md: its `sh` blocks run as one script in a folder like the repository's root, on a free port; those marked
  `systemd` name commands, flags and files that exist, the unit passes systemd-analyze (where that is), and metrics of the
  alerts exist.
* README.md: its picture is the golden verdict; every `rulec` and `attrib-vm` line names commands and flags that exist.
* the table of log events in docs/operator-guide.md names those of the code.
* README.md and docs/operator-guide.md say how to build attribd before they run it.
"""
import argparse
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.S | re.M)


def blocks(page):
    return [(m.group(1), m.group(2).strip(), m.group(3)) for m in BLOCK.finditer(page.read_text())]


class Checks:
    def __init__(self, programs):
        self.bin, self.passed, self.failed = programs, 0, 0

    def run(self, name, command, cwd, shell=False):
        done = subprocess.run(command, cwd=cwd, shell=shell, capture_output=True, text=True, timeout=300,
                              executable="/bin/bash" if shell else None,
                              env={"PATH": f"{self.bin}:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(cwd)})
        if done.returncode == 0:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {name}: exit {done.returncode}\n{done.stdout}{done.stderr}")

    def check(self, name, good, said=""):
        self.passed, self.failed = self.passed + bool(good), self.failed + (not good)
        if not good:
            print(f"FAIL {name}: {said}")


def language(checks, scratch):
    page = ROOT / "docs" / "language.md"
    rules, tests = [], []
    for kind, _, text in blocks(page):
        if kind == "rules":
            (tests if text.lstrip().startswith("test ") else rules).append(text)
    folder = scratch / "language"
    folder.mkdir()
    (folder / "page.rules").write_text("\n".join(rules))
    header = "pack example.nvlink 1.4.0\nlanguage 1\n"
    (folder / "page_test.rules").write_text(header + "\n".join(tests))
    checks.run("docs/language.md: check", [checks.bin / "rulec", "check", folder], scratch)
    checks.run("docs/language.md: test", [checks.bin / "rulec", "test", folder], scratch)


def adding_a_rule(checks, scratch):
    page = ROOT / "docs" / "adding-a-rule.md"
    folder = scratch / "adding"
    folder.mkdir()
    for kind, name, text in blocks(page):
        if kind == "rules" and name:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
    (folder / "stdlib-rules").symlink_to(ROOT / "stdlib-rules")
    (folder / "xid-tables").symlink_to(ROOT / "xid-tables")
    for number, (kind, name, text) in enumerate(blocks(page), 1):
        if kind == "sh":
            checks.run(f"docs/adding-a-rule.md: block {number}", "set -e\n" + text, folder, shell=True)


def speed(checks, scratch):
    page = ROOT / "docs" / "speed.md"
    folder = scratch / "speed"
    (folder / "build" / "release").mkdir(parents=True)
    (folder / "build" / "release" / "bin").symlink_to(checks.bin)
    (folder / "bench").symlink_to(ROOT / "bench")
    for number, (kind, name, text) in enumerate(blocks(page), 1):
        if kind == "sh" and name == "long":
            for line in text.splitlines():
                words = line.split("#")[0].split()
                said = subprocess.run([folder / words[0], "--help"], capture_output=True, text=True)
                known = said.stdout.replace(",", " ").replace("[", " ").replace("]", " ").split()
                missing = [word for word in words[1:] if word.startswith("--") and word not in known]
                bad = bool(said.returncode or missing)
                checks.passed, checks.failed = checks.passed + (not bad), checks.failed + bad
                if bad:
                    print(f"FAIL docs/speed.md: `{line}`: unknown flags {missing} (help: exit {said.returncode})")
        elif kind == "sh":
            checks.run(f"docs/speed.md: block {number}", "set -e\n" + text, folder, shell=True)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def operator_guide(checks, scratch):
    page = ROOT / "docs" / "operator-guide.md"
    folder = scratch / "operator"
    (folder / "build" / "release").mkdir(parents=True)
    (folder / "build" / "release" / "bin").symlink_to(checks.bin)
    for name in ("stdlib-rules", "xid-tables", "packaging", "docs", "tests"):
        (folder / name).symlink_to(ROOT / name)
    script = "set -e\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\nroot=$PWD/root\n"
    for number, (kind, name, text) in enumerate(blocks(page), 1):
        if kind == "sh" and not name:
            script += f"echo '-- block {number}'\n" + text
    checks.run("docs/operator-guide.md", script.replace("8000", str(free_port())), folder, shell=True)
    for line in [line for kind, name, text in blocks(page) if name == "systemd" for line in text.splitlines()]:
        words = line.split()
        if words[0] == "attribd":
            known = subprocess.run([checks.bin / "attribd", words[1], "--help"], capture_output=True, text=True)
            checks.check(f"docs/operator-guide.md: `{line}`", known.returncode == 0, known.stderr)
    unit(checks, folder)
    metrics = set(re.findall(r'"(\w+)", +"', (ROOT / "service" / "metrics.def").read_text()))
    alerts = next(text for kind, _, text in blocks(page) if kind == "yaml")
    used = {re.sub(r"_bucket$", "", name) for name in re.findall(r"\battribd_\w+", alerts)}
    checks.check("docs/operator-guide.md: alerts", used and used <= metrics, f"unknown metrics {used - metrics}")


def log_events(checks):
    """The table of events in the guide names those of the code, and no others."""
    code = set()
    for room in ("service", "tools/attribd"):
        for file in sorted((ROOT / room).glob("*.cpp")):
            if not file.name.endswith("_test.cpp"):
                code |= set(re.findall(r'\b(?:event|line)\(\s*(?:Level::\w+|level|[^;"]*?Level::\w+),\s*"(\w+)"', file.read_text()))
    table = (ROOT / "docs/operator-guide.md").read_text().split("| event | level |")[1].split("\n\n")[0]
    page = set(re.findall(r"`(\w+)`", " ".join(line.split("|")[1] for line in table.splitlines()[2:])))
    checks.check("docs/operator-guide.md: events", code and code == page, f"not on the page {code - page}, not in the code {page - code}")


def unit(checks, folder):
    """The unit, with the program where it is now."""
    analyze = shutil.which("systemd-analyze")
    if not analyze:
        return print("skipped: systemd-analyze is not there")
    text = (ROOT / "packaging" / "systemd" / "attribd.service").read_text()
    copy = folder / "attribd.service"
    copy.write_text(text.replace("/usr/local/bin/attribd", str(checks.bin / "attribd")))
    done = subprocess.run([analyze, "verify", "--man=no", copy], capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if "attribd.service" in line]
    checks.check("packaging/systemd/attribd.service", done.returncode == 0 and not said, done.stderr)


def readme(checks):
    text = (ROOT / "README.md").read_text()
    picture = next(body for kind, _, body in blocks(ROOT / "README.md") if kind == "text")
    golden = (ROOT / "tests/golden/verdict/worked/faulty-link.text.expected").read_text().replace("-- exit 0\n", "")
    same = picture.strip() == golden.strip()
    checks.passed, checks.failed = checks.passed + same, checks.failed + (not same)
    if not same:
        print("FAIL README.md: the picture is not the verdict in tests/golden/verdict/worked/faulty-link.text.expected")
    for program in ("rulec", "attrib-vm"):
        for line in sorted(set(re.findall(rf"^{program} [^#\n]*", text, re.M))):
            words = line.split()
            help_text = subprocess.run([checks.bin / program, words[1], "--help"], capture_output=True, text=True)
            missing = [w for w in words[2:] if w.startswith("-") and w not in help_text.stdout.replace(",", " ").split()]
            if help_text.returncode == 0 and not missing:
                checks.passed += 1
            else:
                checks.failed += 1
                print(f"FAIL README.md: `{line.strip()}`: unknown command or flags {missing}")


def built_before_used(checks):
    """tools/demo.sh builds some programs only: a page says how to build attribd before it runs it."""
    for name in ("README.md", "docs/operator-guide.md"):
        commands = [line for kind, _, text in blocks(ROOT / name) if kind == "sh" for line in text.splitlines()]
        used = next(n for n, line in enumerate(commands) if line.startswith("attribd "))
        built = [line for line in commands[:used] if re.search(r"cmake --build --preset release(?! --target(?! attribd))", line)]
        checks.check(f"{name}: `{commands[used]}`", built, "no command before it builds attribd")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    checks = Checks(pathlib.Path(parser.parse_args().bin).resolve())
    with tempfile.TemporaryDirectory(prefix="attrib-docs-") as name:
        scratch = pathlib.Path(name)
        language(checks, scratch)
        adding_a_rule(checks, scratch)
        speed(checks, scratch)
        operator_guide(checks, scratch)
    readme(checks)
    built_before_used(checks)
    log_events(checks)
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed or not checks.passed else 0


if __name__ == "__main__":
    sys.exit(main())
