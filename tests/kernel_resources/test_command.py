# SPDX-License-Identifier: MIT
"""scripts/kernel-resources as it is run, in a small project, with a compiler that says what the test wants."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT, sample

from kernel_resources.table import BEGIN, END

# Both copy what the test has prepared; a source with the word "broken" does not compile.
NVCC = """#!/bin/sh
for last; do :; done
while [ "$1" != -ptx ]; do shift; done
if grep -q broken "$2"; then echo "$2(1): error: identifier \\"broken\\" is undefined" >&2; exit 2; fi
cp "$PREPARED/kernels.ptx" "$last"
"""
PTXAS = """#!/bin/sh
cat "$PREPARED/ptxas.log" >&2
"""


@unittest.skipUnless(shutil.which("c++filt"), "c++filt is missing")
class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        for name in ("kernels", "docs", "tools", "ptx", "empty"):
            (self.root / name).mkdir()
        self.csv = self.root / "kernels" / "resources.csv"
        self.page = self.root / "docs" / "kernels.md"
        self.source = self.root / "kernels" / "sums.cu"
        self.source.write_text("// two kernels\n")
        self.page.write_text(f"# Kernels\n{BEGIN}\n{END}\n")
        self.prepare(sample("calm.log"))
        for name, text in (("nvcc", NVCC), ("ptxas", PTXAS)):
            (self.root / "tools" / name).write_text(text)
            (self.root / "tools" / name).chmod(0o755)

    def prepare(self, log, ptx=sample("two_kernels.ptx")):
        (self.root / "kernels.ptx").write_text(ptx)
        (self.root / "ptxas.log").write_text(log)

    def run_script(self, *arguments, path=None):
        environment = {name: value for name, value in os.environ.items() if name != "CUDACXX"}
        environment |= {"PREPARED": str(self.root), "PATH": path or f"{self.root}/tools:{os.environ['PATH']}"}
        command = [sys.executable, ROOT / "scripts" / "kernel-resources", "--root", self.root, *arguments]
        result = subprocess.run(command, capture_output=True, text=True, env=environment)
        self.assertNotIn("Traceback", result.stderr)
        return result

    def expect(self, code, *words, arguments=("--check",), **options):
        result = self.run_script(*arguments, **options)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        for word in words:
            self.assertIn(word, result.stderr if code else result.stdout)

    def test_update_then_check(self):
        self.expect(0, "sums.cu, sm_80: 2 kernels", arguments=())
        # greedy: 32 registers, blocks of 32 warps, 2 of them: 64 warps. tiled: 40 registers, 1280 a warp, 48 warps.
        self.assertEqual(self.csv.read_text().splitlines()[1:],
                         ["sums,greedy<double>,80,32,0,0,0,1024,100", "sums,tiled<float>,80,40,0,0,2048,256,75"])
        self.assertIn("| sums | `tiled` | 1 | 256 | 2048 | 40, 75 % |", self.page.read_text())
        self.expect(0, "2 kernels as recorded, no spills")

    def test_update_keeps_other_architectures_and_drops_sources_that_have_gone(self):
        self.run_script()
        head, *lines = self.csv.read_text().splitlines(keepends=True)
        others = ["sums,greedy<double>,90,30,0,0,0,1024,100\n", "gone,old<int>,80,30,0,0,0,256,100\n"]
        self.csv.write_text(head + "".join(lines + others))
        self.expect(0, arguments=())
        self.assertEqual(sorted(self.csv.read_text().splitlines(keepends=True)), sorted([head, *lines, others[0]]))

    def test_all_architectures(self):
        self.expect(0, arguments=("--all-archs", "--jobs", "2"))
        self.assertEqual(len(self.csv.read_text().splitlines()), 1 + 2 * 7)
        self.expect(0, "14 kernels as recorded", arguments=("--check", "--all-archs"))

    def test_regressions(self):
        calm = sample("calm.log")
        self.run_script()
        self.prepare(calm.replace("Used 40 registers", "Used 41 registers"))
        self.expect(1, "tiled<float> on sm_80 fills 62.5 %", "recorded are 75 %; registers 40 -> 41",
                    "problems: 1")
        self.prepare(calm.replace("0 bytes spill stores", "4 bytes spill stores", 1))
        self.expect(1, "tiled<float> on sm_80 spills 4 bytes")
        self.prepare(*(text.replace("greedyIdE", "greedyIfE") for text in (calm, sample("two_kernels.ptx"))))
        self.expect(1, "greedy<double> on sm_80 is recorded, but not there any more", "greedy<float> on sm_80 is new",
                    "problems: 2")

    def test_fewer_registers_are_no_problem(self):
        self.run_script()
        self.prepare(sample("calm.log").replace("Used 40 registers", "Used 33 registers"))
        self.expect(0, "1 have other numbers than recorded, none worse")

    def test_updating_with_a_spill_says_so(self):
        self.prepare(sample("calm.log").replace("0 bytes spill stores", "4 bytes spill stores", 1))
        self.expect(1, "tiled<float> on sm_80 spills 4 bytes", arguments=())

    def test_a_table_that_is_not_that_of_the_csv(self):
        self.run_script()
        self.page.write_text(self.page.read_text().replace("75 %", "99 %"))
        self.expect(1, "kernels.md: the table is not that of resources.csv")
        self.expect(0, arguments=("--markdown",))
        self.expect(0)

    def test_ptx_that_a_build_has_kept(self):
        self.run_script()
        arguments = ("--check", "--ptx", str(self.root / "ptx"))
        (self.root / "tools" / "nvcc").write_text("#!/bin/sh\nexit 9\n")  # must not be run
        self.expect(2, "no PTX for sm_80", "sums", arguments=arguments)
        (self.root / "ptx" / "sums.compute_90.ptx").write_text(sample("two_kernels.ptx").replace("sm_80", "sm_90"))
        self.expect(2, "no PTX for sm_80", arguments=arguments)
        (self.root / "ptx" / "sums.ptx").write_text(sample("two_kernels.ptx"))
        (self.root / "ptx" / "a_source_of_long_ago.ptx").write_text(sample("two_kernels.ptx"))
        self.expect(0, "2 kernels as recorded", arguments=arguments)

    def test_nothing_to_measure_with(self):
        self.run_script()
        self.expect(2, "nvcc was not found", "CUDACXX", path=str(self.root / "empty"))

    def test_a_source_that_does_not_compile(self):
        self.source.write_text("broken\n")
        self.expect(2, "compiling sums.cu for sm_80 failed", 'identifier "broken" is undefined', arguments=())
        self.assertFalse(self.csv.exists())

    def test_ptx_and_log_that_don_t_belong_together(self):
        self.prepare(sample("sm_80.log"))
        self.expect(2, "don't have the same kernels", "optimizer_kernel", arguments=())

    def test_bad_csv(self):
        self.expect(2, "resources.csv is missing: run scripts/kernel-resources")
        self.csv.write_text("nonsense\n")
        self.expect(2, "resources.csv:1: expected the columns")

    def test_bad_arguments(self):
        self.expect(2, "no such file", arguments=("nowhere.cu",))
        self.expect(2, "expected a .cu file of", arguments=(str(self.page),))
        self.expect(2, "expected at least 1 job", arguments=("--jobs", "0"))
        self.expect(2, "--ptx is for one architecture", arguments=("--all-archs", "--ptx", "x"))
        self.expect(2, "invalid choice: 81", arguments=("--arch", "81"))


if __name__ == "__main__":
    unittest.main()
