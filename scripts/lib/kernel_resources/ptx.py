# SPDX-License-Identifier: MIT
"""What PTX and the messages of `ptxas -v` tell about kernels. Kernels go by their mangled names here."""
import re
from dataclasses import dataclass

from . import ResourcesError

TARGET = re.compile(r"^\.target\s+sm_(\d+)", re.MULTILINE)
# A kernel's head: its name, its parameters in brackets, then directives such as .maxntid up to the body.
ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*(?:\([^)]*\))?([^{;]*)\{")
BLOCK = re.compile(r"\.(?:maxntid|reqntid)\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?")

COMPILING = re.compile(r"Compiling entry function '([^']+)' for 'sm_(\d+)\w*'")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
STACK = re.compile(r"(\d+) bytes cumulative stack size")
SHARED = re.compile(r"(\d+) bytes smem")


@dataclass
class Usage:
    """Of one kernel."""

    registers: int = -1  # of a thread; -1 until ptxas has said it
    spill_bytes: int = 0  # stored and loaded, also by functions that are not inlined into the kernel
    stack: int = 0  # bytes of a thread
    shared: int = 0  # bytes of a block, static


def target_of(text):
    """80 for PTX that was made for compute_80."""
    found = TARGET.search(text)
    if found is None:
        raise ResourcesError("expected PTX with a line '.target sm_...', found none")
    return int(found.group(1))


def block_sizes(text):
    """The most threads a block of each kernel may have: what __launch_bounds__ said."""
    sizes = {}
    for name, directives in ENTRY.findall(text):
        bounds = BLOCK.search(directives)
        if bounds is None:
            raise ResourcesError(f"{name} has no __launch_bounds__, so its occupancy is not known; give it some")
        x, y, z = (int(extent or 1) for extent in bounds.groups())
        sizes[name] = x * y * z
    return sizes


def parse_log(text):
    """A dictionary from kernel to Usage, from what `ptxas -v` printed for one architecture."""
    usages = {}
    current = None
    for line in text.splitlines():
        if found := COMPILING.search(line):
            current = usages.setdefault(found.group(1), Usage())
        elif current is None:
            continue
        elif found := FRAME.search(line):
            # Functions that are called follow the kernel that calls them: their spills are its own.
            stack, stores, loads = map(int, found.groups())
            current.spill_bytes += stores + loads
            current.stack = max(current.stack, stack)
        elif found := USED.search(line):
            current.registers = int(found.group(1))
            current.stack = max([current.stack] + [int(size) for size in STACK.findall(line)])
            current.shared = sum(int(size) for size in SHARED.findall(line))
    for name, usage in usages.items():
        if usage.registers < 0:
            raise ResourcesError(f"ptxas did not tell the registers of {name}; was it run with -v?")
    return usages
