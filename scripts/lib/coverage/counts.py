# SPDX-License-Identifier: MIT
"""Counts of lines and branches, from the JSON of gcov, summed over object files and merged over instantiations."""
import json
import subprocess
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from . import CoverageError


@dataclass
class File:
    """lines[n]: how often line n was executed. branches[n]: how often each way out of its conditions was taken."""

    lines: dict = field(default_factory=dict)
    branches: dict = field(default_factory=dict)

    def uncovered(self):
        return sorted(line for line, count in self.lines.items() if count == 0)

    def half_covered(self):
        """Executed lines with a way out that was never taken."""
        return sorted(line for line, counts in self.branches.items() if self.lines.get(line) and 0 in counts)


@dataclass
class Total:
    lines: int = 0
    covered_lines: int = 0
    branches: int = 0
    covered_branches: int = 0

    def add(self, file):
        self.lines += len(file.lines)
        self.covered_lines += sum(count > 0 for count in file.lines.values())
        ways = [count for counts in file.branches.values() for count in counts]
        self.branches += len(ways)
        self.covered_branches += sum(count > 0 for count in ways)

    @property
    def line_percent(self):
        return 100 * self.covered_lines / self.lines if self.lines else 100.0

    @property
    def branch_percent(self):
        return 100 * self.covered_branches / self.branches if self.branches else 100.0


def written_branches(branches):
    """Counts of the ways that the source has. A call that may throw has two, the second of them an exception that is on
    its way: both are the compiler's."""
    kept = []
    for branch in branches:
        if not branch["throw"]:
            kept.append(branch)
        elif kept and kept[-1]["fallthrough"]:
            kept.pop()
    return [branch["count"] for branch in kept]


class Counts:
    """Counts of every function, until they are merged: a template has those of all its instantiations."""

    def __init__(self):
        self.lines = defaultdict(lambda: defaultdict(int))  # file → line → count
        self.branches = defaultdict(dict)  # file → (line, function, nth record of both) → counts

    def add(self, document, path_of):
        """One answer of gcov. path_of(name): the path of a file in the project, None if it is none of its headers."""
        for entry in document["files"]:
            path = path_of(entry["file"])
            if path is None:
                continue
            nth = defaultdict(int)
            for line in entry["lines"]:
                number, function = line["line_number"], line.get("function_name", "")
                self.lines[path][number] += line["count"]
                key = (number, function, nth[number, function])
                nth[number, function] += 1
                counts = written_branches(line["branches"])
                before = self.branches[path].get(key, [])
                if len(before) == len(counts):
                    counts = [a + b for a, b in zip(before, counts)]
                if len(counts) >= len(before):
                    self.branches[path][key] = counts

    def merged(self):
        """Files by path. Instantiations of a line have different branches where a condition is known to the compiler for
        some types: those with most of them stand for the line, each branch taken if one of them took it."""
        files = {}
        for path in sorted(self.lines):
            by_line = defaultdict(list)
            for (number, _, _), counts in self.branches[path].items():
                by_line[number].append(counts)
            file = files[path] = File(dict(self.lines[path]))
            for number, all_counts in by_line.items():
                most = max(map(len, all_counts))
                if most:
                    fullest = [counts for counts in all_counts if len(counts) == most]
                    file.branches[number] = [sum(ways) for ways in zip(*fullest)]
        return files


def documents(data, source, jobs):
    """What gcov says about object files that were executed. Files outside of the project are left out by it."""
    def ask(path):
        result = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", "--relative-only",
                                 "--source-prefix", str(source), str(path)], cwd=path.parent, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            raise CoverageError(f"gcov failed for {path}:\n{result.stderr[-2000:]}")
        return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]

    with ThreadPoolExecutor(jobs) as pool:
        for answer in pool.map(ask, data):
            yield from answer
