# SPDX-License-Identifier: MIT
"""A copy of the project whose headers have places to break, compiled once for all of them."""
import re
import subprocess

from . import MutationError
from .cpu import headers
from .places import rewritten
from .report import digest

RUNTIME = "gp_mutation.hpp"
# As far as types allow, what is compiled is what was written: no fused multiply-adds that a place in between would undo.
# Elements outside of a vector or a span end the program. Narrowing is what an object in the place of a constant looks like;
# warnings of such code are nobody's.
FLAGS = "-march=native -ffp-contract=off -D_GLIBCXX_ASSERTIONS -Wno-narrowing -w"
OPTIONS = ["-G", "Ninja", "-D", "CMAKE_BUILD_TYPE=Debug", "-D", f"CMAKE_CXX_FLAGS={FLAGS}", "-D", "CMAKE_CXX_FLAGS_DEBUG=-O1",
           "-D", "GRAPHPATCHER_LEVELS=one", "-D", "GRAPHPATCHER_EXAMPLES=OFF", "-D", "GRAPHPATCHER_INSTALL=OFF"]
ROUNDS = 8


def write_if_new(path, content):
    """Files that stay the same keep their date: they aren't compiled again."""
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


class Sandbox:
    def __init__(self, root, folder):
        self.root, self.source, self.build = root, folder / "source", folder / "build"
        self.left_out = folder / "left_out"  # mutants that don't compile, by their ids, as long as the headers are the same
        self.state = folder / "headers"

    def forget_if_new(self):
        """What didn't compile is kept for the same headers and the same runtime."""
        now = digest([*headers(self.root), self.root / "tests" / "mutate_cpu" / "mutation.hpp"])
        if not self.state.exists() or self.state.read_text() != now:
            self.left_out.unlink(missing_ok=True)
            self.state.write_text(now)

    def copy(self, mutants):
        """The project's files, with all mutants but those known not to compile."""
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=self.root,
                                stdout=subprocess.PIPE, check=True, text=True).stdout
        files = {file for file in listed.split("\0") if file and (self.root / file).is_file()}
        chosen, bad = {}, self.not_compiling()
        for mutant in mutants:
            if mutant.id not in bad:
                chosen.setdefault(mutant.file, {})[mutant.number] = mutant.spot
        own = {f"include/{RUNTIME}": "mutation.hpp", "tests/support/main.cpp": "main.cpp"}
        for file in files - own.keys():
            content = (self.root / file).read_bytes()
            if file in chosen:
                content = rewritten(content.decode(), chosen[file], f'#include "{RUNTIME}"').encode()
            write_if_new(self.source / file, content)
        for path in sorted(self.source.rglob("*")):
            if path.is_file() and path.relative_to(self.source).as_posix() not in files | own.keys():
                path.unlink()
        for file, name in own.items():
            write_if_new(self.source / file, (self.root / "tests" / "mutate_cpu" / name).read_bytes())
        shared = self.source.parent / "shared"  # where the tests look for datasets
        if (self.root.parent / "shared").exists() and not shared.exists():
            shared.symlink_to((self.root.parent / "shared").resolve())

    def not_compiling(self):
        return set(self.left_out.read_text().splitlines()) if self.left_out.exists() else set()

    def make(self, mutants, targets, jobs):
        """Builds the targets, leaving out mutants that don't compile; returns the rest and the programs."""
        self.source.mkdir(parents=True, exist_ok=True)
        self.forget_if_new()
        self.copy(mutants)
        if not (self.build / "build.ninja").exists():
            run_or_fail(["cmake", "-S", self.source, "-B", self.build, *OPTIONS])
        # First what has all operations in it: most mutants that don't compile are found there, before a test is compiled.
        for target in ["compiled", *targets]:
            self.build_target(target, mutants, jobs)
        bad = self.not_compiling()
        return [m for m in mutants if m.id not in bad], [self.build / "bin" / target for target in targets]

    def build_target(self, target, mutants, jobs):
        for _ in range(ROUNDS):
            result = subprocess.run(["cmake", "--build", self.build, "--parallel", str(jobs), "--target", target, "--", "-k",
                                     "0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
            if result.returncode == 0:
                return
            blamed = self.blamed(result.stdout, mutants)
            if not blamed:
                break
            print(f"{target}: {len(blamed)} mutants don't compile", flush=True)
            with self.left_out.open("a") as file:
                file.write("".join(f"{id}\n" for id in sorted(blamed)))
            self.copy(mutants)
        errors = [line for line in result.stdout.splitlines() if "error" in line]
        raise MutationError(f"{target} could not be built in {self.build}:\n" + "\n".join(errors[:20] or [result.stdout[-3000:]]))

    def blamed(self, log, mutants):
        """Ids of the mutants on lines of errors. An error inside of the runtime is blamed on the lines that led to
        it."""
        here = {(mutant.file, mutant.line): [] for mutant in mutants}
        bad = self.not_compiling()
        for mutant in mutants:
            if mutant.id not in bad:
                here[mutant.file, mutant.line].append(mutant.id)
        found, led_here = set(), []
        for line in log.splitlines():
            match = re.search(r"(include/(?:graphpatcher/)?[\w/.]+\.hpp):(\d+)(?::\d+)?:\s*(.*)", line)
            if not match:
                continue
            ids = here.get((match[1], int(match[2])), [])
            if "error:" in match[3]:
                found |= set(ids)
                found |= set(led_here if not ids else ())
                led_here = []
            elif "required from" in match[3]:
                led_here = ids or led_here
        return found


def run_or_fail(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if result.returncode != 0:
        raise MutationError(f"{' '.join(map(str, command))} failed:\n{result.stdout[-3000:]}")
