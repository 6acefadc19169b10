# SPDX-License-Identifier: MIT
"""Runs test cases on code with a fault until one fails.

A mutant has an `id`, `cases` (cheapest first) and `environment(cases)`: the variables that give the program its fault. A
case has a `name`, its `program` and the `seconds` that it takes without a fault."""
import os
import resource
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

from . import MutationError

SLOWER_BY = 10  # than without a fault: so many times the usual time, and the usual steps of a launch, are allowed
ASLEEP = 20  # times the allowed time, on the clock


@dataclass(frozen=True)
class Limits:
    """Times are those of the processor: how busy the machine is decides nothing. Only what waits for ever is ended by the
    clock."""

    allowed: float = 20  # seconds for what takes no time without a fault
    enough: float = 30  # seconds of test cases, as long as they take without a fault: what survives them has survived
    memory: int = 0  # bytes of a program; 0 is any
    deadline: float = float("inf")  # a time.monotonic(), after which no mutant has its turn


class Outcome(Enum):
    CAUGHT = "caught"
    SURVIVED = "survived"
    NOT_EXECUTED = "not executed"  # by any test case


@dataclass
class Verdict:
    mutant: object
    outcome: Outcome
    how: str = ""  # it was caught


def batches(cases):
    """1, 2, 4, ... cases: most mutants fail the first, and survivors shouldn't take a process for every case."""
    size, rest = 1, list(cases)
    while rest:
        yield rest[:size]
        rest, size = rest[size:], size * 2


def affordable(cases, enough):
    """The cheapest cases, for about `enough` seconds together; at least one."""
    chosen, seconds = [], 0
    for case in cases:
        if chosen and seconds + case.seconds > enough:
            break
        chosen.append(case)
        seconds += case.seconds
    return chosen


def pattern(name):
    """A name as Catch2 reads it from a file: a comma would end it, quoted or not."""
    return "".join(f"\\{c}" if c in '\\,"' else c for c in name)


def write_names(path, cases):
    path.write_text("".join(f"{pattern(case.name)}\n" for case in cases))


def by_program(cases):
    """(program, its cases), the program of the first case first."""
    order = list(dict.fromkeys(case.program for case in cases))
    return groupby(sorted(cases, key=lambda case: order.index(case.program)), key=lambda case: case.program)


def check_names(mutants, scratch):
    """Raises MutationError unless the programs find all test cases by their names. They pass over a name that they don't
    know, and a mutant whose cases don't run would survive."""
    everything = {(case.program, case.name): case for mutant in mutants for case in mutant.cases}
    for program, cases in by_program(everything.values()):
        cases = list(cases)
        names = scratch / f"cases-{os.getpid()}-all"
        write_names(names, cases)
        result = subprocess.run([program, "--list-test-names-only", "--input-file", names], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")
        names.unlink()
        missing = {case.name for case in cases} - set(result.stdout.splitlines())
        if missing:
            raise MutationError(f"{program} doesn't find test cases by their names: {', '.join(sorted(missing))}")


def run(program, mutant, cases, scratch, limits):
    """How the cases failed, or None if they passed."""
    names = scratch / f"cases-{os.getpid()}-{abs(hash(mutant.id)):x}"
    write_names(names, cases)
    limit = int(limits.allowed + SLOWER_BY * sum(case.seconds for case in cases))
    with subprocess.Popen([program, "--abort", "--input-file", names], env={**os.environ, **mutant.environment(cases)},
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit, limit + 1))
        if limits.memory:
            resource.prlimit(process.pid, resource.RLIMIT_AS, (limits.memory, limits.memory))
        try:
            code = process.wait(ASLEEP * limit)
        except subprocess.TimeoutExpired:
            process.kill()
            code = -signal.SIGXCPU
    names.unlink()
    if code == -signal.SIGXCPU:
        return "not done in time"
    if code < 0:
        return f"crash ({signal.Signals(-code).name})"
    return "failed test" if code else None


def judge(mutant, scratch, limits):
    """A verdict, or None if its turn comes too late."""
    if time.monotonic() > limits.deadline:
        return None
    for batch in batches(affordable(mutant.cases, limits.enough)):
        for program, cases in by_program(batch):
            how = run(program, mutant, list(cases), scratch, limits)
            if how:
                return Verdict(mutant, Outcome.CAUGHT, how)
    return Verdict(mutant, Outcome.SURVIVED if mutant.cases else Outcome.NOT_EXECUTED)


def hunt(mutants, jobs, scratch, progress, limits=Limits()):
    """A verdict for every mutant, in their order; `progress` gets each with its number as it comes."""
    check_names(mutants, scratch)
    verdicts = []
    with ThreadPoolExecutor(jobs) as pool:
        for verdict in pool.map(lambda mutant: judge(mutant, scratch, limits), mutants):
            if verdict is not None:
                verdicts.append(verdict)
                progress(len(verdicts), verdict)
    return verdicts
