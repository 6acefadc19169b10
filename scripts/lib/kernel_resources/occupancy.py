# SPDX-License-Identifier: MIT
"""Theoretical occupancy: how full a multiprocessor can be of one kernel's warps.

The rules are those of CUDA's own calculator, the header cuda_occupancy.h of the toolkit; the limits are those of the
table "Technical Specifications per Compute Capability" in the CUDA C++ Programming Guide.
"""
from dataclasses import dataclass

WARP = 32
REGISTERS = 65536  # of a multiprocessor, and the most that a block may have
REGISTER_UNIT = 256  # registers are handed to warps in multiples of this
PARTITIONS = 4  # of a multiprocessor; a warp's registers are all in one of them
LARGEST_BLOCK = 1024  # threads


@dataclass(frozen=True)
class Limits:
    """Of one multiprocessor."""

    warps: int
    blocks: int
    shared: int  # bytes for all blocks together
    shared_unit: int  # shared memory is handed to blocks in multiples of this
    reserved: int  # bytes that the driver takes of each block


LIMITS = {
    75: Limits(warps=32, blocks=16, shared=64 * 1024, shared_unit=256, reserved=0),
    80: Limits(warps=64, blocks=32, shared=164 * 1024, shared_unit=128, reserved=1024),
    86: Limits(warps=48, blocks=16, shared=100 * 1024, shared_unit=128, reserved=1024),
    89: Limits(warps=48, blocks=24, shared=100 * 1024, shared_unit=128, reserved=1024),
    90: Limits(warps=64, blocks=32, shared=228 * 1024, shared_unit=128, reserved=1024),
    100: Limits(warps=64, blocks=32, shared=228 * 1024, shared_unit=128, reserved=1024),
    120: Limits(warps=48, blocks=24, shared=100 * 1024, shared_unit=128, reserved=1024),
}
ARCHITECTURES = tuple(LIMITS)


def round_up(value, unit):
    return -(-value // unit) * unit


def resident_blocks(arch, registers, shared, block):
    """Blocks of `block` threads that fit one multiprocessor; `shared`: bytes of a block, `registers`: of a thread."""
    limits = LIMITS[arch]
    if block > LARGEST_BLOCK:
        return 0
    warps = -(-block // WARP)
    fitting = min(limits.blocks, limits.warps // warps)
    warp_registers = round_up(registers * WARP, REGISTER_UNIT)
    if warp_registers > 0:
        # A block is launched only if it would fit with its warps spread evenly over the partitions.
        if warp_registers * round_up(warps, PARTITIONS) > REGISTERS:
            return 0
        fitting = min(fitting, REGISTERS // PARTITIONS // warp_registers * PARTITIONS // warps)
    block_shared = round_up(shared + limits.reserved, limits.shared_unit)
    if block_shared > 0:
        fitting = min(fitting, limits.shared // block_shared)
    return fitting


def occupancy(arch, registers, shared, block):
    """Resident warps, in percent of what the multiprocessor can hold, to one decimal."""
    warps = resident_blocks(arch, registers, shared, block) * -(-block // WARP)
    return round(100 * warps / LIMITS[arch].warps, 1)
