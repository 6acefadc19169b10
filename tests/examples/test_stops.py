# SPDX-License-Identifier: MIT
"""Signals, limits, full and closed streams: programs end with a message, whole files and an exit code."""
import array
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest

import programs
from programs import TINY, program, run, with_options

# Trains for hours: only a request ends it.
ENDLESS = TINY | {"max-iterations": 10**9, "patience": 10**9, "evaluate-every": 10**9, "warmup": 10**9}
# The first request is answered within a second: of the processor's time that the program takes after it, so that a
# machine that does much else changes nothing. Beyond that it may only wait: for the disk, for others.
ANSWER = 1.0
WAITS = 30


def processor_seconds(pid):
    """Of all threads of a process so far."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def processor_seconds_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Stops(programs.ProgramTest):
    def stop(self, words, signals=(signal.SIGINT,), after=0.6, until=None, **more):
        """Sends a signal after a while, or when `until` is there; how it ended, and `answer`: the seconds of the
        processor that it took from then on."""
        ended_before = processor_seconds_of_children()
        child = subprocess.Popen(words, cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 **more)
        limit = time.monotonic() + programs.SECONDS
        while until and not until() and child.poll() is None and time.monotonic() < limit:
            time.sleep(0.02)
        time.sleep(after)
        self.assertIsNone(child.poll(), "it was to run until it is stopped")
        sent, used = time.monotonic(), processor_seconds(child.pid)
        for number in signals:
            child.send_signal(number)
        try:
            out, err = child.communicate(timeout=programs.SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            out, err = child.communicate()
            self.fail(f"no answer to {signals}\n{out}{err}")
        ended = programs.Ended(child.returncode, out, err, time.monotonic() - sent)
        ended.answer = processor_seconds_of_children() - ended_before - used
        return ended

    def assert_answered(self, ended):
        self.assertLess(ended.answer, ANSWER, ended)
        self.assertLess(ended.seconds, WAITS, ended)

    def kept(self):
        return lambda: os.path.exists(self.path("c", "seed-1-new-backbone.safetensors"))

    def test_every_request_keeps_the_training(self):
        for signals in [(signal.SIGINT,), (signal.SIGTERM,), (signal.SIGHUP, signal.SIGHUP),
                        (signal.SIGXCPU, signal.SIGXCPU)]:
            with self.subTest(signals=signals):
                words = [program("pipeline")] + with_options(ENDLESS, {"checkpoint-dir": "c", "json": "r.json"})
                ended = self.stop(words, signals, until=self.kept())
                self.assert_ended(ended, 130, "stopped on request", "no seed is finished",
                                  "what there is of seed 1 is in c", "--resume")
                self.assert_answered(ended)
                self.assertTrue(os.path.exists(self.path("c", "seed-1-training.safetensors")))
                self.assertFalse(os.path.exists(self.path("r.json")))
                self.assertFalse([name for name in os.listdir(self.path("c")) if name.endswith(".tmp")])

    def test_without_files_nothing_is_promised(self):
        ended = self.stop([program("pipeline")] + with_options(ENDLESS, {}), after=1.5)
        self.assert_ended(ended, 130, "stopped on request")
        self.assertNotIn("--resume", ended.err)

    def test_an_old_file_is_not_called_a_result(self):
        words = [program("pipeline")] + with_options(TINY, {"json": "r.json"})
        self.assert_ended(run(words, self.folder), 0)
        before = open(self.path("r.json"), encoding="utf-8").read()
        words = [program("pipeline")] + with_options(ENDLESS, {"json": "r.json", "overwrite": True})
        self.assert_ended(self.stop(words, after=1.5), 130, "no seed is finished, r.json was not written")
        self.assertEqual(open(self.path("r.json"), encoding="utf-8").read(), before)

    def test_long_loops_answer_the_first_request(self):
        def strengths(count):
            return ",".join(str(1 - n / (count + 1)) for n in range(1, count))

        for changes in ({"rule": "validated", "target": "spread", "spread-steps": 10**6},
                        {"strengths": strengths(3000)}, {"strengths": strengths(300), "path": "generic"},
                        {"loss": "paper", "samples": 20000, "batch": 64}):
            with self.subTest(**{key: str(value)[:20] for key, value in changes.items()}):
                changes = {"checkpoint-dir": "c", "overwrite": True} | changes
                words = [program("pipeline")] + with_options(ENDLESS, changes)
                ended = self.stop(words, until=self.kept(), after=1.0)
                self.assert_ended(ended, 130, "stopped on request")
                self.assert_answered(ended)
            for name in os.listdir(self.path("c")):
                os.remove(self.path("c", name))

    def write_graph(self, nodes, columns):
        """Files of a ring with dense features, as options."""
        draw = random.Random(1)
        with open(self.path("e.csv"), "w", encoding="ascii") as file:
            file.writelines(f"{v},{(v + 1) % nodes}\n" for v in range(nodes))
        with open(self.path("y.csv"), "w", encoding="ascii") as file:
            file.writelines(f"{v % 5}\n" for v in range(nodes))
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({nodes}, {columns}), }}".ljust(117) + "\n"
        row = array.array("f", (draw.uniform(0.1, 1) for _ in range(nodes + columns)))
        with open(self.path("x.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
            for v in range(nodes):  # no two are alike
                row[v:v + columns].tofile(file)
        return {"dataset": None, "edges": "e.csv", "features": "x.npy", "labels": "y.csv"}

    def test_a_large_graph_answers_the_first_request(self):
        """One epoch, the search for similar nodes and the patching of all validation nodes take seconds each."""
        graph = self.write_graph(30000, 256) | {"checkpoint-dir": "c", "overwrite": True}
        trained = {"backbone-hidden": 4, "backbone-max-epochs": 1}
        for what, changes, until in [
                ("training backbone", {"backbone-hidden": 1024}, None),
                ("looking for similar nodes", trained | {"method": "densify", "checkpoint-dir": None}, None),
                # as it patches all validation nodes, after each iteration
                ("training patcher", trained | {"hidden": 1024, "patches": 5, "evaluate-every": 1, "warmup": 1},
                 self.kept())]:
            with self.subTest(what):
                words = [program("pipeline")] + with_options(ENDLESS, graph | changes)
                ended = self.stop(words, until=until, after=1.5)
                self.assert_ended(ended, 130, what + ": stopped on request")
                self.assert_answered(ended)
            shutil.rmtree(self.path("c"), ignore_errors=True)

    def test_files_that_load_are_left(self):
        graph = self.write_graph(20, 3)
        with open(self.path("e.csv"), "a", encoding="ascii") as file:
            file.write("0,1\n1,2\n2,3\n3,4\n" * 4000000)
        ended = self.stop([program("pipeline")] + with_options(ENDLESS, graph), after=0.3)
        self.assert_ended(ended, 130, "reading e.csv: stopped on request")
        self.assert_answered(ended)

    def test_a_pipe_without_a_reader(self):
        os.mkfifo(self.path("pipe"))
        words = [program("pipeline")] + with_options(TINY, {"json": "pipe", "checkpoint-dir": "c"})
        done = self.path("c", "seed-1-patcher.safetensors")
        ended = self.stop(words, until=lambda: os.path.exists(done), after=1.0)
        self.assert_ended(ended, 130, "stopped on request", "pipe was not written")
        self.assert_answered(ended)

    def test_experiments(self):
        words = [program("experiments"), "--datasets", "synthetic", "--seeds", "50", "--jobs", "2", "--out", "o",
                 "--quiet", "--setting", "small hidden=8 max-iterations=100000 patience=100000"]
        for signals in [(signal.SIGINT,), (signal.SIGHUP, signal.SIGHUP)]:
            ended = self.stop(words, signals, after=2.0)
            self.assert_ended(ended, 130, "stopped on request", "finished cells are in o/results.jsonl", "--resume")
            self.assert_answered(ended)
            words += [] if "--resume" in words else ["--resume"]


class Streams(programs.ProgramTest):
    def commands(self):
        yield [program("pipeline")] + with_options(TINY, {"json": "r.json", "overwrite": True})
        yield [program("pipeline"), "--help"]
        yield [program("experiments"), "--datasets", "synthetic", "--methods", "none", "--seeds", "1", "--out", "o",
               "--quiet", "--resume"]
        yield [program("experiments"), "--list", "methods"]

    def test_full(self):
        for words in self.commands():
            with self.subTest(words=words[1:3]), open("/dev/full", "w", encoding="utf-8") as full:
                ended = run(words, self.folder, stdout=full)
                self.assert_ended(ended, 1, "standard output can't be written")
        self.assertEqual(len(programs.results(self.path("r.json"))["runs"]), 1)

    def test_closed(self):
        for words in self.commands():
            for streams in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
                with self.subTest(words=words[1:3], streams=streams):
                    ended = run(["sh", "-c", 'exec "$@" ' + streams, "sh"] + words, self.folder)
                    self.assertEqual(ended.code, 1 if " >&-" in " " + streams else 0, ended)
                    if streams == ">&-":
                        self.assertIn("standard output can't be written", ended.err)
        self.assertEqual(len(programs.results(self.path("r.json"))["runs"]), 1)

    def test_a_reader_that_goes_away(self):
        for words in self.commands():
            with self.subTest(words=words[1:3]):
                reading, writing = os.pipe()
                os.close(reading)
                ended = run(words, self.folder, stdout=writing)
                os.close(writing)
                self.assert_ended(ended, 1, "standard output can't be written")


class Limits(programs.ProgramTest):
    def test_the_size_of_files(self):
        words = [program("pipeline")] + with_options(TINY, {"checkpoint-dir": "c", "hidden": 64})
        ended = run(words, self.folder, limits={resource.RLIMIT_FSIZE: 4096})
        self.assert_ended(ended, 1, "pipeline: c/", "File too large")
        self.assertEqual([name for name in os.listdir(self.path("c"))], [])
        words = [program("experiments"), "--datasets", "synthetic", "--methods", "none", "--seeds", "1", "--out", "o",
                 "--quiet"]
        ended = run(words, self.folder, limits={resource.RLIMIT_FSIZE: 4096})
        self.assert_ended(ended, 1, "File too large")

    def test_processor_time(self):
        words = [program("pipeline")] + with_options(ENDLESS, {"checkpoint-dir": "c"})
        ended = run(words, self.folder, limits={resource.RLIMIT_CPU: (2, 60)})
        self.assert_ended(ended, 130, "stopped on request", "--resume")

    def test_threads_that_are_not_to_be_had(self):
        """A thread's stack is as large as the limit says: a few don't fit into the memory there is."""
        limits = {resource.RLIMIT_STACK: (1 << 30, resource.RLIM_INFINITY), resource.RLIMIT_AS: 2 << 30}
        words = [program("experiments"), "--datasets", "synthetic", "--methods", "none,zero", "--seeds", "4", "--quiet"]
        for jobs, folder in [("1", "one"), ("8", "eight")]:
            ended = run(words + ["--jobs", jobs, "--out", folder], self.folder, limits=limits)
            self.assert_ended(ended, 0, "8 cells run")
        for threads in ("1", "8"):
            words = [program("pipeline")] + with_options(TINY, {"threads": threads, "json": threads + ".json"})
            self.assert_ended(run(words, self.folder, limits=limits), 0)
        self.assertEqual(programs.results(self.path("1.json")), programs.results(self.path("8.json")))


class Files(programs.ProgramTest):
    """What is finished stays until somebody says otherwise, and is gone on with only where it is the same."""

    def pipeline(self, changes, base=TINY):
        return run([program("pipeline")] + with_options(base, changes), self.folder)

    def test_nothing_is_overwritten_unasked(self):
        self.assert_ended(self.pipeline({"json": "r.json", "seeds": 2}), 0)
        before = open(self.path("r.json"), "rb").read()
        self.assert_ended(self.pipeline({"json": "r.json"}), 1, "r.json: is there already", "--resume", "--overwrite")
        self.assertEqual(open(self.path("r.json"), "rb").read(), before)
        self.assert_ended(self.pipeline({"json": "r.json", "overwrite": True}), 0)
        self.assertEqual(len(programs.results(self.path("r.json"))["runs"]), 1)
        self.assert_ended(self.pipeline({"checkpoint-dir": "c"}), 0)
        self.assert_ended(self.pipeline({"checkpoint-dir": "c"}), 1, "is there already", "--overwrite")
        self.assert_ended(self.pipeline({"json": "r.json", "overwrite": True, "resume": True}), 108, "--overwrite")

    def test_a_run_that_fails_leaves_the_one_before(self):
        self.assert_ended(self.pipeline({"checkpoint-dir": "c", "json": "r.json"}), 0)
        before = {name: open(self.path("c", name), "rb").read() for name in os.listdir(self.path("c"))}
        ended = self.pipeline({"checkpoint-dir": "c", "json": "r.json", "overwrite": True, "learning-rate": 1e30})
        self.assert_ended(ended, 1, "the loss became", "learning rate")
        for name, content in before.items():
            self.assertEqual(open(self.path("c", name), "rb").read(), content)
        ended = self.pipeline({"checkpoint-dir": "c", "overwrite": True, "backbone-hidden": 5})
        self.assert_ended(ended, 0)
        self.assertEqual(sorted(os.listdir(self.path("c"))), sorted(before))
        self.assert_ended(self.pipeline({"checkpoint-dir": "c", "resume": True, "backbone-hidden": 5}), 0)

    def test_what_differs_is_named(self):
        nodes = 60
        for kind in ("first", "second"):
            with open(self.path(kind + ".csv"), "w", encoding="utf-8") as file:
                file.write("".join(f"{v % 2},{v % (3 if kind == 'first' else 4)}\n" for v in range(nodes)))
        with open(self.path("e.csv"), "w", encoding="utf-8") as file:
            file.write("".join(f"{v},{(v + 1) % nodes}\n" for v in range(nodes)))
        with open(self.path("y.csv"), "w", encoding="utf-8") as file:
            file.write("".join(f"{v // 10 % 2}\n" for v in range(nodes)))
        base = {key: value for key, value in TINY.items() if key != "dataset"}
        base |= {"edges": "e.csv", "features": "first.csv", "labels": "y.csv", "json": "r.json", "checkpoint-dir": "c"}
        self.assert_ended(self.pipeline({}, base), 0)
        for changes, words in [({"features": "second.csv"}, "data_checksum"), ({"normalise": True}, "data_checksum"),
                               ({"split-seed": 4}, "split"), ({"hidden": 5}, "hidden = 4, not 5"),
                               ({"backbone-learning-rate": 0.5}, "backbone_learning_rate = 0.001, not 0.5"),
                               ({"backbone": "sage"}, "backbone = gcn, not sage"),
                               ({"method": "none", "checkpoint-dir": None}, "method = graphpatcher, not none")]:
            with self.subTest(**changes):
                self.assert_ended(self.pipeline({"resume": True, "seeds": 2} | changes, base), 1, words, "--overwrite")
                if "method" not in changes:
                    ended = self.pipeline({"resume": True, "json": None} | changes, base)
                    self.assertEqual(ended.code, 1, ended)
        self.assert_ended(self.pipeline({"resume": True, "seeds": 2}, base), 0)

    def test_a_seed_twice(self):
        self.assert_ended(self.pipeline({"json": "r.json"}), 0)
        with open(self.path("r.json"), encoding="utf-8") as file:
            record = json.load(file)
        record["runs"] *= 2
        with open(self.path("r.json"), "w", encoding="utf-8") as file:
            json.dump(record, file)
        self.assert_ended(self.pipeline({"json": "r.json", "resume": True}), 1, "every seed once, got seed 1 twice")

    def test_what_is_wrong_is_known_before_anything_is_trained(self):
        words = [program("experiments"), "--datasets", "synthetic", "--seeds", "1", "--quiet", "--out", "o"]
        ended = run(words + ["--setting", "small hiden=3", "--setting", "smal"], self.folder)
        self.assert_ended(ended, 1, "did you mean hidden?", "begin with a preset")
        self.assertFalse(os.path.exists(self.path("o")))
        for wrong, advice in [(["--datasets", "synthetc"], "did you mean synthetic?"),
                              (["--datasets", "synthetic,core"], "did you mean cora?"),
                              (["--methods", "dropedg"], "did you mean dropedge?"),
                              (["--backbones", "gnc"], "gcn")]:
            ended = run([program("experiments"), "--out", "o"] + wrong, self.folder)
            self.assert_ended(ended, 105, advice, wrong[0])
        for wrong, advice in [({"dataset": "core"}, "did you mean cora?"), ({"backbone": "gatt"}, "did you mean gat?"),
                              ({"method": "graphpatch"}, "did you mean graphpatcher?"),
                              ({"batch": 5000}, "batch of at most"),
                              ({"path": "fast", "edge": "undirected"}, "an undirected patch"),
                              ({"backbone-heads": 2}, "no option is called 'backbone-heads'"),
                              ({"backbone-hidden": 0}, "backbone-hidden")]:
            with self.subTest(**wrong):
                ended = self.pipeline({"checkpoint-dir": "c"} | wrong)
                self.assertIn(ended.code, (1, 105), ended)
                self.assertIn(advice, ended.err)
                self.assertFalse(os.path.exists(self.path("c")) and os.listdir(self.path("c")))


class Display(programs.ProgramTest):
    def test_what_runs_and_how_it_goes(self):
        shown = {key: value for key, value in TINY.items() if key != "quiet"}
        words = [program("pipeline")] + with_options(shown, {"seeds": 2, "max-iterations": 500, "checkpoint-dir": "c"})
        ended = run(words, self.folder)
        self.assert_ended(ended, 0)
        first = ended.err.splitlines()[0]
        self.assertIn("graphpatcher, weighted, on gcn, synthetic, seeds 1 to 2, 1 threads; pipeline --help", first)
        for words in ("nodes", "classes", "seed 1: training backbone", "seed 2: training patcher",
                      "seed 1, validation: patching nodes", "seed 2, test: patching nodes", "stopped early"):
            self.assertIn(words, ended.err)

    def test_counts_go_on_where_a_training_does(self):
        words = [program("pipeline")] + with_options(ENDLESS, {"checkpoint-dir": "c"})
        child = subprocess.Popen(words, cwd=self.folder, stderr=subprocess.DEVNULL)
        limit = time.monotonic() + programs.SECONDS
        while not os.path.exists(self.path("c", "seed-1-training.safetensors")) and time.monotonic() < limit:
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        child.wait(programs.SECONDS)
        shown = {key: value for key, value in ENDLESS.items() if key != "quiet"}
        words = [program("pipeline")] + with_options(shown, {"checkpoint-dir": "c", "resume": True})
        child = subprocess.Popen(words, cwd=self.folder, stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=programs.SECONDS)
        line = [line for line in err.splitlines() if "/1000000000" in line][-1]
        self.assertGreaterEqual(int(line.split("training patcher: ")[1].split("/")[0]), 100, line)


if __name__ == "__main__":
    unittest.main()
