# SPDX-License-Identifier: MIT
"""Runs test cases on kernels with a fault until one fails."""
import os
import resource
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum

from . import MutationError

# All times are those of the processor: how busy the machine is decides nothing.
ALLOWED_SECONDS = 20  # for what takes no time without a fault
SLOWER_BY = 10  # and so many times the usual time, and the usual steps of a launch
ENOUGH_SECONDS = 30  # of test cases, as long as they take without a fault: what survives them has survived


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


def affordable(cases):
    """The cheapest cases, for about ENOUGH_SECONDS together; at least one."""
    chosen, seconds = [], 0
    for case in cases:
        if chosen and seconds + case.seconds > ENOUGH_SECONDS:
            break
        chosen.append(case)
        seconds += case.seconds
    return chosen


def pattern(name):
    """A name as Catch2 reads it from a file: a comma would end it, quoted or not."""
    return "".join(f"\\{c}" if c in '\\,"' else c for c in name)


def write_names(path, cases):
    path.write_text("".join(f"{pattern(case.name)}\n" for case in cases))


def check_names(executable, mutants, scratch):
    """Raises MutationError unless the program finds all test cases by their names. It passes over a name that it doesn't
    know, and a mutant whose cases don't run would survive."""
    cases = list({case.name: case for mutant in mutants for case in mutant.cases}.values())
    if not cases:
        return
    names = scratch / f"cases-{os.getpid()}-all"
    write_names(names, cases)
    result = subprocess.run([executable, "--list-test-names-only", "--input-file", names], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")
    names.unlink()
    missing = {case.name for case in cases} - set(result.stdout.splitlines())
    if missing:
        raise MutationError(f"{executable} doesn't find test cases by their names: {', '.join(sorted(missing))}")


def run(executable, mutant, cases, scratch):
    """How the cases failed, or None if they passed."""
    names = scratch / f"cases-{os.getpid()}-{abs(hash(mutant.id)):x}"
    write_names(names, cases)
    limit = ALLOWED_SECONDS + int(SLOWER_BY * sum(case.seconds for case in cases))
    steps = SLOWER_BY * max(case.steps for case in cases)
    environment = {**os.environ, "GPU_HOST_MUTANT": mutant.id, "GPU_HOST_STEPS": str(steps)}
    with subprocess.Popen([executable, "--abort", "--input-file", names], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit, limit + 1))
        code = process.wait()
    names.unlink()
    if code == -signal.SIGXCPU:
        return "not done in time"
    if code < 0:
        return f"crash ({signal.Signals(-code).name})"
    return "failed test" if code else None


def judge(executable, mutant, scratch):
    for cases in batches(affordable(mutant.cases)):
        how = run(executable, mutant, cases, scratch)
        if how:
            return Verdict(mutant, Outcome.CAUGHT, how)
    return Verdict(mutant, Outcome.SURVIVED if mutant.cases else Outcome.NOT_EXECUTED)


def hunt(executable, mutants, jobs, scratch, progress):
    """A verdict for every mutant, in their order; `progress` gets each with its number as it comes."""
    check_names(executable, mutants, scratch)
    verdicts = []
    with ThreadPoolExecutor(jobs) as pool:
        for verdict in pool.map(lambda mutant: judge(executable, mutant, scratch), mutants):
            verdicts.append(verdict)
            progress(len(verdicts), verdict)
    return verdicts
