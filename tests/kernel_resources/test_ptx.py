# SPDX-License-Identifier: MIT
import unittest

from support import ADAM, GREEDY, TILED, sample

from kernel_resources import ResourcesError
from kernel_resources.ptx import Usage, block_sizes, parse_log, target_of


class LogTest(unittest.TestCase):
    """samples/sm_80.log is what ptxas 13.0 printed."""

    def test_all_numbers_of_each_kernel(self):
        self.assertEqual(parse_log(sample("sm_80.log")), {
            GREEDY: Usage(registers=32, spill_bytes=2640 + 3288, stack=1744, shared=0),
            TILED: Usage(registers=128, spill_bytes=0, stack=256, shared=2048),
            ADAM: Usage(registers=56, spill_bytes=0, stack=0, shared=0),
        })

    def test_spills_of_a_called_function_are_its_kernels(self):
        quiet = "_ZN12graphpatcher7kernels8far_awayIfEET_PKS2_i\n    0 bytes stack frame, 0 bytes spill stores, 0"
        log = sample("sm_80.log")
        self.assertIn(quiet, log)
        spilling = log.replace(quiet, quiet.replace("0 bytes spill stores, 0", "8 bytes spill stores, 12"))
        usages = parse_log(spilling)
        self.assertEqual(usages[TILED].spill_bytes, 20)
        self.assertEqual(usages[ADAM].spill_bytes, 0)
        own = "256 bytes stack frame, 0 bytes spill stores"
        self.assertEqual(parse_log(spilling.replace(own, own.replace("0 bytes s", "4 bytes s")))[TILED].spill_bytes, 24)

    def test_a_source_without_kernels(self):
        self.assertEqual(parse_log("ptxas info    : 0 bytes gmem\n"), {})

    def test_a_log_without_registers(self):
        with self.assertRaisesRegex(ResourcesError, "registers of kernel.*-v"):
            parse_log("ptxas info    : Compiling entry function 'kernel' for 'sm_80'\n")

    def test_names_of_architectures_with_a_letter(self):
        log = sample("calm.log").replace("'sm_80'", "'sm_90a'")
        self.assertEqual(parse_log(log)[TILED].registers, 40)


class PtxTest(unittest.TestCase):
    def test_block_sizes(self):
        self.assertEqual(block_sizes(sample("two_kernels.ptx")), {TILED: 256, GREEDY: 1024})

    def test_a_block_of_several_dimensions(self):
        text = sample("two_kernels.ptx").replace(".maxntid 256, 1, 1", ".maxntid 32, 8, 2")
        self.assertEqual(block_sizes(text)[TILED], 512)

    def test_required_sizes_count_too(self):
        text = sample("two_kernels.ptx").replace(".maxntid 256, 1, 1", ".reqntid 64")
        self.assertEqual(block_sizes(text)[TILED], 64)

    def test_a_kernel_without_launch_bounds(self):
        text = sample("two_kernels.ptx").replace(".maxntid 1024, 1, 1\n", "")
        with self.assertRaisesRegex(ResourcesError, f"{GREEDY} has no __launch_bounds__"):
            block_sizes(text)

    def test_target(self):
        self.assertEqual(target_of(sample("two_kernels.ptx")), 80)
        self.assertEqual(target_of(".version 9.0\n.target sm_100a\n"), 100)
        with self.assertRaisesRegex(ResourcesError, "target"):
            target_of("not PTX")


if __name__ == "__main__":
    unittest.main()
