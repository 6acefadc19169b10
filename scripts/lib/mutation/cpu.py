# SPDX-License-Identifier: MIT
"""Which faults the headers can have, and which test cases execute their places: one run of the tests without a fault."""
import json
import os
import random
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from . import MutationError
from .places import places_of
from .report import digest

ROOMS = ("graph", "ops", "patcher", "cpu")
# The heap as a test sees it: memory that nobody has written is no zero, and a byte behind an array is noticed when the
# array is freed, where glibc's library for that is installed.
CHECKER = "libc_malloc_debug.so.0"
HEAP = {"MALLOC_PERTURB_": "90"}
if any((Path(folder) / CHECKER).exists() for folder in ("/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib")):
    HEAP |= {"LD_PRELOAD": CHECKER, "MALLOC_CHECK_": "3"}


@dataclass(frozen=True)
class Case:
    """A test case without a fault."""

    program: Path
    name: str
    seconds: float


@dataclass
class Mutant:
    """A place that was drawn. Its number is its turn in the draw."""

    number: int
    spot: object  # a Place
    cases: list = field(default_factory=list)  # that execute it, cheapest first

    @property
    def id(self):
        return f"{self.file}:{self.line}:{self.column}:{self.kind}"

    file = property(lambda self: self.spot.file)
    line = property(lambda self: self.spot.line)
    column = property(lambda self: self.spot.column)
    kind = property(lambda self: self.spot.kind)
    change = property(lambda self: self.spot.change)
    text = property(lambda self: self.spot.text)
    place = property(lambda self: f"{self.file}:{self.line}")

    def environment(self, cases):
        return {**HEAP, "GRAPHPATCHER_MUTANT": str(self.number)}


def headers(root):
    folder = root / "include" / "graphpatcher"
    return [path for room in ROOMS for path in sorted((folder / room).rglob("*.hpp"))]


def draw(root, count, seed):
    """`count` mutants in the order of the draw: a longer draw of the same seed begins with them."""
    places = [place for path in headers(root) for place in places_of(path.relative_to(root).as_posix(), path.read_text())]
    if not 1 <= count <= len(places):
        raise MutationError(f"expected a count from 1 to {len(places)}, which is how many places there are, got {count}")
    random.Random(seed).shuffle(places)
    return [Mutant(number, place) for number, place in enumerate(places[:count], 1)]


def run_alone(program, path):
    """Runs a program without a fault; its recording."""
    result = subprocess.run([program], env={**os.environ, **HEAP, "GRAPHPATCHER_RECORD": str(path)}, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    text = path.read_text() if path.exists() else ""
    if "\nimmutable\t" not in text:
        raise MutationError(f"{program} didn't come to its end without a fault (exit code {result.returncode}):\n"
                            f"{result.stdout[-3000:]}")
    return text


def record(programs, mutants, scratch, jobs):
    """Runs the programs and gives the mutants the test cases that execute them. Returns the mutants that are faults with
    the types at hand, and the names of test cases that fail without one. What a program said is kept as long as it is the
    same."""
    kept = scratch / "recordings.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    keys = {program: digest([program]) for program in programs}

    def recording(program):
        return known.get(keys[program]) or run_alone(program, scratch / f"{program.name}.recording")

    with ThreadPoolExecutor(jobs) as pool:
        texts = dict(zip(programs, pool.map(recording, programs)))
    kept.write_text(json.dumps({keys[program]: text for program, text in texts.items()}))
    failed, immutable = [], set()
    by_number = {mutant.number: mutant for mutant in mutants}
    for program, text in texts.items():
        for line in text.splitlines():
            kind, *values = line.split("\t")
            numbers = {int(number) for number in values[-1].split()} & by_number.keys()
            if kind == "immutable":
                immutable |= numbers
            elif values[1] != "passed":
                failed.append(values[2])
            else:
                for number in numbers:
                    by_number[number].cases.append(Case(program, values[2], float(values[0])))
    for mutant in mutants:
        mutant.cases.sort(key=lambda case: case.seconds)
    return [m for m in mutants if m.cases or m.number not in immutable], failed
