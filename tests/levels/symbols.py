#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nothing that is compiled for a newer processor leaves its level.

    symbols.py level NAME OBJECT...    the objects' only global symbol is graphpatcher_level_NAME, and what they take
                                       from elsewhere is none of this library's but what all levels share
    symbols.py program PROGRAM...      no function of a program with a name that a linker shares between files
                                       (global or weak) has an instruction of AVX or later
    ... --expect-leak                  the other way round: the check has to find something
"""
import argparse
import re
import subprocess
import sys

# What the levels of a program share: defined once, for every processor (kernels/cpu/shared_state.cpp).
SHARED = {"graphpatcher::detail::run_on_threads(int, void (*)(void*), void*)", "graphpatcher::detail::interrupts()",
          "graphpatcher::detail::progress_subject[abi:cxx11]()", "graphpatcher::hardware_threads()"}


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def leaks_of_level(path, name):
    """Global symbols beside the table, and names of this library that are wanted from elsewhere."""
    wanted = f"graphpatcher_level_{name}"
    defined = [line.split()[-1] for line in output_of("nm", "-g", "--defined-only", path).splitlines() if line]
    leaks = [symbol for symbol in defined if symbol != wanted]
    if wanted not in defined:
        leaks.append(f"{wanted} is missing")
    undefined = [line.split(maxsplit=1)[1] for line in output_of("nm", "-uC", path).splitlines() if line]
    return leaks + [symbol for symbol in undefined if symbol.startswith("graphpatcher::") and symbol not in SHARED]


def leaks_of_program(path):
    """Shared functions with VEX or EVEX instructions; the mnemonics of both begin with v, and no older ones do
    but verr and verw."""
    shared = set()  # by address: a level's own copy may have the same name
    for line in output_of("nm", path).splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[1] in "TWVu":
            shared.add((int(fields[0], 16), fields[2]))
    leaks, function = [], None
    for line in output_of("objdump", "-d", "--no-show-raw-insn", path).splitlines():
        if begin := re.match(r"([0-9a-f]+) <(.+)>:$", line):
            function = begin.group(2) if (int(begin.group(1), 16), begin.group(2)) in shared else None
        elif function and re.match(r"\s+[0-9a-f]+:\s+v(?!err|erw|mcall|mrun|mload|msave)[a-z0-9]+\s", line):
            leaks.append(f"{function}: {line.split(chr(9), 1)[-1].strip()}")
            function = None
    return leaks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["level", "program"])
    parser.add_argument("names", nargs="+")
    parser.add_argument("--expect-leak", action="store_true")
    options = parser.parse_args()
    if options.what == "level":
        level, *paths = options.names
        leaks = [leak for path in paths for leak in leaks_of_level(path, level)]
    else:
        leaks = [leak for path in options.names for leak in leaks_of_program(path)]
    for leak in leaks[:10]:
        print(leak)
    print(f"{len(leaks)} found")
    return 0 if bool(leaks) == options.expect_leak else 1


if __name__ == "__main__":
    sys.exit(main())
