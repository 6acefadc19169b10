#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the benchmark programs of several variants in turn: bench/turns.py NAME=PROGRAM... -- OPTIONS

Each says "turn WORKLOAD" before a repetition and waits for a line. One at a time gets it, the one that is furthest
behind in the list of workloads, then the one that had its last turn longest ago: what the machine does meanwhile hits
them alike. Each writes NAME.json into the folder given by --out. Exit code: the largest of theirs.
"""
import argparse
import subprocess
import sys
from pathlib import Path


class Program:
    """A benchmark program that waits for its turn."""

    def __init__(self, name, command):
        self.name = name
        self.last_turn = 0
        self.waits_for = None  # a workload; None when it has ended
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def listen(self, say):
        """Hands on what it prints until it waits again or ends."""
        for line in self.process.stdout:
            if line.startswith("turn "):
                self.waits_for = line.split(maxsplit=1)[1].strip()
                return
            say(f"{self.name:12} {line.rstrip()}")
        self.waits_for = None
        self.process.stdin.close()
        self.process.stdout.close()

    def go(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()


def run(commands, say):
    """Runs {name: command} until all have ended; returns {name: exit code}."""
    programs = [Program(name, command) for name, command in commands.items()]
    order = {}  # workload -> place; whoever comes to one first is ahead, so places are those of the list
    for each in programs:
        each.listen(say)
    turn = 0
    while waiting := [each for each in programs if each.waits_for is not None]:
        for each in waiting:
            order.setdefault(each.waits_for, len(order))
        chosen = min(waiting, key=lambda each: (order[each.waits_for], each.last_turn))
        turn += 1
        chosen.last_turn = turn
        chosen.go()
        chosen.listen(say)
    return {each.name: each.process.wait() for each in programs}


def main(arguments):
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+", metavar="NAME=PROGRAM")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments[:cut])
    commands = {}
    for each in options.programs:
        name, found, program = each.partition("=")
        if not found:
            parser.error(f"expected NAME=PROGRAM, got {each}")
        commands[name] = [program, "--turns", "--json", str(options.out / f"{name}.json"), *arguments[cut + 1:]]
    codes = run(commands, lambda line: print(line, flush=True))
    return max(abs(code) for code in codes.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
