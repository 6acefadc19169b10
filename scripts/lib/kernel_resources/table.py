# SPDX-License-Identifier: MIT
"""The table of resources: as the committed csv with every kernel, and as the summary in the documentation."""
import csv
import io
from dataclasses import dataclass, fields
from itertools import groupby
from pathlib import Path

from . import ResourcesError
from .occupancy import ARCHITECTURES, occupancy

BEGIN = "<!-- kernel-resources: begin -->"
END = "<!-- kernel-resources: end -->"


@dataclass(frozen=True, order=True)
class Row:
    """One kernel on one architecture."""

    file: str  # kernels/<file>.cu; a template may be instantiated in several
    kernel: str
    arch: int
    registers: int
    spill_bytes: int
    stack: int
    shared: int
    block: int
    occupancy: float  # percent

    @property
    def key(self):
        return self.file, self.kernel, self.arch

    @property
    def template(self):
        return self.kernel.split("<")[0]

    @classmethod
    def of(cls, file, kernel, arch, usage, block):
        return cls(file, kernel, arch, usage.registers, usage.spill_bytes, usage.stack, usage.shared, block,
                   occupancy(arch, usage.registers, usage.shared, block))


COLUMNS = [field.name for field in fields(Row)]


def to_csv(rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in sorted(rows):
        writer.writerow([f"{value:g}" if isinstance(value, float) else value
                         for value in (getattr(row, column) for column in COLUMNS)])
    return text.getvalue()


def from_csv(text, name):
    """Rows of a csv file called `name`; every line is checked."""
    lines = list(csv.reader(io.StringIO(text)))
    if not lines or lines[0] != COLUMNS:
        raise ResourcesError(f"{name}:1: expected the columns {','.join(COLUMNS)}; run scripts/kernel-resources "
                             "--all-archs to make the file anew")
    rows = {}
    for number, line in enumerate(lines[1:], start=2):
        try:
            values = [field.type(value) for field, value in zip(fields(Row), line, strict=True)]
            row = Row(*values)
        except ValueError as error:
            raise ResourcesError(f"{name}:{number}: expected {len(COLUMNS)} values, text in the first two and numbers "
                                 f"in the others, got {line} ({error})") from None
        if row.arch not in ARCHITECTURES:
            raise ResourcesError(f"{name}:{number}: expected an architecture of {ARCHITECTURES}, got {row.arch}")
        if row.key in rows:
            raise ResourcesError(f"{name}:{number}: {row.kernel} of {row.file}.cu stands twice for sm_{row.arch}")
        rows[row.key] = row
    return list(rows.values())


def span(values):
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low}-{high}"


def to_markdown(rows):
    """A line for every kernel template of a file: least and most registers of its instances, least occupancy."""
    rows = sorted(rows)
    archs = sorted({row.arch for row in rows})
    heads = ["file", "kernel", "instances", "block", "shared, bytes", *(f"sm_{arch}" for arch in archs)]
    lines = ["| " + " | ".join(heads) + " |", "|---|---" + "|--:" * (len(heads) - 2) + "|"]
    for (file, template), group in groupby(sorted(rows, key=lambda row: (row.file, row.template)),
                                           key=lambda row: (row.file, row.template)):
        group = list(group)
        cells = [file, f"`{template}`", str(len({row.kernel for row in group})), span([row.block for row in group]),
                 span([row.shared for row in group])]
        for arch in archs:
            there = [row for row in group if row.arch == arch]
            cells.append(f"{span([row.registers for row in there])}, {min(row.occupancy for row in there):.0f} %"
                         if there else "")
        lines.append("| " + " | ".join(cells) + " |")
    kernels = len({(row.file, row.kernel) for row in rows})
    spilling = sum(row.spill_bytes > 0 for row in rows)
    lines += ["", f"{kernels} kernels on {len(archs)} architectures; {spilling} of these {len(rows)} spill registers."]
    return "\n".join(lines)


def with_table(page, rows, name):
    """The text of a page with the table between its markers."""
    begin, end = page.find(BEGIN), page.find(END)
    if begin < 0 or end < begin:
        raise ResourcesError(f"{name}: expected the markers {BEGIN} and {END} around the table")
    return f"{page[:begin]}{BEGIN}\n{to_markdown(rows)}\n{page[end:]}"


def read_table(path):
    path = Path(path)
    if not path.exists():
        raise ResourcesError(f"{path} is missing: run scripts/kernel-resources --all-archs")
    return from_csv(path.read_text(), path)
