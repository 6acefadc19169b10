# SPDX-License-Identifier: MIT
"""Worked out by hand. A warp gets registers in multiples of 256, from a quarter of 65536: 16384."""
import unittest

import support  # noqa: F401

from kernel_resources.occupancy import ARCHITECTURES, occupancy, resident_blocks


class OccupancyTest(unittest.TestCase):
    def test_limited_by_warps(self):
        # 32 registers: 1024 a warp, 16 warps a quarter, 64 in all. Blocks of 8 warps: 8 of them, or what warps allow.
        self.assertEqual([resident_blocks(arch, 32, 0, 256) for arch in (75, 80, 86, 89, 90, 100, 120)],
                         [4, 8, 6, 6, 8, 8, 6])
        for arch in ARCHITECTURES:
            self.assertEqual(occupancy(arch, 32, 0, 256), 100)

    def test_limited_by_registers(self):
        # 33 registers: 1056 a warp, rounded to 1280; 16384 / 1280 = 12.8, so 12 warps a quarter, 48 in all: 6 blocks.
        self.assertEqual(resident_blocks(80, 33, 0, 256), 6)
        self.assertEqual(occupancy(80, 33, 0, 256), 75)
        self.assertEqual(occupancy(86, 33, 0, 256), 100)  # 48 warps are all there are
        # 128 registers: 4096 a warp, 4 warps a quarter, 16 in all: 2 blocks of 8.
        self.assertEqual(occupancy(80, 128, 0, 256), 25)
        self.assertEqual(occupancy(75, 128, 0, 256), 50)
        self.assertEqual(occupancy(120, 128, 0, 256), 33.3)

    def test_registers_are_in_quarters(self):
        # 72 registers: 2304 a warp, 7 warps a quarter, 28 in all: 3 blocks of 8 warps, although
        # 65536 / (8 · 2304) = 3.6; with blocks of 4 warps 7 fit.
        self.assertEqual(resident_blocks(80, 72, 0, 256), 3)
        self.assertEqual(resident_blocks(80, 72, 0, 128), 7)
        # 48 registers: 1536 a warp, 10 warps a quarter (10.67), 40 in all and not 42: 20 blocks of 2 warps.
        self.assertEqual(resident_blocks(80, 48, 0, 64), 20)

    def test_limited_by_blocks(self):
        # Blocks of one warp: as many as there may be, 16, 32, 16, 24, ...
        self.assertEqual([resident_blocks(arch, 16, 0, 32) for arch in (75, 80, 86, 89, 90, 100, 120)],
                         [16, 32, 16, 24, 32, 32, 24])
        self.assertEqual(occupancy(80, 16, 0, 32), 50)

    def test_limited_by_shared_memory(self):
        # 20516 bytes and 1024 of the driver's, in multiples of 128: 21632. 164 KB / 21632 = 7.76, 100 KB: 4.7.
        self.assertEqual(resident_blocks(80, 32, 20516, 256), 7)
        self.assertEqual(resident_blocks(86, 32, 20516, 256), 4)
        self.assertEqual(occupancy(86, 32, 20516, 256), 66.7)
        # Turing reserves nothing and counts in 256: 20736, 64 KB / 20736 = 3.2.
        self.assertEqual(resident_blocks(75, 32, 20516, 256), 3)

    def test_a_part_of_a_warp_is_a_warp(self):
        self.assertEqual(resident_blocks(80, 32, 0, 33), resident_blocks(80, 32, 0, 64))

    def test_blocks_that_never_fit(self):
        # 1024 threads with 65 registers: 32 warps of 2304, 73728 in all, more than 65536.
        self.assertEqual(occupancy(80, 65, 0, 1024), 0)
        self.assertEqual(occupancy(80, 64, 0, 1024), 50)
        self.assertEqual(occupancy(80, 16, 0, 1056), 0)


if __name__ == "__main__":
    unittest.main()
