# SPDX-License-Identifier: MIT
"""What compiling may take, as ratios to <Eigen/Dense>, and whether it does.

A run is {reference: seconds, headers: {path: seconds}, programs: {name: {seconds, peak_mb}}}.
"""
from .headers import UMBRELLA

HEADER_GOAL = 2.2
UMBRELLA_GOAL = 3.5
PROGRAM_GOALS = {"quickstart, compiled": 5, "quickstart, header-only": 20, "examples/pipeline, compiled": 12}
MEMORY_GOAL_MB = 800

# What misses its goal today, and what it takes: it may not grow, and nothing else may miss its goal. Only --check asks.
RATIOS_TODAY = {"examples/pipeline, compiled": 24.3, "graphpatcher/methods/correct_and_smooth.hpp": 2.6,
                "graphpatcher/methods/densify.hpp": 2.8, "graphpatcher/methods/run_method.hpp": 2.5,
                "graphpatcher/methods/score_weighted.hpp": 2.7, "graphpatcher/methods/weighted.hpp": 2.8}

# Processor time of the same compilation differs by a tenth on a busy machine, that of the reference beside it too.
CHECK_MARGIN = 1.25


def ratio_goals(run):
    """(name, ratio to the reference, goal or None) of everything in a run."""
    for path, seconds in run["headers"].items():
        yield path, seconds / run["reference"], UMBRELLA_GOAL if path == UMBRELLA else HEADER_GOAL
    for name, program in run["programs"].items():
        yield name, program["seconds"] / run["reference"], PROGRAM_GOALS.get(name)


def missed(run, margin=1.0):
    """Names of what takes longer than its goal times the margin."""
    return [name for name, ratio, goal in ratio_goals(run) if goal and ratio > goal * margin]


def too_large(run):
    """Names of what needs more memory than a translation unit may."""
    return [name for name, program in run["programs"].items() if program["peak_mb"] > MEMORY_GOAL_MB]


def grown(run, margin=1.0):
    """What --check fails at: what is above its goal, or above what it takes today where that is more."""
    slow = [name for name, ratio, goal in ratio_goals(run) if goal and ratio > max(goal, RATIOS_TODAY.get(name, 0)) * margin]
    return slow, [f"{name} (memory)" for name in too_large(run)]


def table(run):
    """Lines: what, seconds, ratio, goal, memory, verdict; the slowest header first."""
    lines = [("<Eigen/Dense>", f"{run['reference']:.2f}", "1.00", "", "", "")]
    rows = sorted(ratio_goals(run), key=lambda row: (row[0] in run["programs"], -row[1]))
    for name, ratio, goal in rows:
        program = run["programs"].get(name)
        memory = f"{program['peak_mb']:.0f}" if program else ""
        reached = (goal is None or ratio <= goal) and not (program and program["peak_mb"] > MEMORY_GOAL_MB)
        lines.append((name, f"{ratio * run['reference']:.2f}", f"{ratio:.2f}", f"{goal:g}" if goal else "", memory,
                      "reached" if reached else "not reached"))
    header = ("what", "seconds", "ratio", "goal", "MB", "")
    widths = [max(len(line[column]) for line in [header, *lines]) for column in range(len(header))]
    return "".join("  ".join([cells[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in
                                                          zip(cells[1:], widths[1:]))]).rstrip() + "\n"
                   for cells in [header, *lines])


def summary(run):
    """A line a goal: reached or not."""
    def line(what, goal, worst):
        if worst is None:
            return f"{what}, at most {goal:g}: not measured"
        return f"{what}, at most {goal:g}: {worst[0]:.4g} ({worst[1]}), {'reached' if worst[0] <= goal else 'not reached'}"

    ratios = {name: ratio for name, ratio, _ in ratio_goals(run)}
    headers = [(ratios[name], name) for name in run["headers"] if name != UMBRELLA]
    lines = [line("a header, times <Eigen/Dense>", HEADER_GOAL, max(headers, default=None))]
    for name, goal in {UMBRELLA: UMBRELLA_GOAL, **PROGRAM_GOALS}.items():
        lines.append(line(name, goal, (ratios[name], f"{ratios[name] * run['reference']:.2f} s") if name in ratios else None))
    memory = [(program["peak_mb"], name) for name, program in run["programs"].items()]
    lines.append(line("a translation unit, MB", MEMORY_GOAL_MB, max(memory, default=None)))
    return "\n".join(lines) + "\n"
