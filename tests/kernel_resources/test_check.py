# SPDX-License-Identifier: MIT
"""Seeded regressions: each is found, and only it."""
import unittest
from dataclasses import replace

import support  # noqa: F401

from kernel_resources.check import differences, problems
from kernel_resources.table import Row

RECORDED = [
    Row("spmm", "row_sums<4>", 80, 40, 0, 0, 0, 256, 75.0),
    Row("loss", "softmax<8>", 80, 20, 0, 8, 512, 256, 100.0),
    Row("loss", "softmax<8>", 90, 24, 0, 0, 512, 256, 100.0),
]
ON_80 = RECORDED[:2]


class CheckTest(unittest.TestCase):
    def found(self, measured):
        return problems(measured, RECORDED, 80)

    def one_problem(self, measured, *words):
        messages = self.found(measured)
        self.assertEqual(len(messages), 1, messages)
        for word in words:
            self.assertIn(word, messages[0])

    def test_all_as_recorded(self):
        self.assertEqual(self.found(ON_80), [])
        self.assertEqual(differences(ON_80, RECORDED, 80), 0)

    def test_a_spill(self):
        self.one_problem([replace(ON_80[0], spill_bytes=24), ON_80[1]], "spmm.cu: row_sums<4> on sm_80", "spills 24")

    def test_a_spill_that_is_recorded_fails_too(self):
        spilling = replace(ON_80[0], spill_bytes=24)
        self.assertEqual(len(problems([spilling], [spilling], 80)), 1)

    def test_registers_that_cost_occupancy(self):
        self.one_problem([replace(ON_80[0], registers=56, occupancy=50.0), ON_80[1]], "fills 50 %", "recorded are 75 %",
                         "registers 40 -> 56")

    def test_shared_memory_that_costs_occupancy(self):
        self.one_problem([ON_80[0], replace(ON_80[1], shared=40000, occupancy=50.0)], "shared bytes 512 -> 40000")

    def test_registers_without_effect_are_a_note(self):
        more = [ON_80[0], replace(ON_80[1], registers=30)]
        self.assertEqual(self.found(more), [])
        self.assertEqual(differences(more, RECORDED, 80), 1)

    def test_more_local_memory(self):
        self.one_problem([ON_80[0], replace(ON_80[1], stack=16)], "16 bytes a thread in local memory", "recorded are 8")

    def test_a_missing_kernel(self):
        self.one_problem([ON_80[0]], "loss.cu: softmax<8> on sm_80", "not there any more",
                         "run scripts/kernel-resources")

    def test_a_new_kernel(self):
        new = Row("loss", "softmax<32>", 80, 20, 0, 0, 0, 256, 100.0)
        self.one_problem(ON_80 + [new], "loss.cu: softmax<32> on sm_80 is new", "run scripts/kernel-resources")

    def test_a_new_kernel_that_spills_is_told_both(self):
        self.assertEqual(len(self.found(ON_80 + [Row("loss", "new", 80, 255, 4, 8, 0, 256, 12.5)])), 2)

    def test_a_template_of_two_files_is_two_kernels(self):
        self.one_problem([ON_80[0], replace(ON_80[1], file="norm"), ON_80[1]], "norm.cu: softmax<8>", "is new")


if __name__ == "__main__":
    unittest.main()
