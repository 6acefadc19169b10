# SPDX-License-Identifier: MIT
"""What scripts/compile-time makes of its measurements; the compiler is only asked for small things."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "scripts" / "lib"))

from compile_time import CompileTimeError, goals, headers  # noqa: E402
from compile_time.compiler import Cost, cost_of, unit_command  # noqa: E402


def run_of(header=2.0, umbrella=3.0, quickstart=4.0, peak_mb=100.0):
    return {"reference": 1.0, "headers": {"graphpatcher/a.hpp": header, headers.UMBRELLA: umbrella},
            "programs": {"quickstart, compiled": {"seconds": quickstart, "peak_mb": peak_mb}}}


class Goals(unittest.TestCase):
    def test_all_reached(self):
        self.assertEqual(goals.missed(run_of()), [])
        self.assertNotIn("not reached", goals.table(run_of()) + goals.summary(run_of()))

    def test_ratios_are_to_the_reference(self):
        run = run_of()
        run["reference"] = 0.5
        self.assertEqual({name: ratio for name, ratio, _ in goals.ratio_goals(run)},
                         {"graphpatcher/a.hpp": 4, headers.UMBRELLA: 6, "quickstart, compiled": 8})

    def test_each_has_its_own_goal(self):
        self.assertEqual(goals.missed(run_of(header=2.3)), ["graphpatcher/a.hpp"])
        self.assertEqual(goals.missed(run_of(umbrella=3.6)), [headers.UMBRELLA])
        self.assertEqual(goals.missed(run_of(quickstart=5.1)), ["quickstart, compiled"])

    def test_what_misses_its_goal_today_may_not_grow(self):
        name = "examples/pipeline, compiled"
        today = goals.RATIOS_TODAY[name]
        self.assertGreater(today, goals.PROGRAM_GOALS[name])
        run = run_of()
        run["programs"][name] = {"seconds": today, "peak_mb": 100.0}
        self.assertEqual(goals.grown(run), ([], []))
        run["programs"][name]["seconds"] *= 1.01
        self.assertEqual(goals.grown(run), ([name], []))
        self.assertEqual(goals.grown(run_of(header=2.3)), (["graphpatcher/a.hpp"], []))

    def test_the_margin(self):
        self.assertEqual(goals.missed(run_of(header=2.2 * 1.24), 1.25), [])
        self.assertEqual(goals.missed(run_of(header=2.2 * 1.26), 1.25), ["graphpatcher/a.hpp"])

    def test_memory(self):
        self.assertEqual(goals.too_large(run_of(peak_mb=801)), ["quickstart, compiled"])
        self.assertIn("a translation unit, MB, at most 800: 801 (quickstart, compiled), not reached",
                      goals.summary(run_of(peak_mb=801)))

    def test_the_slowest_header_stands_first(self):
        run = run_of()
        run["headers"]["graphpatcher/slow.hpp"] = 9.0
        lines = goals.table(run).splitlines()
        self.assertEqual(lines[2].split(), ["graphpatcher/slow.hpp", "9.00", "9.00", "2.2", "not", "reached"])
        self.assertEqual(lines[-1].split(), ["quickstart,", "compiled", "4.00", "4.00", "5", "100", "reached"])

    def test_what_was_not_measured_is_said(self):
        self.assertIn("quickstart, header-only, at most 20: not measured", goals.summary(run_of()))


class Headers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        for name, text in {"core/a.hpp": "// a\n", "ops/b.hpp": '#include "graphpatcher/core/a.hpp"\n\n\n',
                           "ops/detail/c.hpp": "\n", "graphpatcher.hpp": "",
                           "io/d.hpp": '#include "graphpatcher/core/a.hpp"\n#include "graphpatcher/ops/b.hpp"\n'}.items():
            path = self.root / "include" / "graphpatcher" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def test_details_are_not_public(self):
        self.assertEqual(headers.public_headers(self.root), ["graphpatcher/core/a.hpp", "graphpatcher/graphpatcher.hpp",
                                                             "graphpatcher/io/d.hpp", "graphpatcher/ops/b.hpp"])

    def test_what_is_included_twice_counts_once(self):
        self.assertEqual(headers.lines_behind(self.root, "graphpatcher/io/d.hpp"), 2 + 1 + 3)
        self.assertEqual(headers.largest(self.root, 2), ["graphpatcher/io/d.hpp", "graphpatcher/ops/b.hpp"])


class Compilations(unittest.TestCase):
    def test_costs_add_up_and_the_largest_process_counts(self):
        self.assertEqual(Cost(1, 300) + Cost(2, 200), Cost(3, 300))

    def test_time_and_memory_of_a_process_and_its_children(self):
        child = "x = bytearray(64 << 20); x[::4096] = b'1' * len(x[::4096]); sum(range(3_000_000))"
        cost = cost_of([sys.executable, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', \"{child}\"])"])
        self.assertGreater(cost.seconds, 0.01)
        self.assertGreater(cost.peak_mb, 64)

    def test_a_failure_says_what_failed(self):
        with self.assertRaisesRegex(CompileTimeError, "(?s)boom.*failed:.*no such thing"):
            cost_of([sys.executable, "-c", "import sys; sys.exit('no such ' + 'thing')  # boom"])

    def test_a_unit_writes_nothing(self):
        entry = {"command": "c++ -DX='a b' -O3 -MD -MT x.o -MF x.o.d -o x.o -c x.cpp"}
        self.assertEqual(unit_command(entry), ["c++", "-DX=a b", "-O3", "-c", "x.cpp", "-o", "/dev/null"])


if __name__ == "__main__":
    unittest.main()
