# SPDX-License-Identifier: MIT
"""Which faults kernels can have, and which test cases execute their places: one run of the whole suite without a fault."""
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from . import MutationError
from .hunt import SLOWER_BY

BECOMES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


@dataclass(frozen=True)
class Case:
    """A test case without a fault."""

    program: Path
    name: str
    seconds: float
    steps: int  # of its longest launch


@dataclass
class Mutant:
    """One fault of the kernels (tests/gpu_host/mutation.hpp)."""

    file: str  # relative to the project's folder
    line: int
    column: int
    number: int
    source: str  # the operator or barrier
    id: str
    text: str  # of the line
    cases: list = field(default_factory=list)  # that execute the place, cheapest first

    @property
    def kind(self):
        return "bound" if self.source in BECOMES else "barrier"

    @property
    def change(self):
        return f"{self.source} → {BECOMES[self.source]}" if self.kind == "bound" else f"no {self.source}"

    @property
    def place(self):
        return f"{self.file}:{self.line}"

    def environment(self, cases):
        return {"GPU_HOST_MUTANT": self.id, "GPU_HOST_STEPS": str(SLOWER_BY * max(case.steps for case in cases))}


def record(executable, root, specification, scratch):
    """Runs the suite and returns its mutants, with their test cases."""
    path = scratch / "recording"
    command = [executable, *([specification] if specification else [])]
    result = subprocess.run(command, env={**os.environ, "GPU_HOST_RECORD": str(path)}, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    mutants, failed = read_recording(path.read_text() if path.exists() else "", root, executable)
    if failed or result.returncode != 0:
        raise MutationError(f"expected all test cases to pass as long as the kernels have no fault, but failed: "
                            f"{', '.join(failed) or f'{executable} (exit code {result.returncode})'}\n"
                            f"{result.stdout[-3000:]}")
    if not mutants:
        raise MutationError(f"{executable} has no mutable kernels; build the target tests_cuda_mutants")
    return mutants


def read_recording(text, root, executable):
    """Mutants, and the names of test cases that failed. tests/cuda/support/mutants.cpp writes the lines."""
    mutants, failed, lines_of = [], [], {}
    for line in text.splitlines():
        kind, *values = line.split("\t")
        if kind == "mutant":
            file, number_of_line = Path(values[0]), int(values[1])
            if file not in lines_of:
                lines_of[file] = file.read_text().splitlines()
            mutants.append(Mutant(file.resolve().relative_to(root).as_posix(), number_of_line, int(values[2]),
                                  int(values[3]), values[4], ":".join(values[:4]),
                                  lines_of[file][number_of_line - 1].strip()))
        elif kind == "case":
            seconds, steps, state, name, reached = values
            case = Case(executable, name, float(seconds), int(steps))
            if state != "passed":
                failed.append(name)
            for index in reached.split():
                mutants[int(index)].cases.append(case)
    for mutant in mutants:
        mutant.cases.sort(key=lambda case: case.seconds)
    return mutants, failed
