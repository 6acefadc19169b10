# SPDX-License-Identifier: MIT
"""scripts/mutate-kernels with a made-up program in the place of tests_cuda_mutants."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

from mutation import MutationError  # noqa: E402
from mutation.hunt import Outcome, affordable, batches, hunt  # noqa: E402
from mutation.kernels import Case, record  # noqa: E402
from mutation.report import Reasons, Results, markers, share, summary, to_markdown, with_report  # noqa: E402

SOURCE = "if (i < n) {\n__syncthreads();\nif (i >= m || j > k) {\n"
# Three test cases. "slow" fails for line 1, "quick, [too]" crashes for line 2; number 0 of line 3 changes nothing, and
# number 1 is executed by nobody.
PROGRAM = """#!{python}
import os, re, signal, sys
if record := os.environ.get("GPU_HOST_RECORD"):
    with open(record, "w") as file:
        for place in ("1\\t1\\t0\\t<", "2\\t1\\t0\\t__syncthreads", "3\\t1\\t0\\t>=", "3\\t1\\t1\\t>"):
            print("mutant\\t{file}\\t" + place, file=file)
        print("case\\t0.5\\t9\\tpassed\\tslow\\t 0 2", file=file)
        print("case\\t0.1\\t7\\t{state}\\tquick, [too]\\t 0 1", file=file)
        print("case\\t0.0\\t0\\tpassed\\thost only\\t", file=file)
    sys.exit(0)
assert sys.argv[2] == "--input-file"
# As Catch2 does: a comma ends a name, a backslash takes the meaning from what follows, and unknown names are passed over.
names = [re.sub(r"(?<!\\\\),.*", "", line) for line in open(sys.argv[3]).read().splitlines()]
names = [name for name in (re.sub(r"\\\\(.)", r"\\1", name) for name in names) if name in {known}]
if sys.argv[1] == "--list-test-names-only":
    print(*names, sep="\\n")
    sys.exit(len(names))
assert sys.argv[1] == "--abort"
place = os.environ["GPU_HOST_MUTANT"].removeprefix("{file}:")
with open("{log}", "a") as log:
    print(place, os.environ["GPU_HOST_STEPS"], names, file=log)
if place == "2:1:0" and "quick, [too]" in names:
    os.kill(os.getpid(), signal.SIGSEGV)
sys.exit(place == "1:1:0" and "slow" in names)
"""


class MutateKernels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.log = self.root / "log"
        (self.root / "kernel.cuh").write_text(SOURCE)

    def program(self, state="passed", known=("slow", "quick, [too]", "host only")):
        path = self.root / "program"
        path.write_text(PROGRAM.format(python=sys.executable, file=self.root / "kernel.cuh", log=self.log, state=state,
                                       known=known))
        path.chmod(0o755)
        return path

    def verdicts(self):
        mutants = record(self.program(), self.root, None, self.root)
        return hunt(mutants, 1, self.root, lambda number, verdict: None)

    def test_recording(self):
        mutants = record(self.program(), self.root, None, self.root)
        self.assertEqual([(m.place, m.text, m.kind, m.change) for m in mutants], [
            ("kernel.cuh:1", "if (i < n) {", "bound", "< → <="),
            ("kernel.cuh:2", "__syncthreads();", "barrier", "no __syncthreads"),
            ("kernel.cuh:3", "if (i >= m || j > k) {", "bound", ">= → >"),
            ("kernel.cuh:3", "if (i >= m || j > k) {", "bound", "> → >=")])
        self.assertEqual([[case.name for case in m.cases] for m in mutants],
                         [["quick, [too]", "slow"], ["quick, [too]"], ["slow"], []])

    def test_a_suite_that_fails_by_itself_is_refused(self):
        with self.assertRaisesRegex(MutationError, r"quick, \[too\]"):
            record(self.program("failed"), self.root, None, self.root)

    def test_cheap_cases_run_first_and_the_first_failure_is_enough(self):
        verdicts = self.verdicts()
        self.assertEqual([(v.outcome, v.how) for v in verdicts], [
            (Outcome.CAUGHT, "failed test"), (Outcome.CAUGHT, "crash (SIGSEGV)"), (Outcome.SURVIVED, ""),
            (Outcome.NOT_EXECUTED, "")])
        self.assertEqual(self.log.read_text().splitlines(), [
            "1:1:0 70 ['quick, [too]']", "1:1:0 90 ['slow']", "2:1:0 70 ['quick, [too]']", "3:1:0 90 ['slow']"])

    def test_a_test_case_that_would_not_run_is_an_error(self):
        mutants = record(self.program(), self.root, None, self.root)
        with self.assertRaisesRegex(MutationError, r"by their names: quick, \[too\]$"):
            self.program(known=("slow",))
            hunt(mutants, 1, self.root, lambda number, verdict: None)

    def test_batches_double(self):
        self.assertEqual([list(batch) for batch in batches(range(9))], [[0], [1, 2], [3, 4, 5, 6], [7, 8]])

    def test_a_mutant_gets_the_cheapest_cases_that_fit_its_time(self):
        cases = [Case(Path("program"), name, seconds, 1) for name, seconds in (("a", 1), ("b", 29), ("c", 30))]
        self.assertEqual([case.name for case in affordable(cases, 30)], ["a", "b"])
        self.assertEqual([case.name for case in affordable(cases[2:], 30)], ["c"])
        self.assertEqual([case.name for case in affordable([Case(Path("program"), "long", 60, 1)], 30)], ["long"])
        self.assertEqual(affordable([], 30), [])

    def test_a_run_goes_on_where_the_last_one_ended(self):
        program = self.program()
        mutants = record(program, self.root, None, self.root)

        def results():
            return Results(self.root / "results.json", mutants, [self.root / "kernel.cuh"], [program])

        with self.assertRaisesRegex(MutationError, "no earlier run"):
            results().caught()
        verdicts = self.verdicts()
        results().write(verdicts[1:3], Reasons(self.root / "none"))
        self.assertEqual([v.mutant.place for v in results().judged().values()], ["kernel.cuh:2", "kernel.cuh:3"])
        results().write(verdicts, Reasons(self.root / "none"))
        self.assertEqual([v.outcome for v in results().judged().values()], [v.outcome for v in verdicts])
        self.assertEqual([(v.mutant.place, v.how) for v in results().caught().values()],
                         [("kernel.cuh:1", "failed test"), ("kernel.cuh:2", "crash (SIGSEGV)")])
        program.write_text(program.read_text() + "\n")  # more tests: what was caught would be again
        with self.assertRaisesRegex(MutationError, "programs were others"):
            results().judged()
        self.assertEqual(len(results().caught()), 2)
        (self.root / "kernel.cuh").write_text(SOURCE + "\n")
        with self.assertRaisesRegex(MutationError, "sources were others"):
            results().caught()

    def test_report(self):
        verdicts = self.verdicts()
        explained = self.root / "explained.json"
        explained.write_text(json.dumps([
            {"file": "kernel.cuh", "text": "if (i >= m || j > k) {", "change": ">= → >", "reason": "i is never m"},
            {"file": "kernel.cuh", "text": "gone", "change": "< → <=", "reason": "was once here"}]))
        reasons = Reasons(explained)
        self.assertEqual(share(verdicts), 50)
        self.assertEqual(reasons.unused(verdicts), ["kernel.cuh: gone"])
        begin, end = markers("script")
        page = with_report(f"before {begin} old {end} after", to_markdown(verdicts, reasons), "script", "page.md")
        self.assertTrue(page.startswith("before ") and page.endswith(" after"))
        for line in ("2 of 4 mutants are caught, 50.0 %.", "| barrier | 1 | 1 | 0 | 0 |", "| bound | 3 | 1 | 1 | 1 |",
                     "| kernel.cuh:3 | `if (i >= m \\|\\| j > k) {` | >= → > | i is never m |"):
            self.assertIn(line, page.splitlines())
        results = Results(self.root / "results.json", [v.mutant for v in verdicts], [self.root / "kernel.cuh"],
                          [self.program()])
        results.write(verdicts, reasons)
        rows = json.loads(results.path.read_text())["all"]
        self.assertEqual([row["outcome"] for row in rows], ["caught", "caught", "survived", "not executed"])
        with self.assertRaisesRegex(MutationError, "markers"):
            with_report("no markers", "", "script", "page.md")

    def test_what_computes_the_same_is_no_fault(self):
        verdicts = self.verdicts()
        explained = self.root / "explained.json"
        entry = {"file": "kernel.cuh", "text": "if (i >= m || j > k) {", "change": ">= → >", "reason": "i is never m"}
        for equivalent, expected in ((False, ["2 of 4 mutants are caught, 50.0 %."]), (True, [
                "2 of 4 mutants are caught, 50.0 %.",
                "1 compute the same as the code itself, so that no test can tell: of the 3 faults 66.7 % are caught."])):
            explained.write_text(json.dumps([{**entry, "equivalent": equivalent}]))
            self.assertEqual(summary(verdicts, Reasons(explained)), expected)

    def test_reasons_that_cannot_be_read(self):
        path = self.root / "explained.json"
        path.write_text('[{"file": "kernel.cuh"}]')
        with self.assertRaisesRegex(MutationError, "file, text, change and reason"):
            Reasons(path)


if __name__ == "__main__":
    unittest.main()
