# SPDX-License-Identifier: MIT
"""Faults that can be switched on when the program runs: barriers left out, bounds shifted by one.

Made for PTX of `nvcc -G`, where every comparison of the source is one instruction that says the same. A comparison or
barrier counts only if it stands in the source at its place: what the compiler has added isn't the author's.
"""
import os
import re
from collections import Counter
from functools import lru_cache

from operands import c_string

OPERATORS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
SHIFTED = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt", "lo": "ls", "ls": "lo", "hi": "hs", "hs": "hi"}
# Operators have blanks around them, angle brackets of templates don't.
IN_SOURCE = re.compile(r"(?<= )(?:<=?|>=?)(?= )|\b__sync(?:threads|warp)\w*")
STATEMENT_END = re.compile(r"[;{}]$")


@lru_cache(maxsize=None)
def source_lines(file):
    with open(file, encoding="utf-8") as text:
        return [line.split("//")[0].rstrip() for line in text]


def statement_at(file, line, column):
    """The source from a position to the end of its statement, or to the brace that follows its condition."""
    text = ""
    for each in source_lines(file)[line - 1:]:
        text += each[max(column - 1, 0):] if not text else " " + each.strip()
        if STATEMENT_END.search(text):
            break
    return text


class MutationPoints:
    """The places of one PTX file. A place is (file, line, column, number): the comparison or barrier with this number in
    the statement that begins there. Templates have many instructions at one place: they change together."""

    def __init__(self, folder):
        self.folder = os.path.join(os.path.abspath(folder), "")
        self.places = {}  # place -> (index, what the source has there)
        self.passed = Counter()  # (PTX function, site) -> comparisons and barriers so far

    def bound(self, function, site, comparison, is_integer):
        """The index of a comparison's place, or None if it isn't one of integers that stands in the source."""
        found, number = self.next_in_source(function, site)
        return self.index(site, number, found) if is_integer and found == OPERATORS[comparison] else None

    def barrier(self, function, site):
        found, number = self.next_in_source(function, site)
        return self.index(site, number, found) if found and found.startswith("__sync") else None

    def next_in_source(self, function, site):
        """What stands in the source for this instruction (None: nothing), and its number in its statement."""
        if not site or not os.path.abspath(site[0]).startswith(self.folder):
            return None, 0
        number = self.passed[function, site]
        self.passed[function, site] += 1
        in_statement = IN_SOURCE.findall(statement_at(*site))
        return in_statement[number] if number < len(in_statement) else None, number

    def index(self, site, number, found):
        return self.places.setdefault((*site, number), (len(self.places), found))[0]

    def table(self):
        """C++: the places in the order of their indices, and whether each is mutated."""
        rows = ",\n  ".join(f"{{{c_string(file)}, {line}, {column}, {number}, {c_string(found)}}}"
                            for (file, line, column, number), (_, found) in self.places.items())
        count = len(self.places)
        return (f"const std::array<gpu_host::mutation_point, {count}> mutation_points = {{{{{rows}}}}};\n"
                f"std::array<gpu_host::mutation_state, {count}> mutation_states;\n"
                "inline bool mutated(u32 point) { return mutation_states[point].is_on(); }\n\n")
