# SPDX-License-Identifier: MIT
"""Tests of the peers against slow references: python3 -m unittest test_peers in this folder, with the peers' packages.

GRAPHPATCHER_REFERENCE names a folder with arrays of the released implementation; without it those tests are skipped.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

os.environ.setdefault("DGLBACKEND", "pytorch")
sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import numpy as np
import torch
from scipy.sparse import csr_matrix

import exchange
import graphpatcher_dgl as gp
import patcher
import spmm
from slow_reference import write_patcher_exchange
from timing import Protocol, measure

REFERENCE = Path(os.environ.get("GRAPHPATCHER_REFERENCE", "no such folder"))
torch.set_num_threads(1)


def spmm_case(width=7, nodes=40, seed=1):
    """Integers: sums are exact, so every order gives the same."""
    random = np.random.default_rng(seed)
    dense = random.random((nodes, nodes)) < 0.1
    dense[3] = False  # a row without sources
    dense[4] = True
    matrix = csr_matrix(dense)
    x = random.integers(-9, 10, (nodes, width)).astype(np.float32)
    return exchange.SpmmCase("spmm/random/w7", matrix.indptr, matrix.indices, x, (dense @ x).astype(np.float32))


def write_spmm_exchange(folder, case):
    folder.mkdir(parents=True)
    for name in ("indptr", "indices", "x", "y"):
        np.save(folder / f"{name}.npy", getattr(case, name))


class TimingTest(unittest.TestCase):
    def test_runs_as_often_as_asked(self):
        calls = []
        result = measure(lambda: calls.append("run"), Protocol(seconds=0, runs=5), lambda: calls.append("warm"))
        self.assertEqual(calls, ["warm"] + ["run"] * 5)
        self.assertEqual(result["runs"], 5)
        self.assertLessEqual(result["min"], result["seconds"])

    def test_limit_ends_long_runs(self):
        self.assertEqual(measure(lambda: sum(range(100)), Protocol(seconds=9, runs=5, limit=1e-9))["runs"], 1)


class SpmmTest(unittest.TestCase):
    def test_every_peer_is_exact_on_integers(self):
        case = spmm_case()
        for name, (_, peer) in spmm.PEERS.items():
            with self.subTest(name):
                np.testing.assert_array_equal(peer(case)().numpy(), case.y)

    def test_a_wrong_result_is_an_error(self):
        case = spmm_case()
        wrong = torch.as_tensor(case.y + 2 * spmm.tolerance(case))
        with self.assertRaisesRegex(ValueError, "difference"):
            spmm.check(wrong, case)
        with self.assertRaisesRegex(ValueError, "difference of nan"):
            spmm.check(torch.full(case.y.shape, float("nan")), case)


class SlowReferenceCaseTest(unittest.TestCase):
    """The peer on random graphs with a clique, a hub and an isolated node."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def setup(self, seed):
        folder = Path(self.folder.name) / f"patcher/random{seed}/h16"
        write_patcher_exchange(folder, seed)
        return patcher.Setup(exchange.load_patcher_case(folder))

    def test_loss_and_logits(self):
        for seed in range(4):
            with self.subTest(seed=seed):
                setup = self.setup(seed)
                patcher.check_loss(setup)
                patcher.check_patching(setup)

    def test_a_wrong_loss_is_an_error(self):
        setup = self.setup(5)
        setup.case.loss *= 1.01
        with self.assertRaisesRegex(ValueError, "difference"):
            patcher.check_loss(setup)

    def test_wrong_logits_are_an_error(self):
        setup = self.setup(6)
        setup.case.patched_logits[5][0, 0] += 0.01
        with self.assertRaisesRegex(ValueError, "difference"):
            patcher.check_patching(setup)

    def test_other_masks_give_another_loss(self):
        setup = self.setup(7)
        setup.case.start = 1 - setup.case.start
        with self.assertRaisesRegex(ValueError, "difference"):
            patcher.check_loss(setup)

    def test_training_lowers_the_loss(self):
        setup = self.setup(8)
        setup.dropout = 0.0
        batch = gp.training_batch(setup.graph, setup.case.anchors, setup.masks())
        generator = setup.generator().train()
        optimizer = torch.optim.AdamW(generator.parameters(), lr=1e-3)
        losses = [gp.training_step(setup.backbone, generator, optimizer, batch) for _ in range(20)]
        self.assertLess(losses[-1], losses[0])

    def test_isolated_nodes_can_be_patched(self):
        setup = self.setup(9)
        last = setup.graph.num_nodes() - 1
        self.assertEqual(len(setup.case.indices[setup.case.indptr[last]:]), 0)
        logits = gp.patched_logits(setup.graph, setup.backbone, setup.generator().eval(), [last], 2)
        self.assertEqual(logits.shape, (3, 1, 3))
        self.assertFalse(torch.equal(logits[0], logits[1]))


class EgoGraphTest(unittest.TestCase):
    """The path 0 - 1 - 2 - 3 with the triangle 1 2 4."""

    def setUp(self):
        near = [[1], [0, 2, 4], [1, 3, 4], [2], [1, 2]]
        indptr = np.cumsum([0] + [len(row) for row in near])
        features = np.arange(5, dtype=np.float32)[:, None]  # a node's feature is its name
        self.graph = gp.whole_graph(indptr, np.concatenate(near), features)

    def names(self, ego):
        return ego.ndata["feat"].reshape(-1).tolist()

    def test_two_hops(self):
        ego, anchor = gp.ego_graph(self.graph, 0)
        self.assertEqual(self.names(ego), [0, 1, 2, 4])
        self.assertEqual(anchor, 0)
        self.assertEqual(ego.num_edges(), 4 + 2 * 4)  # loops; 0-1 1-2 1-4 2-4

    def test_dropped_neighbours_take_what_they_led_to_along(self):
        ego, anchor = gp.ego_graph(self.graph, 1)
        around = gp.neighbors(ego, anchor)
        self.assertEqual(around.tolist(), [0, 2, 4])
        rest, anchor = gp.corrupted(ego, anchor, around, torch.tensor([False, False, True]))
        self.assertEqual(self.names(rest), [1, 4])
        self.assertEqual(anchor, 0)

    def test_nothing_left_but_the_anchor(self):
        ego, anchor = gp.ego_graph(self.graph, 2)
        rest, anchor = gp.corrupted(ego, anchor, gp.neighbors(ego, anchor), torch.zeros(3, dtype=torch.bool))
        self.assertEqual((self.names(rest), anchor, rest.num_edges()), ([2], 0, 1))


@unittest.skipUnless(REFERENCE.is_dir(), "GRAPHPATCHER_REFERENCE names no folder")
class ReleasedImplementationTest(unittest.TestCase):
    """Cora, 64 anchors, a patcher with 64 hidden units, in single precision."""

    @classmethod
    def setUpClass(cls):
        graph, backbone, weights, batch, cls.steps = (
            np.load(REFERENCE / f"{name}.npz") for name in ("graph", "backbone", "gen64", "anchors", "steps_gen64_f64"))
        generator = {f"encoder.{i}.{kind}": weights[f"{letter}{i + 1}"]
                     for i in (0, 1) for kind, letter in (("weight", "G"), ("bias", "g"))}
        generator |= {f"decoder.layers.{i}.weight": weights[f"M{i + 1}"].T for i in (0, 1, 2)}
        generator |= {f"decoder.layers.{i}.bias": weights[f"m{i + 1}"] for i in (0, 1)}
        features = csr_matrix((graph["feat_data"], graph["feat_indices"], graph["feat_indptr"]),
                              tuple(graph["feat_shape"])).toarray()
        targets = np.load(REFERENCE / "targets_f64.npz")
        logits = {0: targets["anchor_logits_full"]} | {k + 1: cls.steps["infer_logits"][k] for k in range(5)}
        case = exchange.PatcherCase(
            data="cora", hidden=64, indptr=graph["indptr"], indices=graph["indices"], features=features,
            backbone={f"layers.{i}.{kind}": backbone[f"{letter}{i + 1}"]
                      for i in (0, 1) for kind, letter in (("weight", "W"), ("bias", "b"))},
            generator=generator, anchors=batch["anchors"], test_nodes=np.flatnonzero(graph["test_mask"]),
            start=batch["keep_start"], targets=[batch["keep_t1"], batch["keep_t2"]],
            loss=float(cls.steps["loss_total_sumL"]), patched_logits=logits)
        cls.setup = patcher.Setup(case)

    def test_loss_and_logits(self):
        patcher.check_loss(self.setup)
        patcher.check_patching(self.setup)

    def test_gradients(self):
        generator = self.setup.generator().eval()
        batch = gp.training_batch(self.setup.graph, self.setup.case.anchors, self.setup.masks())
        gp.training_loss(self.setup.backbone, generator, batch).backward()
        ours = {"G1": generator.encoder[0].weight, "g2": generator.encoder[1].bias,
                "M1": generator.decoder.layers[0].weight, "M3": generator.decoder.layers[2].weight}
        for name, parameter in ours.items():
            expected = self.steps[f"grad_sumL_{name}"]
            worst = np.abs(parameter.grad.numpy() - expected).max() / np.abs(expected).max()
            self.assertLess(worst, 1500 * 2.0 ** -24, name)  # 1497 = hidden + features, the longest inner product


class CommandTest(unittest.TestCase):
    """run.py on an exchange folder with a product and a patcher."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        write_spmm_exchange(self.root / "spmm/random/w7", spmm_case())
        write_patcher_exchange(self.root / "patcher/random/h16")

    def results(self, *options, **environment):
        subprocess.run([sys.executable, HERE / "run.py", "--exchange", self.root, "--threads", "1", "--quick",
                        "--json", self.root / "out.json", *options], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, **environment})
        return json.loads((self.root / "out.json").read_text())

    def without(self, package):
        """A folder in which a package is there but can't be imported."""
        (self.root / f"{package}.py").write_text("raise ImportError('taken away')")
        return str(self.root)

    def test_every_work(self):
        results = self.results()
        self.assertEqual([r for r in results if "skipped" in r], [])
        self.assertEqual({r["work"] for r in results}, {"spmm/random/w7", "train_iteration/random/h16",
                                                        "patching/random/h16", "ego_graphs/random"})
        for result in results:
            self.assertGreater(result["seconds"], 0)
            self.assertIn("torch 2.1.2", result["version"])

    def test_filter(self):
        self.assertEqual({r["work"] for r in self.results("--filter", "^spmm")}, {"spmm/random/w7"})

    def test_a_wrong_result_is_not_timed(self):
        np.save(self.root / "patcher/random/h16/loss.npy", np.float32(77))
        for result in self.results("--filter", "train_iteration"):
            self.assertRegex(result["skipped"], "expected the library's result")
            self.assertNotIn("seconds", result)

    def test_dgl_missing(self):
        results = self.results(PYTHONPATH=self.without("dgl"))
        skipped = [r for r in results if "skipped" in r]
        self.assertEqual(len(skipped), 1 + 3)  # gspmm, three workloads of the patcher
        for result in skipped:
            self.assertIn("taken away", result["skipped"])
        self.assertEqual(len(results) - len(skipped), 4)

    def test_torch_missing(self):
        (result,) = self.results(PYTHONPATH=self.without("torch"))
        self.assertIn("bench/peers/setup", result["skipped"])


if __name__ == "__main__":
    unittest.main()
