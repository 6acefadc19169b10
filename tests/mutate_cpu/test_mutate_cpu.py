# SPDX-License-Identifier: MIT
"""scripts/mutate-cpu with made-up programs in the place of compiled tests."""
import json
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

from mutation import MutationError  # noqa: E402
from mutation.cpu import draw, record  # noqa: E402
from mutation.hunt import Limits, Outcome, hunt  # noqa: E402
from mutation.sandbox import Sandbox  # noqa: E402

HEADER = "// licence\nint f(int a) { return a + b; }\nint g(int a) { return a * b; }\nint h(int a) { return a - b; }\n"
# Cases of two programs: {name: (seconds, state, places, what fails it)}.
PROGRAM = """#!{python}
import os, sys, time
cases = {cases}
if path := os.environ.get("GRAPHPATCHER_RECORD"):
    with open(path, "w") as file:
        for name, (seconds, state, places, fails) in cases.items():
            print("case", seconds, state, name, "".join(f" {{p}}" for p in places), sep="\\t", file=file)
        print("immutable\\t" + "".join(f" {{p}}" for p in {immutable}), file=file)
    sys.exit({code})
names = open(sys.argv[-1]).read().splitlines()
if sys.argv[1] == "--list-test-names-only":
    print(*(name for name in names if name in cases), sep="\\n")
    sys.exit()
with open("{log}", "a") as log:
    print(os.path.basename(sys.argv[0]), os.environ["GRAPHPATCHER_MUTANT"], names, file=log)
for name in names:
    if int(os.environ["GRAPHPATCHER_MUTANT"]) in cases[name][3]:
        sys.exit(1)
"""


class MutateCpu(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.log = self.root / "log"
        header = self.root / "include" / "graphpatcher" / "graph" / "f.hpp"
        header.parent.mkdir(parents=True)
        header.write_text(HEADER)

    def program(self, name, cases, immutable=(), code=0):
        path = self.root / name
        path.write_text(PROGRAM.format(python=sys.executable, cases=cases, immutable=immutable, code=code, log=self.log))
        path.chmod(0o755)
        return path

    def test_a_draw_is_the_beginning_of_a_longer_one(self):
        longer = draw(self.root, 3, 7)
        self.assertEqual({mutant.change for mutant in longer}, {"+ → -", "* → /", "- → +"})
        self.assertEqual([mutant.id for mutant in draw(self.root, 2, 7)], [mutant.id for mutant in longer[:2]])
        self.assertEqual(draw(self.root, 1, 7)[0].environment([])["GRAPHPATCHER_MUTANT"], "1")
        with self.assertRaisesRegex(MutationError, "a count from 1 to 3"):
            draw(self.root, 4, 7)

    def test_cases_of_all_programs_the_cheapest_first(self):
        first = self.program("first", {"slow": (2, "passed", [1, 2], [2]), "broken": (0, "failed", [1, 2], [])}, [3])
        second = self.program("second", {"quick": (1, "passed", [1], [1])})
        mutants, failing = record([first, second], draw(self.root, 3, 7), self.root, 1)
        self.assertEqual([[case.name for case in m.cases] for m in mutants], [["quick", "slow"], ["slow"]])  # 3 is no fault
        self.assertEqual(failing, ["broken"])
        verdicts = hunt(mutants, 1, self.root, lambda number, verdict: None)
        self.assertEqual([verdict.outcome for verdict in verdicts], [Outcome.CAUGHT, Outcome.CAUGHT])
        self.assertEqual(self.log.read_text().splitlines(), ["second 1 ['quick']", "first 2 ['slow']"])

    def test_survivors_run_the_cases_of_every_program(self):
        first = self.program("first", {"a": (1, "passed", [1], []), "b": (3, "passed", [1], [])})
        second = self.program("second", {"c": (2, "passed", [1], [])})
        mutants, _ = record([first, second], draw(self.root, 2, 7), self.root, 1)
        verdicts = hunt(mutants, 1, self.root, lambda number, verdict: None)
        self.assertEqual([v.outcome for v in verdicts], [Outcome.SURVIVED, Outcome.NOT_EXECUTED])
        self.assertEqual(self.log.read_text().splitlines(), ["first 1 ['a']", "second 1 ['c']", "first 1 ['b']"])

    def test_a_program_that_does_not_end_is_an_error(self):
        path = self.program("first", {})
        path.write_text(path.read_text().replace("immutable", "something else"))
        with self.assertRaisesRegex(MutationError, r"first didn't come to its end without a fault \(exit code 0\)"):
            record([path], draw(self.root, 3, 7), self.root, 1)

    def test_recordings_are_kept_as_long_as_the_program_is_the_same(self):
        path = self.program("first", {"a": (1, "passed", [1], [])})
        record([path], draw(self.root, 3, 7), self.root, 1)
        kept = json.loads((self.root / "recordings.json").read_text())
        self.assertEqual(len(kept), 1)
        self.program("first", {"a": (1, "passed", [2], [])})
        mutants, _ = record([path], draw(self.root, 3, 7), self.root, 1)
        self.assertEqual([len(m.cases) for m in mutants], [0, 1, 0])

    def test_after_the_deadline_nothing_is_judged(self):
        path = self.program("first", {"a": (1, "passed", [1], [])})
        mutants, _ = record([path], draw(self.root, 3, 7), self.root, 1)
        self.assertEqual(hunt(mutants, 1, self.root, lambda number, verdict: None, Limits(deadline=time.monotonic() - 1)), [])

    def test_mutants_on_the_lines_of_errors_are_left_out(self):
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        support = self.root / "tests" / "mutate_cpu"
        support.mkdir(parents=True)
        for name in ("mutation.hpp", "main.cpp"):
            (support / name).write_text(name)
        sandbox = Sandbox(self.root, self.root / "box")
        mutants = sorted(draw(self.root, 3, 7), key=lambda mutant: mutant.line)
        sandbox.source.mkdir(parents=True)
        sandbox.forget_if_new()
        log = ("x/include/gp_mutation.hpp:9:1:   required from here\n"
               "x/include/graphpatcher/graph/f.hpp:3:5:   required from 'int g()'\n"
               "x/include/gp_mutation.hpp:20:1: error: no match\n"
               "x/include/graphpatcher/graph/f.hpp:2:5: error: no\n")
        self.assertEqual(sandbox.blamed(log, mutants), {mutants[0].id, mutants[1].id})
        sandbox.left_out.write_text(f"{mutants[0].id}\n")
        sandbox.copy(mutants)
        lines = (sandbox.source / "include/graphpatcher/graph/f.hpp").read_text().split("\n")
        self.assertEqual((lines[0], lines[1]), ('#include "gp_mutation.hpp"', HEADER.split("\n")[1]))
        self.assertIn("times", lines[2])
        self.assertEqual((sandbox.source / "include/gp_mutation.hpp").read_text(), "mutation.hpp")
        header = self.root / "include/graphpatcher/graph/f.hpp"
        header.write_text(HEADER + "\n")
        sandbox.forget_if_new()
        self.assertEqual(sandbox.not_compiling(), set())


if __name__ == "__main__":
    unittest.main()
