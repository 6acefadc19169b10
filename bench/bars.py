# SPDX-License-Identifier: MIT
"""What the library is to reach, and whether a run did.

A bar is (what, least, goal, what was measured); values are larger when better. What a run did not measure is left out.
"""
import results

DGL = "PyTorch + DGL"
SPMM_PEERS = ("Eigen", "oneMKL", "SuiteSparse:GraphBLAS", "PyTorch CSR")


def rate(workload):
    return lambda run, scale: _field(run, workload, "rate")


def share_of_peak(workload):
    """Of fused multiply-adds, counted on the operations that the workload needs (bench/README.md)."""
    def share(run, scale):
        result = _result(run, workload)
        return result and 100 * result["flops"] / result["seconds"] / 1e9 / run["fma_peak_gflops"]
    return share


def times_faster(workload, peer):
    return lambda run, scale: next((entry["ratio"] for entry in (_result(run, workload) or {}).get("peers", [])
                                    if entry["name"] == peer and "ratio" in entry), None)


def times_within(limit, workload, other):
    """How many times the time of a workload fits into `limit` times that of another."""
    def fits(run, scale):
        seconds = [(_result(run, each) or {}).get("seconds") for each in (workload, other)]
        return None if None in seconds else limit * seconds[1] / seconds[0]
    return fits


def spmm_ratios(run):
    """(workload, ratio of the fastest of the peers) of every sparse product that a peer did too."""
    found = []
    for result in run["results"]:
        ratios = [peer["ratio"] for peer in result.get("peers", []) if peer["name"] in SPMM_PEERS and "ratio" in peer]
        if result["work"].startswith("spmm/") and ratios:
            found.append((result["work"], min(ratios)))
    return found


def slowest_spmm(run, scale):
    return min((ratio for _, ratio in spmm_ratios(run)), default=None)


def mean_spmm(run, scale):
    ratios = [ratio for _, ratio in spmm_ratios(run)]
    return results.geometric_mean(ratios) if ratios else None


def memory_to_spare(run, scale):
    """How many times the memory of training on Cora fits into 350 MB."""
    peak = (scale or {}).get("cora_training_peak_bytes")
    return peak and 350e6 / peak


def shares_of_native(run):
    return [share for _, share in results.shares_of_native(run)]


BARS = [
    ("compiled without flags, geometric mean over native", results.MEAN_GOAL, None,
     lambda run, scale: results.geometric_mean(shares_of_native(run)) if shares_of_native(run) else None),
    ("the same at worst", results.WORST_GOAL, None, lambda run, scale: min(shares_of_native(run), default=None)),
    ("corrupted ego-graphs a second, Cora", 1e6, 5e6, rate("ego_graphs/cora")),
    ("the same, times the rate of PyTorch + DGL", 2000, None, times_faster("ego_graphs/cora", DGL)),
    ("training iteration, Cora, hidden 1024, times faster than PyTorch + DGL", 45, 80,
     times_faster("train_iteration/cora/h1024", DGL)),
    ("the same, % of the FMA peak", 45, None, share_of_peak("train_iteration/cora/h1024")),
    ("training iteration, Cora, hidden 128, times faster", 400, 1000, times_faster("train_iteration/cora/h128", DGL)),
    ("patching Cora's test nodes, hidden 1024, times faster", 15, None, times_faster("patching/cora/h1024", DGL)),
    ("the same, % of the FMA peak", 45, None, share_of_peak("patching/cora/h1024")),
    ("patching Cora's test nodes, hidden 128, times faster", 100, None, times_faster("patching/cora/h128", DGL)),
    ("patching all of Coauthor-CS, hidden 1024, % of the FMA peak", 40, None,
     share_of_peak("patching/coauthor-cs/h1024")),
    ("SpMM, slowest against the fastest of Eigen, oneMKL, GraphBLAS, PyTorch", 1, None, slowest_spmm),
    ("SpMM, geometric mean against the fastest of them", 1.3, None, mean_spmm),
    *((f"{method}, {data}, hidden {hidden}: times that it fits into {limit:g} times patching all nodes", 1, None,
       times_within(limit, f"{method}/{data}/h{hidden}", f"patching_all/{data}/h{hidden}"))
      for method, limit in (("weighted", 3), ("weighted-fast", 1.5))
      for data in ("cora", "pubmed", "coauthor-cs") for hidden in (256, 1024)),
    ("memory of training on Cora, hidden 1024, times that it fits into 350 MB", 1, None, memory_to_spare),
]


def rows(run, scale=None):
    """Cells: what, bar, goal, measured, verdict."""
    table = []
    for what, least, goal, measure in BARS:
        value = measure(run, scale)
        if value is not None:
            verdict = "missed" if value < least else "goal reached" if goal and value >= goal else "reached"
            numbers = [results.digits(number) if number else "" for number in (least, goal, value)]
            table.append([what, *numbers, verdict])
    return table


def _result(run, workload):
    return next((result for result in run["results"] if result["work"] == workload and "seconds" in result), None)


def _field(run, workload, name):
    return (_result(run, workload) or {}).get(name)
