#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Weights go from DGL and PyG modules to graphpatcher and back; patched graphs go to DGL and PyG.

    test_exchange.py PROGRAM PAGE     PROGRAM: tests/io/exchange.cpp, compiled; PAGE: docs/pytorch.md

The code that saves, loads and reads files is that of the page: every block marked "<!-- run by tests/exchange -->" is
run. Needs PyTorch, DGL, PyG and safetensors (tests/io/setup); without one of them it ends with 77, "skipped".
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
    import torch
    import dgl
    import safetensors
    import torch_geometric
    from dgl import nn as dglnn
    from torch import nn
    from torch.nn.functional import elu, relu
    from torch_geometric import nn as pygnn
    from torch_geometric.utils import add_self_loops
except Exception as problem:  # a broken installation raises more than ImportError
    print(f"skipped: {type(problem).__name__}: {problem}; tests/io/setup makes an environment that has it")
    sys.exit(77)

PROGRAM, PAGE = sys.argv[1:3]
NODES, FEATURES, HIDDEN, CLASSES, HEADS, OUTPUT_HEADS = 60, 10, 8, 3, 4, 2
TOLERANCE = 1e-10  # both compute in double, with sums in another order


def run_page():
    """The functions that docs/pytorch.md defines."""
    names = {}
    text = pathlib.Path(PAGE).read_text()
    blocks = re.findall(r"<!-- run by tests/exchange -->\n```python\n(.*?)```", text, re.DOTALL)
    for block in blocks:
        exec(compile(block, PAGE, "exec"), names)
    return names


class DGLNet(nn.Module):
    """Layers of DGL; `between` comes after the first."""

    def __init__(self, first, second, between):
        super().__init__()
        self.layers = nn.ModuleList([first, second])
        self.between = between

    def forward(self, graph, x):
        h = self.between(self.layers[0](graph, x).flatten(1))
        h = self.layers[1](graph, h)
        return h.mean(1) if h.dim() == 3 else h  # heads of the last layer are averaged


class PyGNet(nn.Module):
    """Layers of PyG under names that a user chose."""

    def __init__(self, first, second, between):
        super().__init__()
        self.conv1, self.conv2, self.between = first, second, between

    def forward(self, x, edge_index):
        return self.conv2(self.between(self.conv1(x, edge_index)), edge_index)


class Generator(nn.Module):
    """The network of the released patcher, with its names."""

    def __init__(self, hidden):
        super().__init__()
        self.generator = nn.Module()
        self.generator.layers = nn.ModuleList([
            dglnn.GraphConv(FEATURES, hidden, norm="right", activation=relu), dglnn.GraphConv(hidden, hidden, norm="right")])
        self.generator_MLP = nn.Sequential(
            nn.Linear(hidden + FEATURES, hidden), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(hidden, hidden), nn.ReLU(), nn.Dropout(0.2), nn.Linear(hidden, FEATURES, bias=False))

    def forward(self, graph, x):
        h = self.generator.layers[1](graph, self.generator.layers[0](graph, x))
        return self.generator_MLP(torch.cat([relu(h), x], 1))


def dgl_models():
    conv = dglnn.GraphConv
    for norm in "right", "both":
        yield ({"model": "gcn", "norm": norm},
               DGLNet(conv(FEATURES, HIDDEN, norm=norm, allow_zero_in_degree=True),
                      conv(HIDDEN, CLASSES, norm=norm, allow_zero_in_degree=True), relu))
    for aggregator in "mean", "pool":
        yield ({"model": "sage", "aggregator": aggregator},
               DGLNet(dglnn.SAGEConv(FEATURES, HIDDEN, aggregator), dglnn.SAGEConv(HIDDEN, CLASSES, aggregator), relu))
    yield ({"model": "gat", "heads": HEADS, "output_heads": OUTPUT_HEADS},
           DGLNet(dglnn.GATConv(FEATURES, HIDDEN, HEADS, allow_zero_in_degree=True),
                  dglnn.GATConv(HEADS * HIDDEN, CLASSES, OUTPUT_HEADS, allow_zero_in_degree=True), elu))


def pyg_models(loops=True):
    """`loops`: whether layers add self-loops, of those that can."""
    yield ({"model": "gcn", "norm": "both"},
           PyGNet(pygnn.GCNConv(FEATURES, HIDDEN), pygnn.GCNConv(HIDDEN, CLASSES), relu))
    yield ({"model": "sage", "aggregator": "mean"},
           PyGNet(pygnn.SAGEConv(FEATURES, HIDDEN), pygnn.SAGEConv(HIDDEN, CLASSES), relu))
    yield ({"model": "sage", "aggregator": "pool"},
           PyGNet(pygnn.SAGEConv(FEATURES, HIDDEN, aggr="max", project=True),
                  pygnn.SAGEConv(HIDDEN, CLASSES, aggr="max", project=True), relu))
    yield ({"model": "gat", "heads": HEADS, "output_heads": OUTPUT_HEADS},
           PyGNet(pygnn.GATConv(FEATURES, HIDDEN, heads=HEADS, add_self_loops=loops),
                  pygnn.GATConv(HEADS * HIDDEN, CLASSES, heads=OUTPUT_HEADS, concat=False, add_self_loops=loops), elu))


def scramble(model):
    """Random weights in double, biases and all."""
    for parameter in model.parameters():
        nn.init.uniform_(parameter, -1, 1)
    return model.double().eval()


class Exchange(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = run_page()
        torch.manual_seed(1)
        pairs = torch.randint(NODES, (2, 100))
        pairs = pairs[:, pairs[0] != pairs[1]]
        self.edge_index = torch.unique(torch.cat([pairs, pairs.flip(0)], 1), dim=1)  # both ways, each once
        self.x = torch.rand(NODES, FEATURES, dtype=torch.double)
        self.looped = add_self_loops(self.edge_index, num_nodes=NODES)[0]
        np.savez(self.folder / "graph.npz", x=self.x.numpy(), edge_index=np.ascontiguousarray(self.edge_index))

    def run_program(self, job):
        """Hands a job to the C++ program."""
        file = self.folder / "job.json"
        file.write_text(json.dumps({"graph": str(self.folder / "graph.npz"), "classes": CLASSES, "hidden": HIDDEN,
                                    "logits": str(self.folder / "logits.npz"), **job}))
        done = subprocess.run([PROGRAM, str(file)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def assert_close(self, ours, theirs):
        theirs = theirs.detach().numpy()
        self.assertEqual(ours.shape, theirs.shape)
        self.assertLess(np.abs(ours - theirs).max(), TOLERANCE * np.abs(theirs).max())

    def there_and_back(self, model, job, expected, names):
        """Weights to C++, which gives these logits, and back into the module."""
        before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        for suffix in ".safetensors", ".npz":
            weights, export = str(self.folder / f"in{suffix}"), str(self.folder / f"out{suffix}")
            self.page["save_weights"](model, weights)
            self.run_program({**job, **names, "weights": weights, "export": export})
            self.assert_close(np.load(self.folder / "logits.npz")["logits"], expected)
            self.page["load_weights"](scramble(model), export)  # strict: these tensors and no others
            for name, tensor in model.state_dict().items():
                self.assertTrue(torch.equal(tensor, before[name]), name)

    def test_the_page_has_the_code(self):
        for name in "save_weights", "load_weights", "read_patched_npz", "read_patched_csv", "dgl_graph", "pyg_edges":
            self.assertIn(name, self.page)

    def test_dgl_modules(self):
        graph = dgl.graph((self.looped[0], self.looped[1]), num_nodes=NODES)
        for job, model in dgl_models():
            with self.subTest(**job):
                scramble(model)
                self.there_and_back(model, job, model(graph, self.x), {"names": "dgl"})

    def test_pyg_modules(self):
        for job, model in pyg_models():
            with self.subTest(**job):
                scramble(model)
                edges = self.looped if job["model"] == "sage" else self.edge_index  # SAGEConv adds no self-loops
                self.there_and_back(model, job, model(self.x, edges), {"names": "pyg", "layers": ["conv1", "conv2"]})

    def patch(self, job, model, names, edge="to_anchor"):
        """Patches anchors that don't see each other's patches, by a released patcher. Returns that and the anchors."""
        patcher = scramble(Generator(hidden=6))
        near = torch.zeros(NODES, NODES)
        near[self.looped[0], self.looped[1]] = 1
        near = near @ near if edge == "undirected" else near  # it changes how an anchor is normalised as a neighbour
        anchors = []
        for node in range(NODES):
            if not near[node, anchors].any():
                anchors.append(node)
        self.page["save_weights"](model, str(self.folder / "in.safetensors"))
        self.page["save_weights"](patcher, str(self.folder / "patcher.safetensors"))
        files = {"weights": "patcher.safetensors", "export": "patcher_out.safetensors", "npz": "patched.npz",
                 "csv": "patched", "logits": "patched_logits.npz"}
        self.run_program({**job, **names, "weights": str(self.folder / "in.safetensors"),
                          "export": str(self.folder / "export.safetensors"),
                          "patcher": {"hidden": 6, "patches": 2, "edge": edge, "anchors": anchors,
                                      **{key: str(self.folder / name) for key, name in files.items()}}})
        return patcher, anchors

    def patched_graphs(self):
        """The patched graph as the page's code reads it, from both kinds of files."""
        yield self.page["read_patched_npz"](str(self.folder / "patched.npz"))
        yield self.page["read_patched_csv"](str(self.folder / "patched"), FEATURES)

    def check_patched_logits(self, anchors, logits):
        ours = np.load(self.folder / "patched_logits.npz")
        self.assert_close(ours["after"], logits[anchors])
        self.assertGreater(np.abs(ours["after"] - ours["before"]).max(), 1e-2)  # patches do something

    def test_released_patcher(self):
        job, model = next(dgl_models())
        patcher, anchors = self.patch(job, scramble(model), {"names": "dgl"})
        graph = dgl.graph((self.looped[0], self.looped[1]), num_nodes=NODES)
        ours = np.load(self.folder / "patched_logits.npz")
        self.assert_close(ours["first_patch"], patcher(graph, self.x)[anchors])
        before = {name: tensor.clone() for name, tensor in patcher.state_dict().items()}
        self.page["load_weights"](scramble(patcher), str(self.folder / "patcher_out.safetensors"))
        for name, tensor in patcher.state_dict().items():
            self.assertTrue(torch.equal(tensor, before[name]), name)

    def test_patched_graphs_in_dgl(self):
        for edge in "to_anchor", "to_anchor_loop", "undirected":
            for job, model in dgl_models():
                with self.subTest(edge=edge, **job):
                    scramble(model)
                    _, anchors = self.patch(job, model, {"names": "dgl"}, edge)
                    for data in self.patched_graphs():
                        graph = self.page["dgl_graph"](data)
                        self.check_patched_logits(anchors, model(graph, graph.ndata["feat"]))

    def test_patched_graphs_in_pyg(self):
        for edge in "to_anchor", "undirected":
            for job, model in pyg_models(loops=False):
                with self.subTest(edge=edge, **job):
                    scramble(model)
                    _, anchors = self.patch(job, model, {"names": "pyg", "layers": ["conv1", "conv2"]}, edge)
                    for data in self.patched_graphs():
                        x, edge_index, edge_weight = self.page["pyg_edges"](data)
                        if job["model"] == "gcn":  # normalised by the weights that the page computes
                            for conv in model.conv1, model.conv2:
                                conv.normalize = False
                            h = relu(model.conv1(x, edge_index, edge_weight))
                            logits = model.conv2(h, edge_index, edge_weight)
                        else:
                            logits = model(x, edge_index)
                        self.check_patched_logits(anchors, logits)


if __name__ == "__main__":
    print(f"torch {torch.__version__}, dgl {dgl.__version__}, torch_geometric {torch_geometric.__version__}, "
          f"safetensors {safetensors.__version__}")
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
