# SPDX-License-Identifier: MIT
"""What the tests of the programs share: running them under limits, and reading their options from --help."""
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import tempfile
import time
import unittest

LONG = os.environ.get("GRAPHPATCHER_LONG_TESTS") == "1"
SECONDS = 120  # more than anything here takes on a busy machine; whatever takes longer hangs


def program(name):
    return os.environ["GRAPHPATCHER_" + name.upper()]


class Ended:
    """How a program ended: `code` is negative where a signal ended it, None where it hung."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    def __repr__(self):
        return f"exit code {self.code} after {self.seconds:.1f} s\n{self.out[-2000:]}\n{self.err[-2000:]}"


def limits_of(limits):
    """What a child does before it becomes the program."""
    def limit():
        for kind, value in limits.items():
            resource.setrlimit(kind, (value, value) if isinstance(value, int) else value)
    return limit


def run(words, folder, seconds=SECONDS, limits=None, **more):
    started = time.monotonic()
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL} | more
    child = subprocess.Popen(words, cwd=folder, text=True, errors="replace",
                             preexec_fn=limits_of({resource.RLIMIT_CORE: 0} | (limits or {})), **more)
    try:
        out, err = child.communicate(timeout=seconds)
        code = child.returncode
    except subprocess.TimeoutExpired:
        child.kill()
        out, err = child.communicate()
        code = None
    return Ended(code, out or "", err or "", time.monotonic() - started)


class Option:
    """A line of --help: '--hidden a whole number >= 1 [64]'."""

    def __init__(self, name, rest):
        self.name, self.rest = name, re.sub(r"(Excludes|Needs): (--\S+ )+", "", rest)
        default = re.search(r"\[(?:\w+: )?([^\[\],:]*)\]", self.rest.partition(") ")[2] or self.rest)
        default = re.match(r"\w+:\{[^}]*\}=(\S+)", self.rest) or default
        self.default = default.group(1) if default else ""

    @property
    def is_flag(self):
        return not re.match(r"a whole number|a number|numbers|one of|true or false|[A-Z]{3}", self.rest)


def options_of(name):
    """The options that a program says it has."""
    help_text = subprocess.run([program(name), "--help"], capture_output=True, text=True, check=True).stdout
    help_text = help_text[:help_text.find("Methods:")]
    found = re.split(r"\n  (?:-\w,)?--", help_text)[1:]
    options = []
    for text in found:
        word, _, rest = " ".join(text.split()).partition(" ")
        options.append(Option(word, rest))
    return [o for o in options if o.name != "help"]


def with_options(base, changes):
    """A command line with some options changed: {name: value}; True is a flag, None is left out."""
    words = []
    for name, value in (base | changes).items():
        if value is True:
            words.append("--" + name)
        elif value is not None:
            words += ["--" + name, str(value)]
    return words


# A run of a fraction of a second on the embedded dataset, which goes through everything.
TINY = {"dataset": "synthetic", "hidden": 4, "backbone-hidden": 4, "backbone-max-epochs": 3, "backbone-patience": 2,
        "max-iterations": 4, "warmup": 2, "evaluate-every": 2, "patience": 1, "samples": 2, "patches": 2,
        "strengths": "0.6,0.3", "batch": 16, "threads": 1, "quiet": True}


def results(path):
    """What a record says came out, without what may differ from run to run."""
    with open(path, encoding="utf-8") as file:
        record = json.load(file)
    runs = []
    for one in record["runs"]:
        runs.append({key: value for key, value in one.items() if key not in ("seconds", "peak_rss_mb")})
    return {"path": record["path"], "settings": record["settings"], "runs": sorted(runs, key=lambda r: r["seed"])}


def weights(path):
    """The tensors of a safetensors file, as bytes by name."""
    with open(path, "rb") as file:
        content = file.read()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + length])
    data = content[8 + length:]
    return {name: data[slice(*about["data_offsets"])] for name, about in header.items() if name != "__metadata__"}


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="graphpatcher_")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def assert_ended(self, ended, code, *words):
        self.assertEqual(ended.code, code, ended)
        for word in words:
            self.assertIn(word, ended.out + ended.err)
