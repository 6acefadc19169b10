# SPDX-License-Identifier: MIT
"""compare.py tells what is equal to rounding from what is not."""
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import compare  # noqa: E402


def faults(here, there):
    return compare.faults(compare.read(here), compare.read(there))


class Compare(unittest.TestCase):
    def test_equal_to_rounding(self):
        self.assertEqual(faults("exact a 3\nclose b 0x1p+0 0x1p-20", "exact a 3\nclose b 0x1.00001p+0 0x1p-20"), [])

    def test_an_integer_differs(self):
        self.assertEqual(faults("exact a 3\nexact a 4", "exact a 3\nexact a 5"), ["a, line 2: 4 here and 5 there"])

    def test_a_number_is_too_far(self):
        self.assertEqual(len(faults("close b 0x1p+0 0x1p-21", "close b 0x1.00001p+0 0x1p-20")), 1)

    def test_nan_is_close_to_nothing(self):
        self.assertEqual(len(faults("close b nan 0x1p-20\nclose b 0x1p+0 0x0p+0", "close b nan 0x1p-20\nclose b 0x1p+0 0x0p+0")), 2)

    def test_a_bound_that_says_nothing(self):
        self.assertEqual(faults("close b 0x1p+0 0x1p-1", "close b 0x1p+0 0x1p-1"),
                         ["b: a bound of 0.5 says nothing of numbers up to 1"])

    def test_other_values(self):
        self.assertEqual(len(faults("exact a 3", "exact a 3\nexact a 4")), 1)

    def test_a_line_of_something_else(self):
        with self.assertRaisesRegex(ValueError, "expected `exact NAME integer`"):
            compare.read("core dumped")


if __name__ == "__main__":
    unittest.main()
