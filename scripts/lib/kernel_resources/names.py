# SPDX-License-Identifier: MIT
"""Readable names of kernels: graphpatcher::kernels::edge_dots<4, float, int>(...) becomes edge_dots<4, float, int>."""
import re
import shutil
import subprocess

from . import ResourcesError

NAMESPACES = re.compile(r"\b(?:[A-Za-z_]\w*::)+")


def shorten(demangled):
    """Without return type, namespaces and parameters; template arguments stay."""
    name = demangled.replace("(anonymous namespace)::", "")
    depth = 0
    begin, end = 0, len(name)
    for position, letter in enumerate(name):
        if letter == "<":
            depth += 1
        elif letter == ">":
            depth -= 1
        elif depth == 0 and letter == " ":
            begin = position + 1  # what stood before is the return type
        elif depth == 0 and letter == "(":
            end = position
            break
    return NAMESPACES.sub("", name[begin:end]).replace("> >", ">>")


def readable(mangled_names):
    """A dictionary from mangled to short names, which are all different."""
    mangled_names = list(mangled_names)
    if not mangled_names:
        return {}
    filter_path = shutil.which("c++filt")
    if filter_path is None:
        raise ResourcesError("c++filt is not in PATH: install binutils")
    lines = subprocess.run([filter_path], input="\n".join(mangled_names), capture_output=True, text=True, check=True)
    names = dict(zip(mangled_names, map(shorten, lines.stdout.splitlines())))
    owners = {}
    for mangled, name in names.items():
        if name in owners:
            raise ResourcesError(f"two kernels of one file are both called {name}:\n  {owners[name]}\n  {mangled}\n"
                                 "give what tells them apart (a lambda, a type in a namespace) a name of its own")
        owners[name] = mangled
    return names
