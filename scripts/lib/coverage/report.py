# SPDX-License-Identifier: MIT
"""What is covered, for a terminal and for docs/coverage.md."""
import json
from fnmatch import fnmatch
from itertools import groupby

from . import CoverageError
from .counts import Total

BEGIN = "<!-- coverage: begin -->"
END = "<!-- coverage: end -->"


class Reasons:
    """Why lines aren't covered: [{"file", "text" of the line, "reason"}], written by hand. Both may be patterns with *."""

    def __init__(self, path):
        try:
            self.entries = [(e["file"], e["text"], e["reason"]) for e in json.loads(path.read_text())] if path.exists() else []
        except (ValueError, TypeError, KeyError) as error:
            raise CoverageError(f"{path}: expected a list of objects with file, text and reason ({error!r})") from None

    def of(self, file, text):
        return next((reason for f, t, reason in self.entries if fnmatch(file, f) and fnmatch(text, t)), "")


def room_of(path):
    """include/graphpatcher/graph/builder.hpp is of the room graph; what stands in none is of the library itself."""
    parts = path.split("/")
    return parts[2] if len(parts) > 3 else "graphpatcher"


def total_of(files):
    total = Total()
    for file in files:
        total.add(file)
    return total


def row(name, total):
    return (f"| {name} | {total.covered_lines:,} of {total.lines:,} | {total.line_percent:.1f} | "
            f"{total.covered_branches:,} of {total.branches:,} | {total.branch_percent:.1f} |")


HEAD = ["lines | % | branches | % |", "|--:|--:|--:|--:|"]


def ranges(numbers):
    """[3, 4, 5, 9] as '3-5, 9'."""
    runs = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def uncovered(files, text_of, reasons):
    """(path, lines, reason) of what no test executes, neighbours with the same reason together."""
    for path, file in files.items():
        lines = text_of(path)
        told = [(number, reasons.of(path, lines[number - 1].strip())) for number in file.uncovered()]
        for reason, group in groupby(sorted(told, key=lambda each: (each[1], each[0])), key=lambda each: each[1]):
            yield path, [number for number, _ in group], reason


def to_markdown(files, text_of, reasons):
    total = total_of(files.values())
    lines = [f"{total.line_percent:.1f} % of the lines and {total.branch_percent:.1f} % of the branches.", "",
             "| room | " + HEAD[0], "|---" + HEAD[1]]
    rooms = {}
    for path, file in files.items():
        rooms.setdefault(room_of(path), []).append(file)
    lines += [row(f"`{room}`", total_of(rooms[room])) for room in sorted(rooms)]
    lines += [row("all", total), "", "| file | " + HEAD[0], "|---" + HEAD[1]]
    shown = [path.removeprefix("include/graphpatcher/") for path in files]
    lines += [row(f"`{name}`", total_of([file])) for name, file in zip(shown, files.values())]
    rest = list(uncovered(files, text_of, reasons))
    if rest:
        lines += ["", "| not executed | lines | why |", "|---|---|---|"]
        lines += [f"| `{path.removeprefix('include/graphpatcher/')}` | {ranges(numbers)} | {reason} |"
                  for path, numbers, reason in rest]
    return "\n".join(lines)


def with_report(page, report, name):
    begin, end = page.find(BEGIN), page.find(END)
    if begin < 0 or end < begin:
        raise CoverageError(f"{name}: expected the markers {BEGIN} and {END} around the report")
    return f"{page[:begin]}{BEGIN}\n{report}\n{page[end:]}"
