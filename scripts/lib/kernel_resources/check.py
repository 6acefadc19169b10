# SPDX-License-Identifier: MIT
"""Compares what was measured with what is recorded."""

REMEDY = "run scripts/kernel-resources --all-archs to update"


def problems(measured, recorded, arch):
    """Messages, one for everything that is worse than recorded or not recorded at all; empty if all is well."""
    old_rows = {row.key: row for row in recorded if row.arch == arch}
    new_rows = {row.key: row for row in measured if row.arch == arch}
    found = []
    for key in sorted(old_rows.keys() | new_rows.keys()):
        old, new = old_rows.get(key), new_rows.get(key)
        where = f"{key[0]}.cu: {key[1]} on sm_{arch}"
        if new is None:
            found.append(f"{where} is recorded, but not there any more; {REMEDY}")
            continue
        if new.spill_bytes > 0:
            found.append(f"{where} spills {new.spill_bytes} bytes of registers, expected none; use fewer (a narrower "
                         "pack, fewer rows in flight) or ask for fewer resident blocks in __launch_bounds__")
        if old is None:
            found.append(f"{where} is new; {REMEDY}")
            continue
        if new.occupancy < old.occupancy:
            found.append(f"{where} fills {new.occupancy:g} % of a multiprocessor, recorded are {old.occupancy:g} %; "
                         f"{changes(old, new)}")
        if new.stack > old.stack:
            found.append(f"{where} keeps {new.stack} bytes a thread in local memory, recorded are {old.stack}; that "
                         "comes of arrays whose index is not a constant, and of calls that are not inlined")
    return found


def changes(old, new):
    parts = [f"{what} {getattr(old, column)} -> {getattr(new, column)}"
             for what, column in (("registers", "registers"), ("shared bytes", "shared"), ("threads a block", "block"))
             if getattr(old, column) != getattr(new, column)]
    return ", ".join(parts)


def differences(measured, recorded, arch):
    """How many kernels have other numbers than recorded, for better or without effect."""
    old_rows = {row.key: row for row in recorded if row.arch == arch}
    return sum(row.key in old_rows and row != old_rows[row.key] for row in measured if row.arch == arch)
