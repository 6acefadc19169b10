# SPDX-License-Identifier: MIT
"""What core_program printed on two processors (report.hpp): integers must be equal, numbers equal to rounding.

usage: compare.py HERE THERE    each a file of lines `exact NAME integer` or `close NAME value tolerance`
"""
import math
import sys
from pathlib import Path


def read(text):
    """The lines as tuples: (name, integer) or (name, value, tolerance)."""
    values = []
    for line in text.splitlines():
        kind, name, *numbers = line.split()
        if kind == "exact" and len(numbers) == 1:
            values.append((name, int(numbers[0])))
        elif kind == "close" and len(numbers) == 2:
            values.append((name, *map(float.fromhex, numbers)))
        else:
            raise ValueError(f"expected `exact NAME integer` or `close NAME value tolerance`, got {line!r}")
    return values


def faults(here, there):
    """What is not as it should be, a sentence each."""
    if [value[0] for value in here] != [value[0] for value in there]:
        return [f"expected the same values in the same order, got {len(here)} and {len(there)}"]
    found = []
    for at, (mine, theirs) in enumerate(zip(here, there)):
        if len(mine) == 2:
            if mine[1] != theirs[1]:
                found.append(f"{mine[0]}, line {at + 1}: {mine[1]} here and {theirs[1]} there")
        elif not abs(mine[1] - theirs[1]) <= min(mine[2], theirs[2]):  # NaN is close to nothing
            found.append(f"{mine[0]}, line {at + 1}: {mine[1]!r} here and {theirs[1]!r} there, "
                         f"further apart than {min(mine[2], theirs[2]):.2g}")
    for name, (_, largest, bound) in spread(here, there).items():
        if not bound < largest / 100:
            found.append(f"{name}: a bound of {bound:.2g} says nothing of numbers up to {largest:.2g}")
    return found


def spread(here, there):
    """For each name of numbers: the largest difference, the largest number, the largest tolerance."""
    result = {}
    for mine, theirs in zip(here, there):
        if len(mine) == 3:
            old = result.get(mine[0], (0.0, 0.0, 0.0))
            new = (abs(mine[1] - theirs[1]), abs(mine[1]), mine[2])
            result[mine[0]] = tuple(b if math.isnan(b) else max(a, b) for a, b in zip(old, new))
    return result


def main(here, there):
    mine, theirs = read(Path(here).read_text()), read(Path(there).read_text())
    if not mine:
        sys.exit("compare.py: expected values, got none")
    found = faults(mine, theirs)
    print("\n".join(found[:20]))
    print(f"{sum(len(value) == 2 for value in mine)} integers")
    for name, (difference, largest, bound) in spread(mine, theirs).items():
        print(f"{name}: at most {difference:.2g} apart, allowed {bound:.2g}, numbers up to {largest:.3g}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
