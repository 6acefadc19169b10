# SPDX-License-Identifier: MIT
"""A run that keeps checkpoints is the run without them: path, scores, losses and predictions bit by bit, whatever
option is changed. Options come from --help, so a new one is tested the day it is there."""
import os
import re
import unittest

import programs
from programs import TINY, options_of, program, run, with_options

# How the files and the display are handled, which is what is tested here; where it runs; the data, tested apart.
APART = {"json", "report", "checkpoint-dir", "resume", "overwrite", "quiet", "capture", "device", "method", "data",
         "dataset", "edges", "features", "labels", "train", "validation", "test", "first-id", "header", "ids",
         "normalise"}
# Where the rule below would give something that can't be run, or nothing else than the default.
VALUES = {"strengths": "0.8,0.5,0.2", "batch": "8", "samples": "3", "split": "0", "backbone-layers": "1", "seeds": "2",
          "threads": "2", "max-iterations": "6", "backbone-max-epochs": "5", "accumulate": "2"}


def other_value(option):
    """Something else than the default, of the kind that --help says."""
    if option.name in VALUES:
        return VALUES[option.name]
    if option.is_flag:
        return True
    if option.rest.startswith("true or false"):
        return "true"
    words = re.match(r"one of ([\w, -]+?) \[", option.rest) or re.match(r"\w+:\{([^}]*)\}", option.rest)
    if words:
        return [word for word in re.split(r",\s*", words.group(1)) if word != option.default and word != "auto"][-1]
    if option.rest.startswith("a whole number"):
        return "3"
    if option.rest.startswith("a number"):
        return "0.125"
    raise AssertionError(f"--{option.name}: no value is known for '{option.rest}'")


class Checkpointed(programs.ProgramTest):
    def same(self, changes, base=TINY):
        name = "_".join(f"{key}_{value}" for key, value in changes.items()).replace(",", "_") or "none"
        plain, kept = self.path(name + ".json"), self.path(name + "_kept.json")
        words = [program("pipeline")] + with_options(base, changes)
        self.assert_ended(run(words + ["--json", plain], self.folder), 0)
        folder = self.path(name)
        self.assert_ended(run(words + ["--json", kept, "--checkpoint-dir", folder], self.folder), 0)
        expected, got = programs.results(plain), programs.results(kept)
        self.assertEqual(expected, got)
        self.assertTrue(all("training" not in file and "new-" not in file for file in os.listdir(folder)))
        again = self.path(name + "_again.json")
        self.assert_ended(run(words + ["--json", again, "--checkpoint-dir", folder, "--resume"], self.folder), 0)
        self.assertEqual(expected, programs.results(again))
        return expected

    def test_every_option(self):
        paths = {self.same({})["path"]}
        tried = set()
        for option in options_of("pipeline"):
            if option.name in APART:
                continue
            with self.subTest(option=option.name):
                changes = {option.name: other_value(option)}
                if option.name.startswith("spread"):
                    changes["target"] = "spread"
                if "target" in changes:
                    changes["rule"] = "validated"  # the other one trains a patcher of each target
                backbone = re.search(r"\[(gcn|sage|gat):", option.rest)
                if backbone:
                    changes["backbone"] = backbone.group(1)
                paths.add(self.same(changes)["path"])
                tried.add(option.name)
        self.assertGreater(len(tried), 40)
        self.assertEqual(paths, {"fast", "generic"})

    def test_every_backbone_on_both_paths(self):
        for backbone in ("gcn", "sage", "gat"):
            for path in ("fast", "generic"):
                with self.subTest(backbone=backbone, path=path):
                    self.assertEqual(self.same({"backbone": backbone, "path": path})["path"], path)

    def test_own_files(self):
        nodes = 60
        with open(self.path("e.csv"), "w", encoding="utf-8") as file:
            file.write("".join(f"{v},{(v + 1) % nodes}\n" for v in range(nodes)))
        with open(self.path("x.csv"), "w", encoding="utf-8") as file:
            file.write("".join(f"{v % 2},{v % 3},1\n" for v in range(nodes)))
        with open(self.path("y.csv"), "w", encoding="utf-8") as file:
            file.write("".join(f"{v // 10 % 2}\n" for v in range(nodes)))
        base = {key: value for key, value in TINY.items() if key != "dataset"}
        base |= {"edges": self.path("e.csv"), "features": self.path("x.csv"), "labels": self.path("y.csv")}
        for changes in ({}, {"normalise": True}, {"split-seed": 3}):
            with self.subTest(**changes):
                self.same(changes, base)


if __name__ == "__main__":
    unittest.main()
