#!/usr/bin/env python3
"""What all programs do alike on the command line: slips, help, output that cannot be written.

    cli_test.py --bin build/release/bin
"""
import argparse
import pathlib
import re
import subprocess
import sys
import unittest

BIN = None
PROGRAMS = ("rulec", "attrib-vm", "attribd")
COLUMNS = 80


def run(*words, **more):
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.run([BIN / words[0], *words[1:]], text=True, timeout=60, **given)


def commands(program):
    """The program itself, and each command that its help lists."""
    listed = run(program, "--help").stdout.split("\nSubcommands:\n")[1].split("\n\n")[0]
    return [(program,)] + [(program, name) for name in re.findall(r"^  (\S+)", listed, re.M)]


class CommandLine(unittest.TestCase):
    def test_a_slip_is_named_with_what_was_probably_meant(self):
        for words, said in (
                ("attribd --lisen 127.0.0.1:9", "unknown option --lisen; did you mean --listen?"),
                ("attribd --db=a --lisen=127.0.0.1:9", "unknown option --lisen; did you mean --listen?"),
                ("attribd check-config --programm x", "unknown option --programm; did you mean --program?"),
                ("attribd token --nam x", "unknown option --nam; did you mean --name?"),
                ("attribd --quite-another x", "unknown option --quite-another"),
                ("attribd -z", "unknown option -z"),
                ("attribd tokn", "unexpected argument tokn; did you mean token?"),
                ("attribd nonsense", "unexpected argument nonsense"),
                ("rulec chek x", "unexpected argument chek; did you mean check?"),
                ("rulec check --stric x", "unknown option --stric; did you mean --strict?"),
                ("attrib-vm run --program x --frmat json", "unknown option --frmat; did you mean --format?")):
            done = run(*words.split())
            program = words.split()[0]
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (3, "", f"{program}: {said}\nRun with --help for more information.\n"), words)

    def test_help_has_80_columns_and_every_option(self):
        for program in PROGRAMS:
            seen = commands(program)
            self.assertGreater(len(seen), 2)
            for words in seen:
                done = run(*words, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""), words)
                for line in done.stdout.splitlines():
                    self.assertLessEqual(len(line), COLUMNS, f"{words}: {line}")
                    self.assertEqual(line, line.rstrip(), words)
                self.assertRegex(done.stdout, r"(?m)^Usage: \S+.*\n")
                self.assertRegex(done.stdout, r"(?m)^  -h,--help +\S")

    def test_output_that_cannot_be_written_ends_with_an_exit_code(self):
        with open("/dev/full", "w") as full:
            for words in (*[(program, "--help") for program in PROGRAMS], *[(program, "--version") for program in ("attribd",)],
                          *[(program, "completion", "bash") for program in PROGRAMS], ("rulec", "error", "--list"),
                          ("rulec", "error", "RL0301"), ("attribd", "token", "--name", "x"), ("attribd", "--print-config")):
                done = run(*words, stdout=full)
                self.assertEqual(done.returncode, 2, words)
                self.assertIn("standard output", done.stderr, words)
            # Where the errors go matters to no exit code, but a token must have been seen.
            for words, code in ((("rulec", "check", "/none"), 2), (("attrib-vm", "run", "--program", "x"), 3),
                                (("attrib-vm", "check", "--input", "/none"), 2), (("attribd", "--lisen"), 3),
                                (("attribd", "--db", "/none/a.db"), 2), (("attribd", "token", "--name", "x"), 2)):
                done = run(*words, stderr=full)
                self.assertEqual((done.returncode, done.stdout), (code, ""), words)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    flags, rest = parser.parse_known_args()
    BIN = flags.bin.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
