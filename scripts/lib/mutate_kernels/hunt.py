# SPDX-License-Identifier: MIT
"""Runs test cases on kernels with a fault until one fails."""
import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum

ALLOWED_SECONDS = 20  # for what takes no time without a fault
SLOWER_BY = 10  # and so many times the usual time, and the usual steps of a launch


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


def run(executable, mutant, cases, scratch):
    """How the cases failed, or None if they passed."""
    names = scratch / f"cases-{os.getpid()}-{abs(hash(mutant.id)):x}"
    names.write_text("".join(f"{case.name}\n" for case in cases))
    limit = ALLOWED_SECONDS + SLOWER_BY * sum(case.seconds for case in cases)
    steps = SLOWER_BY * max(case.steps for case in cases)
    environment = {**os.environ, "GPU_HOST_MUTANT": mutant.id, "GPU_HOST_STEPS": str(steps)}
    try:
        code = subprocess.run([executable, "--abort", "--input-file", names], env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=limit).returncode
    except subprocess.TimeoutExpired:
        return "not done in time"
    finally:
        names.unlink()
    if code < 0:
        return f"crash ({signal.Signals(-code).name})"
    return "failed test" if code else None


def judge(executable, mutant, scratch):
    for cases in batches(mutant.cases):
        how = run(executable, mutant, cases, scratch)
        if how:
            return Verdict(mutant, Outcome.CAUGHT, how)
    return Verdict(mutant, Outcome.SURVIVED if mutant.cases else Outcome.NOT_EXECUTED)


def hunt(executable, mutants, jobs, scratch, progress):
    """A verdict for every mutant, in their order; `progress` gets each with its number as it comes."""
    verdicts = []
    with ThreadPoolExecutor(jobs) as pool:
        for verdict in pool.map(lambda mutant: judge(executable, mutant, scratch), mutants):
            verdicts.append(verdict)
            progress(len(verdicts), verdict)
    return verdicts
