# SPDX-License-Identifier: MIT
"""Results of a run: read, joined with those of peers, and shown as tables.

A file of results is {machine, threads, fma_peak_gflops, read_gbps, results: [..]}; bench/README.md has the fields.
"""
import json
import math
from pathlib import Path

HEADER = ["rate", "GB/s", "GFLOP/s", "of limit"]
MEAN_GOAL, WORST_GOAL = 0.97, 0.9
MAIN = "native"  # the variant whose numbers stand beside the limits of the machine and the peers
VARIANTS = {"header_only": "header-only", MAIN: "native", "compiled": "compiled"}  # columns, in this order


def load(path):
    """A file of results; what else it may be is said."""
    content = json.loads(Path(path).read_text())
    if not isinstance(content, dict) or "results" not in content:
        raise ValueError(f"{path}: expected a file of results, an object with a list `results`")
    return content


def join_variants(runs):
    """One run of several, {variant: run}: that of MAIN, with the seconds of all in `variants` of each result, and what
    they were compiled with in `variants` of the run. A result that is wrong in one of them is wrong."""
    joined = runs[MAIN]
    joined["variants"] = {name: runs[name]["machine"]["flags"] for name in VARIANTS if name in runs}
    ours = {result["work"]: result for result in joined["results"]}
    for name in joined["variants"]:
        for result in runs[name]["results"]:
            mine = ours.get(result["work"])
            if mine is None:
                continue
            if "seconds" in result and "seconds" in mine:
                mine.setdefault("variants", {})[name] = result["seconds"]
            elif "error" in result and name != MAIN:
                mine.pop("seconds", None)
                mine.pop("variants", None)
                mine["error"] = f"{VARIANTS[name]}: {result['error']}"
    return joined


def shares_of_native(run):
    """(workload, speed of the compiled library over that of a native build) of every workload that both did."""
    found = [(result["work"], result.get("variants", {})) for result in run["results"] if "seconds" in result]
    return [(work, times[MAIN] / times["compiled"]) for work, times in found if MAIN in times and "compiled" in times]


def variant_goals(run):
    """Lines: how near the compiled library comes to a native build."""
    shares = shares_of_native(run)
    if not shares:
        return []
    mean, (worst, share) = geometric_mean([share for _, share in shares]), min(shares, key=lambda each: each[1])
    return [f"compiled without flags over native, geometric mean, at least {MEAN_GOAL}: {mean:.3f}, "
            f"{'reached' if mean >= MEAN_GOAL else 'not reached'}",
            f"at worst, at least {WORST_GOAL}: {share:.3f} ({worst}), "
            f"{'reached' if share >= WORST_GOAL else 'not reached'}"]


def merge(run, peers):
    """Puts peers' measurements beside ours: ratio = their time over ours. Those of workloads that we don't have
    are left out.

    A peer may have done less of the work: with `items`, time is taken for one of what our rate counts.
    """
    ours = {result["work"]: result for result in run["results"]}
    for peer in peers:
        result = ours.get(peer["work"])
        if result is None or "seconds" not in result:
            continue
        entry = {key: value for key, value in peer.items() if key != "work"}
        if "seconds" in entry:
            entry["ratio"] = (entry["seconds"] / entry["items"] * result["rate"] if "items" in entry else
                              entry["seconds"] / result["seconds"])
        result.setdefault("peers", []).append(entry)
    return run


def seconds_text(seconds):
    """Three digits with a unit: 12.3 µs."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1 or unit == "µs":
            return f"{digits(seconds * factor)} {unit}"
    raise AssertionError


def digits(value, count=3):
    """A number with this many digits that count, never with an exponent: 0.0123, 1.23, 123, 12300."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    decimals = max(0, count - 1 - math.floor(math.log10(abs(value))))
    return f"{round(value, count - 1 - math.floor(math.log10(abs(value)))):.{decimals}f}"


def rate_text(rate, unit):
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rate >= factor:
            return f"{digits(rate / factor)} {prefix} {unit}"
    return f"{digits(rate)} {unit}"


def percent(share):
    return f"{100 * share:.{0 if share >= 0.1 else 1}f} %"


def peer_names(run):
    """In the order in which they first appear."""
    return list(dict.fromkeys(peer["name"] for result in run["results"] for peer in result.get("peers", [])))


def header(run):
    """The cells above a table: a time for each variant that was measured, what came of the main one, and peers."""
    return ["workload", *([VARIANTS[name] for name in run.get("variants", {})] or ["time"]), *HEADER, *peer_names(run)]


def row(result, run):
    """The cells of one workload."""
    columns = len(header(run))
    if "seconds" not in result:
        why = f"error: {result['error']}" if "error" in result else f"skipped: {result['skipped']}"
        return [result["work"], why] + [""] * (columns - 2)
    seconds = result["seconds"]
    times = [result["variants"].get(name) for name in run["variants"]] if "variants" in run else [seconds]
    cells = [result["work"], *("-" if time is None else seconds_text(time) for time in times),
             rate_text(result["rate"], result["unit"]), digits(result["bytes"] / seconds / 1e9),
             digits(result["flops"] / seconds / 1e9) if result["flops"] else "", percent(result["share_of_limit"])]
    by_name = {peer["name"]: peer for peer in result.get("peers", [])}
    return cells + [ratio_text(by_name.get(name)) for name in peer_names(run)]


def ratio_text(peer):
    if peer is None:
        return ""
    return f"{digits(peer['ratio'])}x" if "ratio" in peer else "skipped"


def table(run):
    """One line a workload, columns aligned; a column a peer with how many times longer it takes."""
    return aligned([header(run)] + [row(result, run) for result in run["results"]])


def aligned(lines):
    # a reason for a missing result is as long as it likes
    wide = [line for line in lines if line[2] or line is lines[0]]
    widths = [max(len(line[column]) for line in wide) for column in range(len(lines[0]))]
    widths[0] = max(len(line[0]) for line in lines)
    text = []
    for line in lines:
        cells = [line[0].ljust(widths[0])]
        cells += [line[1]] if not line[2] and line is not lines[0] else [
            cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]
        text.append("  ".join(cells).rstrip())
    return "\n".join(text) + "\n"


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))
