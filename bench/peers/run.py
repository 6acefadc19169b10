# SPDX-License-Identifier: MIT
"""Runs the peers written in Python on what the library exported, and writes what they took.

    python3 bench/peers/run.py --exchange DIR --threads N [--quick] [--filter REGEX] --json OUT

OUT is a list of {work, name, version, seconds, min, max_difference, ...} or {work, name, skipped: reason}.
"""
import argparse
import importlib
import json
import os
import re
import sys
from importlib import metadata
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left behind in the source tree


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--exchange", type=Path, required=True, help="folder written by bench_export")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads of every peer")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter repetitions")
    parser.add_argument("--filter", default="", help="only workloads that this regular expression is found in")
    parser.add_argument("--json", type=Path, required=True, help="file to write")
    return parser.parse_args()


def pin_threads(threads: int) -> None:
    """Before the packages are imported: oneMKL and OpenMP read these then."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = str(threads)
    os.environ["DGLBACKEND"] = "pytorch"


def version(package: str) -> str:
    """Of a package and of the PyTorch beneath it."""
    names = dict.fromkeys([package, "torch"])
    return ", ".join(f"{name} {metadata.version(name)}" for name in names)


def attempt(workload: str, name: str, package: str, job) -> dict:
    """What a peer took, or why there is nothing to tell. One peer's failure is no reason to stop the others."""
    try:
        importlib.import_module(package)
        return {"work": workload, "name": name, "version": version(package), **job()}
    except Exception as error:  # noqa: BLE001
        return {"work": workload, "name": name, "skipped": f"{type(error).__name__}: {error}".splitlines()[0]}


def line(result: dict) -> str:
    head = f"{result['work']:32} {result['name']:36}"
    if "skipped" in result:
        return f"{head} skipped: {result['skipped']}"
    rate = f", {result['items'] / result['seconds']:.4g} a second" if result.get("items", 1) > 1 else ""
    least, difference = result["min"], result["max_difference"]
    return f"{head} {result['seconds']:.4g} s (min {least:.4g}, difference {difference:.1e}{rate})"


def all_jobs(exchange: Path, quick: bool, threads: int):
    """(workload, name of the peer, its package, what checks and times it)."""
    import spmm
    from exchange import patcher_cases, spmm_cases
    from timing import FULL, QUICK
    protocol = QUICK if quick else FULL
    for case in spmm_cases(exchange):
        yield from spmm.jobs(case, protocol)
    try:
        import patcher
    except Exception:  # noqa: BLE001  attempt() tells why DGL can't be imported
        for folder in sorted(exchange.glob("patcher/*/h*")):
            data, hidden = folder.parts[-2:]
            for workload in (f"train_iteration/{data}/{hidden}", f"patching/{data}/{hidden}", f"ego_graphs/{data}"):
                yield workload, "PyTorch + DGL", "dgl", None
        return
    for case in patcher_cases(exchange):
        yield from patcher.jobs(case, protocol, threads)


def main() -> int:
    options = arguments()
    pin_threads(options.threads)
    try:
        import scipy.sparse  # noqa: F401
        import torch
        torch.set_num_threads(options.threads)
    except (ImportError, OSError) as error:
        results = [{"work": "all", "name": "Python peers", "skipped": f"{error}; run bench/peers/setup"}]
        print(line(results[0]))
    else:
        results, done = [], set()
        for workload, name, package, job in all_jobs(options.exchange, options.quick, options.threads):
            if re.search(options.filter, workload) and (workload, name) not in done:  # ego-graphs know no hidden width
                done.add((workload, name))
                results.append(attempt(workload, name, package, job))
                print(line(results[-1]), flush=True)
    options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
