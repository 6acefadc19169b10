# SPDX-License-Identifier: MIT
"""Runs the compiler.

nvcc makes the library's machine code in two steps for every architecture: it compiles the source to PTX for that very
architecture, then has ptxas translate it (`nvcc --dryrun` shows the commands). Here the same two steps are taken one by
one, with the library's flags, so the numbers are those of the code that is shipped. PTX that a build has kept saves the
first step.
"""
import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import ResourcesError
from .names import readable
from .ptx import block_sizes, parse_log, target_of
from .table import Row

# As kernels/CMakeLists.txt compiles a release, as far as it matters to device code.
FLAGS = ["-std=c++20", "--expt-relaxed-constexpr", "-O3", "-DNDEBUG", "-lineinfo",
         "-I", "include", "-I", "."]
PTXAS_FLAGS = ["-m64", "-v", "--generate-line-info"]


def find(tool):
    """The path of nvcc, $CUDACXX or what is in PATH; or of another tool, that of the same toolkit if there is one."""
    path = shutil.which(os.environ.get("CUDACXX") or "nvcc")
    if tool != "nvcc":
        beside = shutil.which(tool, path=Path(path).resolve().parent) if path else None
        path = beside or shutil.which(tool)
    if path is None:
        raise ResourcesError(f"{tool} was not found: install the CUDA toolkit 13, then add its bin folder to PATH or "
                             "set CUDACXX to the path of nvcc")
    return path


def run(command, what, folder=None):
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if result.returncode != 0:
        raise ResourcesError(f"{what} failed with code {result.returncode}:\n  {' '.join(map(str, command))}\n"
                             f"{result.stderr}{result.stdout}".rstrip())
    return result.stdout + result.stderr


def measure_ptx(path, arch, source_name):
    """Rows of the kernels in a file of PTX, translated for sm_<arch>."""
    text = Path(path).read_text()
    log = run([find("ptxas"), f"-arch=sm_{arch}", *PTXAS_FLAGS, str(path), "-o", os.devnull], f"ptxas on {path}")
    sizes, usages = block_sizes(text), parse_log(log)
    if sizes.keys() != usages.keys():
        strangers = ", ".join(sorted(sizes.keys() ^ usages.keys()))
        raise ResourcesError(f"{path} and what ptxas says about it don't have the same kernels: {strangers}")
    names = readable(usages)
    return [Row.of(source_name, names[kernel], arch, usage, sizes[kernel]) for kernel, usage in usages.items()]


def measure_source(root, source, arch):
    """Rows of the kernels of a .cu file."""
    with tempfile.TemporaryDirectory() as folder:
        ptx = Path(folder) / f"{source.stem}.ptx"
        command = [find("nvcc"), *FLAGS, f"-arch=sm_{arch}", "-ptx", str(source.relative_to(root)), "-o", str(ptx)]
        run(command, f"compiling {source.name} for sm_{arch}", folder=root)
        return measure_ptx(ptx, arch, source.stem)


def kept_ptx(folder, arch, source_names):
    """Source name -> the PTX that a build kept of it in `folder` for this architecture."""
    found = {}
    for path in sorted(Path(folder).glob("*.ptx")):
        name = path.name.split(".")[0]  # spmm.ptx, or spmm.compute_80.ptx of several architectures
        if name in source_names and target_of(path.read_text()) == arch:
            found[name] = path
    missing = sorted(set(source_names) - found.keys())
    if missing:
        raise ResourcesError(f"no PTX for sm_{arch} in {folder} of: {', '.join(missing)}; build the CUDA backend for "
                             f"architecture {arch} first, or leave --ptx out to compile here")
    return found


def in_parallel(jobs, tasks, report):
    """Calls the functions of `tasks`, (label, function) pairs, `jobs` at a time; all rows, in no particular order."""
    def work(task):
        label, function = task
        rows = function()
        report(f"{label}: {len(rows)} kernels")
        return rows

    with ThreadPoolExecutor(jobs) as pool:
        try:
            return [row for rows in pool.map(work, tasks) for row in rows]
        except ResourcesError:
            pool.shutdown(cancel_futures=True)
            raise
