#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same_output.py LEVEL COMPILED HEADERS: a program that links graphpatcher::compiled prints at LEVEL what the same
program prints whose headers were compiled for that level."""
import os
import subprocess
import sys


def main():
    level, compiled, headers = sys.argv[1:]
    environment = {**os.environ, "GRAPHPATCHER_LEVEL": level}
    first = subprocess.run([compiled], env=environment, capture_output=True, text=True, check=False)
    if "lacks the instructions" in first.stderr:
        print("skipped:", first.stderr.strip())
        return 77
    second = subprocess.run([headers], env=environment, capture_output=True, text=True, check=False)
    print(f"{first.stdout}{first.stderr}and\n{second.stdout}{second.stderr}")
    return 0 if first.returncode == second.returncode == 0 and first.stdout == second.stdout else 1


if __name__ == "__main__":
    sys.exit(main())
