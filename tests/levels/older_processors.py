#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a program that links graphpatcher::compiled on processors of qemu-user that lack newer instructions:

    older_processors.py PROBE QUICKSTART NEWER

PROBE chooses the right level there, gives the bits that the same level gives on this processor, and refuses a level
that the processor lacks. QUICKSTART prints what it prints here. NEWER has AVX2 instructions and has to die of them: qemu does check.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

# x86-64-v1 with SSE4, x86-64-v3; qemu has no processor with AVX-512.
PROCESSORS = {"Nehalem": "baseline", "Haswell": "v3"}
ORDER = ["baseline", "v3", "v4"]


def run(command, level=None, folder=None):
    environment = {name: value for name, value in os.environ.items() if name != "GRAPHPATCHER_LEVEL"}
    if level:
        environment["GRAPHPATCHER_LEVEL"] = level
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False,
                          cwd=folder)


def check(holds, what, result):
    if not holds:
        sys.exit(f"older_processors: {what}; exit code {result.returncode}, it said:\n{result.stdout}{result.stderr}")


def main():
    probe, quickstart, newer = sys.argv[1:]
    qemu = shutil.which("qemu-x86_64")
    if not qemu:
        print("skipped: no qemu-x86_64 (Debian: qemu-user)")
        sys.exit(77)
    for processor, level in PROCESSORS.items():
        emulated = [qemu, "-cpu", processor]
        chosen = run([*emulated, probe])
        check(chosen.returncode == 0 and chosen.stdout.startswith(f"level {level}\n"),
              f"expected level {level} on a {processor}", chosen)
        here = run([probe], level)
        if here.returncode == 0:  # this processor may lack it as well
            check(here.stdout == chosen.stdout,
                  f"expected the bits that level {level} gives on this processor:\n{here.stdout}on a {processor}", chosen)
        for higher in ORDER[ORDER.index(level) + 1:]:
            refused = run([*emulated, probe], higher)
            check(refused.returncode == 1 and "lacks the instructions" in refused.stderr,
                  f"expected level {higher} to be refused on a {processor}", refused)
    with tempfile.TemporaryDirectory() as folder:  # it writes a report
        here = run([quickstart], "baseline", folder)
        there = run([qemu, "-cpu", "Nehalem", quickstart], None, folder)
    check(there.returncode == 0 and there.stdout == here.stdout, f"expected on a Nehalem\n{here.stdout}", there)
    died = run([qemu, "-cpu", "Nehalem", newer, "--unchecked"])
    check(died.returncode in (-signal.SIGILL, 128 + signal.SIGILL), "expected AVX2 to stop a Nehalem", died)


if __name__ == "__main__":
    main()
