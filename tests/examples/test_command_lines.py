# SPDX-License-Identifier: MIT
"""Every option with hostile values, and command lines that nobody would think of: a program runs, or says in a
sentence what is wrong with which option. It never crashes and never hangs."""
import os
import random
import re
import resource
import unittest

import programs
from programs import TINY, options_of, program, run, with_options

HOSTILE = ["-1", "0", str(2**63), str(10**12), "nan", ""]
MEMORY = {resource.RLIMIT_AS: 8 << 30}  # a mistake here is to be an error, not a machine that swaps


class EveryOption(programs.ProgramTest):
    def expect_sense(self, words, option):
        ended = run(words, self.folder, limits=MEMORY)
        if ended.code == 0:
            return ended
        self.assertTrue(ended.code is not None and 0 < ended.code < 126, f"{words}\n{ended}")
        said = (ended.out + ended.err).lower()
        for word in option.split("-"):
            self.assertIn(word, said, f"{words}\n{ended}")
        self.assertNotIn("bad_alloc", said)
        lines = [line for line in ended.err.lower().splitlines() if line and not line.startswith("run with --help")]
        self.assertLessEqual(len(lines), 1, f"{words}\n{ended}")
        return ended

    def test_pipeline(self):
        refused = 0
        for option in options_of("pipeline"):
            if option.is_flag:
                continue
            base = TINY | {"loss": "paper"}
            if option.name.startswith("spread"):
                base |= {"target": "spread", "rule": "validated"}
            backbone = re.search(r"\[(gcn|sage|gat):", option.rest)
            if backbone:
                base["backbone"] = backbone.group(1)
            for n, value in enumerate(HOSTILE):
                with self.subTest(option=option.name, value=value):
                    changes = {option.name: value}
                    if option.name == "json":
                        changes["overwrite"] = True
                    words = [program("pipeline")] + with_options(base, changes)
                    refused += self.expect_sense(words, option.name).code != 0
        self.assertGreater(refused, 100)

    def test_pipeline_counts_are_never_negative(self):
        for option in options_of("pipeline"):
            if option.rest.startswith("a whole number"):
                with self.subTest(option=option.name):
                    words = [program("pipeline")] + with_options(TINY, {option.name: "-1"})
                    self.assertNotEqual(self.expect_sense(words, option.name).code, 0)

    def test_what_would_wrap(self):
        for changes, words in [({"seed": 2**64 - 1, "seeds": 2}, "--seed"),
                               ({"backbone": "gat", "backbone-hidden": 2**61 + 1}, "backbone-hidden"),
                               ({"loss": "paper", "path": "generic", "samples": 2**63 - 1}, "samples"),
                               ({"accumulate": 5}, "accumulate"), ({"batch": 10**6}, "batch")]:
            with self.subTest(**changes):
                ended = run([program("pipeline")] + with_options(TINY, changes), self.folder, limits=MEMORY)
                self.assertIn(ended.code, (1, 105), ended)
                self.assertIn(words, ended.err)
        ended = run([program("pipeline")] + with_options(TINY, {"seed": 2**64 - 1}), self.folder)
        self.assert_ended(ended, 0, "low third")

    def test_memory_that_is_not_there(self):
        ended = run([program("pipeline")] + with_options(TINY, {"hidden": 10**6, "batch": 64}), self.folder,
                    limits={resource.RLIMIT_AS: 1 << 30})
        self.assert_ended(ended, 1, "not enough memory", "hidden")

    def test_experiments(self):
        base = {"datasets": "synthetic", "methods": "none,graphpatcher", "seeds": 1, "jobs": 1, "quiet": True,
                "setting": "small hidden=4 max-iterations=4 warmup=2 patience=1", "out": "out", "resume": True}
        for option in options_of("experiments"):
            if option.is_flag or option.name == "setting":
                continue
            if option.name in ("tuned", "docs"):
                base["out"] = option.name + "_out"  # what other options left may have the names that are tried
                self.folder = self.path(option.name)
                os.mkdir(self.folder)
            for value in HOSTILE:
                if option.name == "seed" and value == "0":
                    continue  # a seed like any other, that takes a backbone of its own
                with self.subTest(option=option.name, value=value):
                    words = [program("experiments")] + with_options(base, {option.name: value})
                    self.expect_sense(words, option.name)

    def test_settings(self):
        base = {"datasets": "synthetic", "methods": "graphpatcher", "seeds": 1, "jobs": 1, "quiet": True,
                "out": "out", "resume": True}
        help_text = run([program("experiments"), "--help"], self.folder).out
        names = re.findall(r"\n +([a-z-]+)=\S+ ", help_text[help_text.find("A setting is"):])
        self.assertGreater(len(names), 25)
        for name in names:
            for value in HOSTILE:
                with self.subTest(option=name, value=value):
                    setting = ["hidden=4", "max-iterations=4", "warmup=2", "patience=1", "loss=paper", "samples=2"]
                    setting = [part for part in setting if not part.startswith(name + "=")]
                    setting = " ".join(["small"] + setting + [f"{name}={value}"])
                    words = [program("experiments")] + with_options(base, {"setting": setting})
                    self.expect_sense(words, name)


class RandomCommandLines(programs.ProgramTest):
    VALUES = HOSTILE + ["1", "2", "3", "0.5", "-0", "1e3", "1e308", "-1e-320", "inf", str(2**64), "0x10", " 5", "5 ",
                        "x", "--", "-", "a,b", "0.9,0.5", "0.5,0.9", ",", "%s%n", "../..", "/dev/null", "a\nb", "ä",
                        "gcn", "gat", "cora", "synthetic", "graphpatcher", "paper", "spread", "fast", "y" * 5000]

    def expect_no_crash(self, name, base, count):
        options = options_of(name)
        draw = random.Random(7)
        for n in range(count):
            words = [program(name)] + with_options(base, {})
            for _ in range(draw.randint(1, 4)):
                option = draw.choice(options)
                value = draw.choice(self.VALUES)
                words += draw.choice([["--" + option.name, value], ["--" + option.name + "=" + value],
                                      ["--" + option.name], [value]])
            with self.subTest(n=n):
                ended = run(words, self.folder, limits=MEMORY)
                self.assertTrue(ended.code is not None and 0 <= ended.code < 126, f"{words}\n{ended}")
                self.assertTrue(ended.code == 0 or (ended.out + ended.err).strip(), f"{words}\n{ended}")

    def test_pipeline(self):
        self.expect_no_crash("pipeline", TINY, 2000 if programs.LONG else 120)

    def test_experiments(self):
        base = {"datasets": "synthetic", "methods": "none", "jobs": 1, "quiet": True}
        self.expect_no_crash("experiments", base, 500 if programs.LONG else 60)


if __name__ == "__main__":
    unittest.main()
