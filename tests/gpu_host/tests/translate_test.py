# SPDX-License-Identifier: MIT
"""The translator stops at what it doesn't know, and says where; source lines come out right."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "translate"))
from errors import Unsupported  # noqa: E402
from module import ModuleTranslator  # noqa: E402
from parse import parse_module  # noqa: E402

KERNEL = """.version 9.0
.target sm_80
.address_size 64
{variables}
.visible .entry k(.param .u64 k_param_0)
{{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .loc 1 12 3
{body}
  ret;
}}
.file 1 "kernels.cu"
.file 2 "/usr/local/cuda/targets/x86_64-linux/include/sm_30_intrinsics.hpp"
"""


def translate(body, variables=""):
    return ModuleTranslator(parse_module(KERNEL.format(body=body, variables=variables))).translate()


class Translation(unittest.TestCase):
    def refuses(self, body, *words, variables=""):
        with self.assertRaises(Unsupported) as caught:
            translate(body, variables)
        for word in words:
            self.assertIn(word, caught.exception.message)
        return caught.exception

    def test_unknown_instruction_is_named_with_its_line(self):
        error = self.refuses("  add.s32 %r1, %r2, %r3;\n  wgmma.fence.sync.aligned;", "wgmma")
        self.assertEqual(error.line, 12)

    def test_unknown_modifiers_types_and_operands_are_refused(self):
        self.refuses("  add.strange.s32 %r1, %r2, %r3;", ".strange")
        self.refuses("  ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;", "L2::cache_hint")
        self.refuses("  atom.global.add.v4.f32 {%r1,%r2,%r3,%r4}, [%rd1], {%r1,%r2,%r3,%r4};", "atomic")
        self.refuses("  mov.u32 %r1, %envreg3;", "%envreg3")
        self.refuses("  add.s32 %r1, %r99, %r3;", "%r99")
        self.refuses("  bra nowhere;", "nowhere")
        self.refuses("  call.uni elsewhere;", "elsewhere")
        self.refuses("  .reg .b128 %q;", "b128")
        self.refuses("  fence.proxy.async;", "proxy")

    def test_initial_values_that_are_no_numbers_or_addresses_are_refused(self):
        self.refuses("", "nonsense", variables=".global .align 4 .u32 v = nonsense;")

    def test_sites_skip_the_headers_of_the_toolkit(self):
        code = translate("  .loc 1 20 3\n  .loc 2 300 9, function_name $info, inlined_at 1 20 3\n  ld.global.u32 %r1, [%rd1];")
        self.assertIn('{"kernels.cu", 20}', code)
        self.assertNotIn("sm_30_intrinsics", code)

    def test_inner_scopes_have_registers_and_labels_of_their_own(self):
        code = translate("  {\n  .reg .b32 %r1;\n  again:\n  mov.u32 %r1, 1;\n  @%p1 bra again;\n  }\n"
                         "  {\n  .reg .b32 %r1;\n  again:\n  mov.u32 %r1, 2;\n  @!%p1 bra again;\n  }")
        for name in ("r_r1_1 = 1u;", "r_r1_2 = 2u;", "goto l_again_1", "goto l_again_2", "if (!r_p1)"):
            self.assertIn(name, code)

    def test_translation_is_deterministic(self):
        self.assertEqual(translate("  bar.sync 0;"), translate("  bar.sync 0;"))


if __name__ == "__main__":
    unittest.main()
