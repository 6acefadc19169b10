# SPDX-License-Identifier: MIT
"""Joins the results of one run with those of its peers: prints the table, writes JSON and a page of documentation.

  python3 bench/report.py --ours F [--peers F ...] [--scale F] [--json F] [--docs docs/benchmarks.md --command TEXT]
"""
import argparse
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left behind in the source tree
sys.path.insert(0, str(Path(__file__).resolve().parent))
import bars  # noqa: E402
import results  # noqa: E402

BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"


def read_peers(paths):
    """All lists of peers' measurements in one; a file that is not there belongs to a peer that could not run."""
    return [entry for path in paths if Path(path).exists() for entry in json.loads(Path(path).read_text())]


def markdown_table(lines):
    rule = ["---"] + ["---:"] * (len(lines[0]) - 1)
    return "\n".join("| " + " | ".join(line) + " |" for line in [lines[0], rule] + lines[1:]) + "\n"


def versions(run):
    return dict(sorted({peer["name"]: peer["version"] for result in run["results"]
                        for peer in result.get("peers", []) if peer.get("version")}.items()))


def skipped(run):
    """Why a peer was not measured, said once for each reason."""
    return list(dict.fromkeys(f"{peer['name']}: {peer['skipped']}" for result in run["results"]
                              for peer in result.get("peers", []) if "skipped" in peer))


def section(run, title, workloads):
    """A table of some workloads, with columns for the peers that did any of them."""
    part = {**run, "results": workloads}
    lines = [results.header(part)] + [results.row(result, part) for result in workloads]
    return f"## {title}\n\n{markdown_table(lines)}"


def page(run, command, scale=None):
    """What stands between the marks of the page."""
    machine = run["machine"]
    text = [f"Measured with `{command}` on {machine['cpu']}, {run['threads']} threads of {machine['cores']} cores, "
            f"{machine['compiler']}, `{machine['flags']}`.\nThe machine reaches {run['fma_peak_gflops']:.0f} GFLOP/s "
            f"(fused multiply-adds in registers, median of 20 ms runs; {run['fma_best_gflops']:.0f} in the best) and "
            f"reads {run['read_gbps']:.1f} GB/s, measured in the same run.\n"]
    if "variants" in run:
        text.append("Times of " + ", ".join(f"{results.VARIANTS[name]}: `{flags}`" for name, flags in
                                            run["variants"].items()) + f". What follows is {results.MAIN}.\n")
    if versions(run):
        text.append("Peers: " + ", ".join(f"{name} {version}" for name, version in versions(run).items()) +
                    ". A number in a peer's column says how many times longer it takes.\n")
    for reason in skipped(run):
        text.append(f"- skipped: {reason}")
    reached = bars.rows(run, scale)
    if reached:
        text.append("## What it is to reach\n\n" + markdown_table([["what", "bar", "goal", "measured", ""]] + reached))
    groups = {"The patcher": ("train_iteration/", "patching/", "ego_graphs/"), "SpMM": ("spmm/",)}
    named = tuple(prefix for prefixes in groups.values() for prefix in prefixes)
    for title, prefixes in groups.items():
        workloads = [result for result in run["results"] if result["work"].startswith(prefixes)]
        if workloads:
            text.append(section(run, title, workloads))
    slower = [f"{workload} ({ratio:.2f})" for workload, ratio in bars.spmm_ratios(run) if ratio < 1]
    if slower:
        text.append(f"Slower than the fastest of Eigen, oneMKL, GraphBLAS and PyTorch: {', '.join(slower)}.\n")
    rest = [result for result in run["results"] if not result["work"].startswith(named)]
    if rest:
        text.append(section(run, "Every operation", rest))
    if scale:
        text.append(scale_section(scale))
    return "\n".join(text)


def scale_section(scale):
    workloads = ("ego_batch", "ego_graphs", "train_iteration", "patching")
    lines = [["edges", "nodes", "largest degree", "edges two hops out"] + [f"{name}, µs an anchor" for name in workloads] +
             [f"{name}, memory" for name in workloads]]
    for point in scale["points"]:
        data = point["data_bytes"] + point["model_bytes"]
        lines.append([str(point["edges"]), str(point["nodes"]), str(point["largest_degree"]),
                      results.digits(point["two_hop_edges"])] +
                     [results.digits(1e6 * point[name]["seconds_per_anchor"]) for name in workloads] +
                     [f"{point[name]['peak_bytes'] / (data + point[name]['own_bytes']):.2f}x" for name in workloads])
    hub = scale["hub"]
    slow, fast = results.seconds_text(hub["seconds_with"]), results.seconds_text(hub["seconds_without"])
    text = ("## Growing graphs\n\nR-MAT graphs with 6 edges a node, measured with `scripts/bench --scale`; "
            f"{scale['points'][-1]['patching']['anchors']:,} nodes of each are patched. Memory is the peak of the process over the size of data, models, and what the "
            "work takes and gives.\n\n" +
            markdown_table(lines) +
            "\n![Time an anchor](images/scale-time.svg) ![Memory](images/scale-memory.svg)\n\n"
            f"To train on a batch of 64 with a hub of degree {hub['degree']} takes {slow}, without the hub {fast}.\n")
    if "cora_training_peak_bytes" in scale:
        megabytes = scale["cora_training_peak_bytes"] / 1e6
        text += f"\nTraining on Cora with 1024 hidden units: {megabytes:.0f} MB at most.\n"
    return text


def with_report(text, report):
    """The page with what stands between its marks replaced."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ValueError(f"expected a page with one line {BEGIN} and one line {END} after it")
    return text[:text.index(BEGIN) + len(BEGIN)] + "\n\n" + report.strip() + "\n\n" + text[text.index(END):]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", required=True, type=Path, nargs="+", help="files of results, called VARIANT.json")
    parser.add_argument("--peers", nargs="*", default=[])
    parser.add_argument("--scale")
    parser.add_argument("--json")
    parser.add_argument("--docs")
    parser.add_argument("--command", default="scripts/bench")
    arguments = parser.parse_args()
    ours = results.join_variants({path.stem: results.load(path) for path in arguments.ours})
    run = results.merge(ours, read_peers(arguments.peers))
    print(results.table(run), end="")
    print("".join(f"{line}\n" for line in results.variant_goals(run)), end="")
    for name, version in versions(run).items():
        print(f"{name} {version}")
    for reason in skipped(run):
        print(f"skipped: {reason}")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(run, indent=2, ensure_ascii=False) + "\n")
    if arguments.docs:
        scale = json.loads(Path(arguments.scale).read_text()) if arguments.scale else None
        docs = Path(arguments.docs)
        docs.write_text(with_report(docs.read_text(), page(run, arguments.command, scale)))
    return 1 if any("error" in result for result in run["results"]) else 0


if __name__ == "__main__":
    sys.exit(main())
