# SPDX-License-Identifier: MIT
"""kill -9 at random moments, and on with --resume, again and again: nothing is lost, and at the end all bits are those
of a run that nobody disturbed. With GRAPHPATCHER_LONG_TESTS=1 hundreds of times."""
import json
import os
import random
import subprocess
import time
import unittest

import programs
from programs import TINY, program, run, with_options

# Nearly all of it writes files, or nearly all of it trains.
WRITES = TINY | {"seeds": 12}
TRAINS = TINY | {"seeds": 2, "backbone-max-epochs": 60, "backbone-patience": 60, "max-iterations": 700, "patience": 700,
                 "hidden": 16}


class Kills(programs.ProgramTest):
    def kill_often(self, words, kills, check, fresh):
        """Kills until it was done so often, in a new folder whenever a run comes to its end."""
        draw = random.Random(kills)
        started = time.monotonic()
        self.assert_ended(run(words, fresh()), 0)
        whole = time.monotonic() - started
        folder, done, open_files = fresh(), 0, 0
        while done < kills:
            child = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            try:
                _, err = child.communicate(timeout=draw.uniform(0, 0.5 * whole))
                self.assertEqual(child.returncode, 0, err)
                check(folder)
                folder = fresh()
            except subprocess.TimeoutExpired:
                child.kill()
                child.communicate()
                done += 1
                names = [name for place in os.walk(folder) for name in place[2] if name.endswith(".tmp")]
                self.assertLessEqual(len(names), 2)  # one a thread that writes
                open_files += bool(names)
        self.assert_ended(run(words, folder), 0)
        check(folder)
        print(f"{done} kills, {open_files} of them with a file open")

    def new_folder(self):
        self.count = getattr(self, "count", 0) + 1
        folder = self.path(str(self.count))
        os.mkdir(folder)
        return folder

    def pipeline(self, options, kills):
        words = [program("pipeline")] + with_options(options, {"checkpoint-dir": "c", "json": "r.json"})
        calm = self.new_folder()
        self.assert_ended(run(words, calm), 0)
        expected = programs.results(os.path.join(calm, "r.json"))
        files = {name: programs.weights(os.path.join(calm, "c", name)) for name in os.listdir(os.path.join(calm, "c"))}
        self.assertEqual(len(files), 3 * options["seeds"])  # a backbone and the two patchers of the rule

        def check(folder):
            self.assertEqual(programs.results(os.path.join(folder, "r.json")), expected)
            self.assertEqual(sorted(os.listdir(os.path.join(folder, "c"))), sorted(files))
            for name, tensors in files.items():
                self.assertEqual(programs.weights(os.path.join(folder, "c", name)), tensors)

        self.kill_often(words + ["--resume"], kills, check, self.new_folder)

    def test_pipeline_while_it_writes(self):
        self.pipeline(WRITES, 200 if programs.LONG else 8)

    def test_pipeline_while_it_trains(self):
        self.pipeline(TRAINS, 100 if programs.LONG else 6)

    def test_experiments(self):
        words = [program("experiments"), "--datasets", "synthetic", "--seeds", "2", "--jobs", "2", "--out", "o",
                 "--methods", "none,copy,graphpatcher", "--quiet", "--resume",
                 "--setting", "small hidden=8 max-iterations=60 warmup=20 patience=100"]

        def cells(folder):
            with open(os.path.join(folder, "o", "results.jsonl"), encoding="utf-8") as file:
                lines = [json.loads(line) for line in file]
            for line in lines:
                for key in ("seconds", "backbone_seconds", "peak_rss_mb"):
                    line.pop(key)
            return sorted(lines, key=lambda line: (line["method"], line["seed"]))

        calm = self.new_folder()
        self.assert_ended(run(words, calm), 0)
        expected = cells(calm)
        self.assertEqual(len(expected), 6)
        self.kill_often(words, 100 if programs.LONG else 6,
                        lambda folder: self.assertEqual(cells(folder), expected), self.new_folder)

    def test_an_overwritten_set_stays_one(self):
        """Begun anew with another backbone and killed: either all old models or all new ones."""
        def words(hidden, *more):
            options = TINY | {"backbone-hidden": hidden, "checkpoint-dir": "c"}
            return [program("pipeline")] + with_options(options, {}) + list(more)

        def pair(folder):
            names = [f"seed-1-{name}.safetensors" for name in ("backbone", "patcher", "spread-patcher")]
            return [programs.weights(os.path.join(folder, "c", name)) for name in names]

        pairs = []
        for hidden in (4, 5):
            folder = self.new_folder()
            started = time.monotonic()
            self.assert_ended(run(words(hidden), folder), 0)
            whole = time.monotonic() - started
            pairs.append(pair(folder))
        draw = random.Random(3)
        for _ in range(60 if programs.LONG else 6):
            folder = self.new_folder()
            self.assert_ended(run(words(4), folder), 0)
            child = subprocess.Popen(words(5, "--overwrite"), cwd=folder, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
            time.sleep(draw.uniform(0, whole))
            child.kill()
            child.wait()
            waiting = any(os.path.exists(os.path.join(folder, "c", f"seed-1-new-{name}.safetensors"))
                          for name in ("patcher", "spread-patcher"))
            if not waiting:  # killed between two renames it is finished by --resume
                self.assertIn(pair(folder), pairs)
            begun = waiting or pair(folder) == pairs[1] or os.path.exists(
                os.path.join(folder, "c", "seed-1-new-backbone.safetensors"))
            if begun:
                self.assert_ended(run(words(5, "--resume"), folder), 0)
                self.assertEqual(pair(folder), pairs[1])


if __name__ == "__main__":
    unittest.main()
