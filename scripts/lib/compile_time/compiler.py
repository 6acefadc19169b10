# SPDX-License-Identifier: MIT
"""Runs the compiler and says what it took."""
import os
import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import CompileTimeError


@dataclass(frozen=True)
class Cost:
    """Of one or several compilations: processor time of all their processes, memory of the largest process."""
    seconds: float
    peak_mb: float

    def __add__(self, other):
        return Cost(self.seconds + other.seconds, max(self.peak_mb, other.peak_mb))


def cost_of(command, folder=None):
    """Runs a compilation to its end. Processor time, not wall-clock time: other programs may run beside it."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)  # counts the processes it started and waited for, too
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            output.seek(0)
            text = output.read().decode(errors="replace")
            raise CompileTimeError(f"{shlex.join(map(str, command))}\nfailed:\n{text[-2000:]}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)  # Linux counts in kilobytes


class Compiler:
    """What a user compiles with: C++20, -O2, no other flag."""

    def __init__(self, root, program="c++"):
        self.flags = [program, "-std=c++20", "-O2", f"-I{root / 'include'}", *eigen_flags()]

    def file(self, path, *flags):
        return cost_of([*self.flags, *flags, "-c", path, "-o", os.devnull])

    def headers(self, *names):
        """An empty file with these headers; "<Eigen/Dense>" or "graphpatcher/x.hpp"."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "empty.cpp")
            source.write_text("".join(f"#include {name if name.startswith('<') else f'<{name}>'}\n" for name in names))
            return self.file(source)


def eigen_flags():
    """Where Eigen is, as pkg-config says."""
    try:
        said = subprocess.run(["pkg-config", "--cflags", "eigen3"], capture_output=True, text=True)
    except FileNotFoundError as missing:
        raise CompileTimeError("pkg-config is not in PATH: install pkg-config") from missing
    if said.returncode != 0:
        raise CompileTimeError(f"pkg-config doesn't find Eigen, install libeigen3-dev: {said.stderr.strip()}")
    return ["-isystem" + flag[2:] for flag in shlex.split(said.stdout) if flag.startswith("-I")]


def unit_command(entry):
    """The command of an entry of compile_commands.json, without what it writes."""
    command = list(entry["arguments"]) if "arguments" in entry else shlex.split(entry["command"])
    kept, skip = [], False
    for argument in command:
        if skip:
            skip = False
        elif argument in ("-o", "-MF", "-MT", "-MQ"):
            skip = True
        elif argument not in ("-MD", "-MMD", "-MP"):
            kept.append(argument)
    return [*kept, "-o", os.devnull]
