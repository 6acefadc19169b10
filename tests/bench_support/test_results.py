# SPDX-License-Identifier: MIT
"""The tables, the joining with peers, and the comparison of two runs: bench/results.py, report.py, compare."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
bench = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(bench))
import bars  # noqa: E402
import report  # noqa: E402
import results  # noqa: E402
import turns  # noqa: E402


def measured(workload, seconds, items=1):
    return {"work": workload, "seconds": seconds, "min": seconds, "rate": items / seconds, "unit": "edges/s", "flops": 2e9,
            "bytes": 1e8, "share_of_limit": 0.5, "peers": []}


def run_of(*workloads):
    return {"machine": {"cpu": "some cpu", "cores": 2, "compiler": "gcc", "flags": "-O3"}, "threads": 2,
            "fma_peak_gflops": 100.0, "fma_best_gflops": 120.0, "read_gbps": 10.0, "results": list(workloads)}


class Numbers(unittest.TestCase):
    def test_three_digits(self):
        self.assertEqual(results.digits(0.012345), "0.0123")
        self.assertEqual(results.digits(1.2345), "1.23")
        self.assertEqual(results.digits(12345.6), "12300")
        self.assertEqual(results.digits(0), "0")

    def test_seconds_have_a_unit(self):
        self.assertEqual(results.seconds_text(2.5), "2.50 s")
        self.assertEqual(results.seconds_text(0.0123), "12.3 ms")
        self.assertEqual(results.seconds_text(4.56e-7), "0.456 µs")

    def test_rates(self):
        self.assertEqual(results.rate_text(1.5e6, "edges/s"), "1.50 M edges/s")
        self.assertEqual(results.rate_text(12, "edges/s"), "12.0 edges/s")

    def test_geometric_mean(self):
        self.assertAlmostEqual(results.geometric_mean([1, 4]), 2)


class Merging(unittest.TestCase):
    def test_ratio_is_their_time_over_ours(self):
        peer = {"work": "spmm", "name": "Eigen", "version": "3", "seconds": 1.0, "min": 1.0, "max_difference": 0.0}
        run = results.merge(run_of(measured("spmm", 0.5)), [peer])
        self.assertEqual(run["results"][0]["peers"][0]["ratio"], 2)

    def test_items_make_up_for_a_smaller_share_of_the_work(self):
        # ours: 100 in 0.5 s; theirs: 10 in 1 s, so 20 times longer for one
        peer = {"work": "egos", "name": "DGL", "seconds": 1.0, "items": 10}
        run = results.merge(run_of(measured("egos", 0.5, 100)), [peer])
        self.assertAlmostEqual(run["results"][0]["peers"][0]["ratio"], 20)

    def test_workloads_of_peers_alone_and_of_workloads_that_failed_are_left_out(self):
        run = run_of({"work": "bad", "error": "wrong"})
        results.merge(run, [{"work": "bad", "name": "a", "seconds": 1}, {"work": "none", "name": "a", "seconds": 1}])
        self.assertNotIn("peers", run["results"][0])

    def test_a_peer_that_was_skipped_has_no_ratio(self):
        run = results.merge(run_of(measured("spmm", 0.5)), [{"work": "spmm", "name": "oneMKL", "skipped": "not there"}])
        self.assertEqual(results.row(run["results"][0], run)[-1], "skipped")
        self.assertEqual(report.skipped(run), ["oneMKL: not there"])


class Variants(unittest.TestCase):
    def runs(self, **seconds):
        return {name: run_of(*(measured(work, time) for work, time in times.items())) for name, times in
                seconds.items()}

    def joined(self):
        return results.join_variants(self.runs(compiled={"a": 1.0, "b": 0.5}, native={"a": 0.8, "b": 0.5},
                                               header_only={"a": 4.0, "b": 2.0}))

    def test_each_result_has_the_seconds_of_all(self):
        run = self.joined()
        self.assertEqual(run["results"][0]["variants"], {"header_only": 4.0, "native": 0.8, "compiled": 1.0})
        self.assertEqual(run["results"][0]["seconds"], 0.8)
        self.assertEqual(list(run["variants"]), ["header_only", "native", "compiled"])

    def test_a_column_each(self):
        lines = results.table(self.joined()).splitlines()
        self.assertEqual(lines[0].split()[:5], ["workload", "header-only", "native", "compiled", "rate"])
        self.assertEqual(lines[1].split()[:7], ["a", "4.00", "s", "800", "ms", "1.00", "s"])

    def test_goals(self):
        mean, worst = results.variant_goals(self.joined())
        self.assertEqual(mean, "compiled without flags over native, geometric mean, at least 0.97: 0.894, not reached")
        self.assertEqual(worst, "at worst, at least 0.9: 0.800 (a), not reached")
        self.assertEqual([row[3:] for row in bars.rows(self.joined())], [["0.894", "missed"], ["0.800", "missed"]])

    def test_without_the_compiled_library_there_are_two_columns_and_no_goals(self):
        run = results.join_variants(self.runs(native={"a": 0.8}, header_only={"a": 4.0}))
        self.assertEqual(results.header(run)[:4], ["workload", "header-only", "native", "rate"])
        self.assertEqual(results.variant_goals(run), [])
        self.assertEqual(bars.rows(run), [])

    def test_what_is_wrong_in_one_is_wrong(self):
        runs = self.runs(native={"a": 0.8, "b": 0.5})
        runs["compiled"] = run_of(measured("a", 1.0), {"work": "b", "error": "wrong result"})
        run = results.join_variants(runs)
        self.assertEqual(run["results"][1]["error"], "compiled: wrong result")
        self.assertIn("error: compiled: wrong result", results.table(run).splitlines()[2])
        self.assertEqual([work for work, _ in results.shares_of_native(run)], ["a"])


class Turns(unittest.TestCase):
    PROGRAM = """
import sys, time
for workload in ("limits", "a", "a", {more}"b"):
    print("turn", workload, flush=True)
    sys.stdin.readline()
    print("at", workload, flush=True)
sys.exit({code})
"""

    def run_turns(self, **programs):
        lines = []
        codes = turns.run({name: [sys.executable, "-c", self.PROGRAM.format(more=more, code=code)]
                           for name, (more, code) in programs.items()}, lambda line: lines.append(line.split()))
        return codes, [(name, work) for name, _, work in lines]

    def test_one_at_a_time_in_turn(self):
        codes, said = self.run_turns(x=("", 0), y=("", 0))
        self.assertEqual(codes, {"x": 0, "y": 0})
        self.assertEqual(said, [(name, work) for work in ("limits", "a", "a", "b") for name in ("x", "y")])

    def test_who_needs_more_turns_is_waited_for(self):
        codes, said = self.run_turns(x=("'a', 'a', ", 0), y=("", 3))
        self.assertEqual(codes, {"x": 0, "y": 3})
        self.assertEqual(said[6:], [("x", "a"), ("x", "a"), ("y", "b"), ("x", "b")])


class Tables(unittest.TestCase):
    def test_a_line_a_workload_and_a_column_a_peer(self):
        run = results.merge(run_of(measured("spmm/a", 0.5), {"work": "x", "skipped": "no data"}),
                            [{"work": "spmm/a", "name": "Eigen", "version": "3.4", "seconds": 1.0}])
        lines = results.table(run).splitlines()
        self.assertEqual(len(lines), 3)
        self.assertTrue(lines[0].endswith("Eigen"))
        for cell in ("500 ms", "0.200", "4.00", "50 %", "2.00x"):
            self.assertIn(cell, lines[1])
        self.assertEqual(lines[2].split(maxsplit=1), ["x", "skipped: no data"])

    def test_the_page_replaces_what_stands_between_its_marks(self):
        page = f"# Title\n{report.BEGIN}\nold\n{report.END}\nrest\n"
        text = report.with_report(page, report.page(run_of(measured("spmm/a", 0.5)), "scripts/bench"))
        self.assertNotIn("old", text)
        self.assertIn("| spmm/a |", text)
        self.assertTrue(text.endswith("rest\n"))
        self.assertEqual(text, report.with_report(text, report.page(run_of(measured("spmm/a", 0.5)), "scripts/bench")))

    def test_a_page_without_marks_is_refused(self):
        with self.assertRaises(ValueError):
            report.with_report("# Title\n", "new")

    def test_the_page_says_where_a_peer_is_faster(self):
        run = results.merge(run_of(measured("spmm/a", 0.5), measured("spmm/b", 0.5)), [
            {"work": "spmm/a", "name": "Eigen", "seconds": 1.0}, {"work": "spmm/a", "name": "oneMKL", "seconds": 2.0},
            {"work": "spmm/b", "name": "Eigen", "seconds": 0.25}])
        self.assertEqual(bars.spmm_ratios(run), [("spmm/a", 2), ("spmm/b", 0.5)])
        self.assertIn("spmm/b (0.50)", report.page(run, "scripts/bench"))


class Bars(unittest.TestCase):
    def verdicts(self, run, scale=None):
        return {row[0]: row[3:] for row in bars.rows(run, scale)}

    def test_what_was_not_measured_is_left_out(self):
        self.assertEqual(bars.rows(run_of(measured("gemm/1x1x1", 1.0))), [])

    def test_rates_shares_and_ratios(self):
        workloads = measured("ego_graphs/cora", 1.0, 2e6), measured("train_iteration/cora/h1024", 0.05)
        run = results.merge(run_of(*workloads), [
            {"work": "train_iteration/cora/h1024", "name": "PyTorch + DGL", "seconds": 4.5}])
        self.assertEqual(self.verdicts(run), {
            "corrupted ego-graphs a second, Cora": ["2000000", "reached"],
            "training iteration, Cora, hidden 1024, times faster than PyTorch + DGL": ["90.0", "goal reached"],
            "the same, % of the FMA peak": ["40.0", "missed"]})  # 2 GFLOP in 50 ms, of 100 GFLOP/s

    def test_memory(self):
        verdicts = self.verdicts(run_of(), {"cora_training_peak_bytes": 175e6})
        self.assertEqual(list(verdicts.values()), [["2.00", "reached"]])


class Compare(unittest.TestCase):
    def run_compare(self, before, after, *options):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for name, content in (("before.json", before), ("after.json", after)):
                files.append(Path(folder, name))
                files[-1].write_text(json.dumps(content))
            return subprocess.run([sys.executable, bench / "compare", *files, *options], capture_output=True, text=True)

    def test_speedups_side_by_side(self):
        done = self.run_compare(run_of(measured("a", 1.0), measured("b", 1.0), measured("gone", 1)),
                                run_of(measured("a", 0.5), measured("b", 2.0), measured("new", 1)))
        self.assertEqual(done.returncode, 0)
        lines = done.stdout.splitlines()
        self.assertTrue(any(line.split() == ["a", "1.00", "s", "500", "ms", "2.00", "faster"] for line in lines), lines)
        self.assertTrue(any(line.startswith("b ") and line.endswith("slower") for line in lines), lines)
        self.assertIn("only in the first: gone", lines)
        self.assertIn("only in the second: new", lines)

    def test_fail_on_what_became_slower(self):
        slower = (run_of(measured("a", 1.0)), run_of(measured("a", 2.0)))
        self.assertEqual(self.run_compare(*slower, "--fail").returncode, 1)
        self.assertEqual(self.run_compare(*slower, "--fail", "--threshold", "1.5").returncode, 0)
        self.assertEqual(self.run_compare(*slower, "--fail", "--filter", "other").returncode, 0)

    def test_something_else_than_results_is_refused(self):
        done = self.run_compare([], run_of())
        self.assertEqual(done.returncode, 1)
        self.assertIn("expected a file of results", done.stderr)


if __name__ == "__main__":
    unittest.main()
