# SPDX-License-Identifier: MIT
"""What scripts/coverage makes of gcov's answers."""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

from coverage import CoverageError  # noqa: E402
from coverage.counts import Counts, documents, written_branches  # noqa: E402
from coverage.report import BEGIN, END, Reasons, ranges, room_of, to_markdown, total_of, with_report  # noqa: E402


def way(count, fallthrough=False, throw=False):
    return {"count": count, "fallthrough": fallthrough, "throw": throw}


def line(number, count, *branches, function="f"):
    return {"line_number": number, "count": count, "function_name": function, "branches": list(branches)}


def document(*lines, file="a.hpp"):
    return {"files": [{"file": file, "lines": list(lines)}]}


def merged(*documents):
    counts = Counts()
    for each in documents:
        counts.add(each, lambda name: f"include/graphpatcher/{name}" if name.endswith("hpp") else None)
    return counts.merged()


HEADER = """template <class T>
int f(T x) {
  if (x > 3 && x < 9) {
    return 1;
  }
  if constexpr (sizeof(T) == 4) {
    g(x);
    return x < 0 ? 2 : 3;
  } else {
    return 4;
  }
}
"""


class Coverage(unittest.TestCase):
    def test_ways_of_exceptions_are_left_out(self):
        call = [way(5, fallthrough=True), way(0, throw=True)]
        self.assertEqual(written_branches(call), [])
        self.assertEqual(written_branches([way(2, True), way(3), *call, way(1, True), way(0)]), [2, 3, 1, 0])

    def test_sums_over_object_files(self):
        file = merged(document(line(3, 1, way(1), way(0)), line(4, 0)), document(line(3, 2, way(0), way(2)), line(4, 0)),
                      document(line(9, 1), file="main.cpp"))["include/graphpatcher/a.hpp"]
        self.assertEqual((file.lines, file.branches), ({3: 3, 4: 0}, {3: [1, 2]}))
        self.assertEqual((file.uncovered(), file.half_covered()), ([4], []))

    def test_instantiations_are_one_line(self):
        file = merged(document(line(3, 1, way(1), way(0)), line(3, 1, way(0), way(1), function="g"),
                               line(5, 2, way(2), way(0), function="f"), line(5, 0, function="g"),
                               line(7, 1, way(1), way(1), way(0), way(0), function="f"),
                               line(7, 9, way(9), way(9), function="g")))["include/graphpatcher/a.hpp"]
        self.assertEqual(file.branches, {3: [1, 1], 5: [2, 0], 7: [1, 1, 0, 0]})
        self.assertEqual((file.lines[5], file.half_covered()), (2, [5, 7]))
        total = total_of([file])
        self.assertEqual((total.lines, total.covered_lines, total.branches, total.covered_branches), (3, 3, 8, 5))
        self.assertEqual((total.line_percent, total.branch_percent), (100, 62.5))

    def test_report(self):
        files = {"include/graphpatcher/graph/a.hpp": merged(document(line(1, 1), line(2, 0), line(3, 0), line(5, 0)))[
            "include/graphpatcher/a.hpp"], "include/graphpatcher/b.hpp": merged(document(line(1, 1)))["include/graphpatcher/a.hpp"]}
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "reasons.json"
            path.write_text(json.dumps([{"file": "*/graph/a.hpp", "text": "throw*", "reason": "needs a full disk"}]))
            reasons = Reasons(path)
            path.write_text('[{"file": "a"}]')
            with self.assertRaisesRegex(CoverageError, "file, text and reason"):
                Reasons(path)
        text = ["one", "  throw x;", "  throw y;", "", "five"]
        report = to_markdown(files, lambda path: text, reasons).splitlines()
        for expected in ("40.0 % of the lines and 100.0 % of the branches.", "| `graph` | 1 of 4 | 25.0 | 0 of 0 | 100.0 |",
                         "| `graphpatcher` | 1 of 1 | 100.0 | 0 of 0 | 100.0 |", "| all | 2 of 5 | 40.0 | 0 of 0 | 100.0 |",
                         "| `graph/a.hpp` | 2-3 | needs a full disk |", "| `graph/a.hpp` | 5 |  |"):
            self.assertIn(expected, report)
        self.assertEqual(with_report(f"a {BEGIN} old {END} b", "new", "p"), f"a {BEGIN}\nnew\n{END} b")
        with self.assertRaisesRegex(CoverageError, "markers"):
            with_report("", "new", "p")

    def test_names(self):
        self.assertEqual(ranges([3, 4, 5, 9]), "3-5, 9")
        self.assertEqual(room_of("include/graphpatcher/patcher/detail/ego_cut.hpp"), "patcher")
        self.assertEqual(room_of("include/graphpatcher/version.hpp"), "graphpatcher")

    @unittest.skipUnless(shutil.which("g++") and shutil.which("gcov"), "needs GCC")
    def test_what_gcov_says(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            (folder / "a.hpp").write_text(HEADER)
            (folder / "main.cpp").write_text('#include <string>\nvoid g(int x) { std::string(x, 1); }\n#include "a.hpp"\n'
                                             "int main() { return f(4) + f(1.) - f(0) - 1 - 4 + 3; }\n")
            for command in (["g++", "-std=c++20", "-O0", "--coverage", "main.cpp", "-o", "main"], [folder / "main"]):
                subprocess.run(command, cwd=folder, check=True)
            counts = Counts()
            for each in documents(sorted(folder.glob("*.gcda")), folder, 1):
                counts.add(each, lambda name: name if name == "a.hpp" else None)
            file = counts.merged()["a.hpp"]
        self.assertEqual(file.lines, {2: 3, 3: 3, 4: 1, 7: 1, 8: 1, 10: 1})
        self.assertEqual(file.half_covered(), [3, 8])  # no x from 9 on, none below 0
        self.assertEqual([count > 0 for count in file.branches[3]], [True, True, True, False])
        self.assertNotIn(7, [number for number, ways in file.branches.items() if ways])  # but an exception


if __name__ == "__main__":
    unittest.main()
