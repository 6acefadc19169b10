# SPDX-License-Identifier: MIT
"""python3 translate [--mutable FOLDER] in.ptx out.cpp"""
import argparse
import os
import sys

from errors import Unsupported
from module import ModuleTranslator
from mutation import MutationPoints
from parse import parse_module


def main():
    parser = argparse.ArgumentParser(prog="translate", description="Turns PTX into C++ that runs on the engine.")
    parser.add_argument("--mutable", metavar="FOLDER",
                        help="let barriers and bounds be mutated whose source is in FOLDER; for PTX of nvcc -G")
    parser.add_argument("ptx")
    parser.add_argument("cpp")
    options = parser.parse_args()
    try:
        with open(options.ptx, encoding="utf-8") as file:
            text = file.read()
        mutations = MutationPoints(options.mutable) if options.mutable else None
        write_if_new(options.cpp, ModuleTranslator(parse_module(text), mutations).translate())
    except Unsupported as error:
        sys.exit(f"{options.ptx}:{error.line or 0}: unsupported PTX: {error.message}")
    except OSError as error:
        sys.exit(f"translate: {error}")


def write_if_new(path, code):
    """Leaves a file that has this content alone: what depends on it needn't be compiled again."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == code:
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(code)


if __name__ == "__main__":
    main()
