# SPDX-License-Identifier: MIT
"""python3 translate in.ptx out.cpp"""
import sys

from errors import Unsupported
from module import ModuleTranslator
from parse import parse_module


def main(arguments):
    if len(arguments) != 2:
        sys.exit("usage: python3 translate in.ptx out.cpp")
    try:
        with open(arguments[0], encoding="utf-8") as file:
            text = file.read()
        code = ModuleTranslator(parse_module(text)).translate()
    except Unsupported as error:
        sys.exit(f"{arguments[0]}:{error.line or 0}: unsupported PTX: {error.message}")
    except OSError as error:
        sys.exit(f"translate: {error}")
    with open(arguments[1], "w", encoding="utf-8") as file:
        file.write(code)


if __name__ == "__main__":
    main(sys.argv[1:])
