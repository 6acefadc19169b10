#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same_bits.py COMPILED [HEADERS]: runs same_bits with every level of this processor, with several numbers of threads,
twice, and says where lines that should have the same hash differ. HEADERS is the same program without
graphpatcher::compiled: it has one level, at which it has to have the same hashes."""
import os
import subprocess
import sys

THREADS = ["1", "2", "4", "8"]


class Hashes:
    """What was said first of each (level, what was done), and by whom."""

    def __init__(self):
        self.seen = {}
        self.compared = 0
        self.differences = []

    def take(self, who, level, what, value):
        key = ("any" if what.startswith("draws") else level, what)
        first = self.seen.setdefault(key, (value, f"{who}, level {level}"))
        self.compared += 1
        if first[0] != value:
            self.differences.append(f"{what}: {first[0]} in {first[1]}, {value} in {who}, level {level}")


def run(program, level, threads, hashes, who):
    """Returns the levels that the program can use."""
    environment = {name: value for name, value in os.environ.items() if name != "GRAPHPATCHER_LEVEL"}
    if level:
        environment["GRAPHPATCHER_LEVEL"] = level
    result = subprocess.run([program, *threads], env=environment, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"same_bits: {program} failed with {result.returncode}:\n{result.stdout}{result.stderr}")
    first, levels, *lines = result.stdout.splitlines()
    level = first.split()[1]
    for line in lines:
        what, value = line.rsplit(": ", 1)
        hashes.take(f"{who}, threads {' '.join(threads)}", level, what, value)
    return levels.split()[1:]


def main():
    compiled, *headers = sys.argv[1:]
    hashes = Hashes()
    levels = run(compiled, None, [], hashes, "compiled")
    for level in levels:
        run(compiled, level, THREADS, hashes, "compiled")
        run(compiled, level, ["3"], hashes, "compiled, again")
    for program in headers:
        own = run(program, None, [], hashes, "headers")
        if own[0] in levels:
            run(program, None, ["2"], hashes, "headers")
    print(f"levels {', '.join(levels)}: {hashes.compared} hashes of {len(hashes.seen)} results")
    for difference in hashes.differences:
        print(difference)
    if hashes.differences or hashes.compared < 2 * len(hashes.seen):
        sys.exit(1)


if __name__ == "__main__":
    main()
