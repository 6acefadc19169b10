# SPDX-License-Identifier: MIT
"""Which instructions can be mutated: those whose comparison or barrier stands in the source, in the folder asked for."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "translate"))
from module import ModuleTranslator  # noqa: E402
from mutation import MutationPoints, statement_at  # noqa: E402
from parse import parse_module  # noqa: E402

SOURCE = """__global__ void k(int n) {
  if (a < n && b <= n) {
  __syncthreads();
  const auto m = std::min<int>(a, n);  // a < n
  return first
      && c > n;
  if (x > 0.5f && a < n) {
"""
KERNEL = """.version 9.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
{body}
  ret;
}}
.file 1 "{file}"
"""


class Mutable(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name).resolve() / "kernels.cu"
        self.file.write_text(SOURCE)

    def translate(self, body, folder=None):
        points = MutationPoints(folder or self.file.parent)
        module = parse_module(KERNEL.format(body=body, file=self.file))
        return ModuleTranslator(module, points).translate(), {place[1:]: found for place, (_, found) in points.places.items()}

    def test_comparisons_of_a_statement_are_numbered(self):
        code, points = self.translate("  .loc 1 2 3\n  setp.lt.s32 %p1, %r1, %r2;\n  setp.le.u32 %p2, %r3, %r2;")
        self.assertEqual(points, {(2, 3, 0): "<", (2, 3, 1): "<="})
        self.assertIn("(mutated(0) ? (s32(r_r1) <= s32(r_r2)) : (s32(r_r1) < s32(r_r2)))", code)
        self.assertIn("(mutated(1) ? (r_r3 < r_r2) : (r_r3 <= r_r2))", code)

    def test_barriers(self):
        code, points = self.translate("  .loc 1 3 3\n  bar.sync 0;")
        self.assertEqual(points, {(3, 3, 0): "__syncthreads"})
        self.assertIn("if (!mutated(0)) { barrier(", code)

    def test_what_the_compiler_has_added_stays(self):
        for body in ("  .loc 1 4 3\n  setp.lt.s32 %p1, %r1, %r2;",  # inside min(), and the comment doesn't count
                     "  .loc 1 2 3\n  setp.gt.s32 %p1, %r1, %r2;",  # another comparison
                     "  .loc 1 2 3\n  setp.ne.s32 %p1, %r1, %r2;",
                     "  .loc 1 4 3\n  bar.sync 0;"):
            code, points = self.translate(body)
            self.assertEqual(points, {})
            self.assertNotIn("mutated(0)", code)

    def test_floats_are_counted_but_have_no_bounds(self):
        _, points = self.translate("  .loc 1 7 3\n  setp.gt.f32 %p1, %r1, %r2;\n  setp.lt.s32 %p2, %r1, %r2;")
        self.assertEqual(points, {(7, 3, 1): "<"})

    def test_statements_may_have_several_lines(self):
        self.assertEqual(statement_at(self.file, 5, 3), "return first && c > n;")
        _, points = self.translate("  .loc 1 5 3\n  setp.gt.s32 %p1, %r1, %r2;")
        self.assertEqual(points, {(5, 3, 0): ">"})

    def test_other_folders_are_left_alone(self):
        _, points = self.translate("  .loc 1 3 3\n  bar.sync 0;", self.file.parent / "elsewhere")
        self.assertEqual(points, {})


if __name__ == "__main__":
    unittest.main()
