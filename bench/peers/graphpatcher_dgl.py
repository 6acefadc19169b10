# SPDX-License-Identifier: MIT
"""GraphPatcher with PyTorch and DGL, as one would write it with their documentation at hand.

Ego-graphs are DGL subgraphs that carry copies of their nodes' features, many of them are joined by dgl.batch, and
autograd does the rest. Graphs have self-loops; a patch is a node with one edge to its anchor. GCN layers take means.
"""
from contextlib import ContextDecorator

import dgl
import numpy as np
import torch
from dgl.nn import GraphConv
from torch import nn

HOPS = 2
STRENGTHS = (0.9, 0.6, 0.3)
SAMPLES = 10
EPSILON = 1e-12


class Backbone(nn.Module):
    """Two graph convolutions."""

    def __init__(self, features: int, hidden: int, classes: int):
        super().__init__()
        self.layers = nn.ModuleList([convolution(features, hidden), convolution(hidden, classes)])

    def forward(self, graph, x):
        return self.layers[1](graph, torch.relu(self.layers[0](graph, x)))


class Decoder(nn.Module):
    """Three linear layers, ReLU and dropout between them."""

    def __init__(self, inputs: int, hidden: int, outputs: int, dropout: float):
        super().__init__()
        self.layers = nn.ModuleList(
            [nn.Linear(inputs, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, outputs, bias=False)])
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = self.dropout(torch.relu(layer(x)))
        return self.layers[-1](x)


class Generator(nn.Module):
    """Makes the features of a patch from what surrounds its anchor."""

    def __init__(self, features: int, hidden: int, dropout: float = 0.2):
        super().__init__()
        self.encoder = nn.ModuleList([convolution(features, hidden), convolution(hidden, hidden)])
        self.decoder = Decoder(hidden + features, hidden, features, dropout)

    def forward(self, graph, x, anchors):
        hidden = torch.relu(self.encoder[0](graph, x))
        hidden = torch.relu(self.encoder[1](graph, hidden))
        return self.decoder(torch.cat([hidden[anchors], x[anchors]], dim=1))


def convolution(inputs: int, outputs: int) -> GraphConv:
    return GraphConv(inputs, outputs, norm="right", allow_zero_in_degree=True)  # patches have no incoming edge


class OneThread(ContextDecorator):
    """Ego-graphs are too small to share: a second thread only waits (loader processes have one thread, too)."""

    def __enter__(self):
        self.threads = torch.get_num_threads()
        torch.set_num_threads(1)

    def __exit__(self, *error):
        torch.set_num_threads(self.threads)


def whole_graph(indptr: np.ndarray, indices: np.ndarray, features: np.ndarray):
    """The graph with self-loops and dense features."""
    sources = torch.as_tensor(indices, dtype=torch.int64)
    targets = torch.repeat_interleave(torch.arange(len(indptr) - 1), torch.as_tensor(np.diff(indptr)).long())
    graph = dgl.add_self_loop(dgl.graph((sources, targets), num_nodes=len(indptr) - 1))
    graph.ndata["feat"] = torch.as_tensor(features)
    graph.create_formats_()
    return graph


def ego_graph(graph, node: int):
    """The nodes within two hops, and where the node itself is among them."""
    ego, position = dgl.khop_in_subgraph(graph, node, k=HOPS)
    return ego, int(position)


def neighbors(ego, anchor: int) -> torch.Tensor:
    """Ascending; without the anchor itself."""
    sources = ego.predecessors(anchor)
    return torch.sort(sources[sources != anchor]).values


def corrupted(ego, anchor: int, around: torch.Tensor, keep: torch.Tensor):
    """The ego-graph without the neighbours that are not kept, and what is out of reach then."""
    if bool(keep.all()):
        return ego, anchor
    dropped = around[~keep]
    rest = dgl.remove_nodes(ego, dropped)
    return ego_graph(rest, anchor - int((dropped < anchor).sum()))


@OneThread()
def join(egos):
    """A batch of (ego-graph, anchor): one graph, its features, the anchors in it."""
    graph = dgl.batch([ego for ego, _ in egos])
    sizes = graph.batch_num_nodes()
    anchors = torch.cumsum(sizes, 0) - sizes + torch.tensor([anchor for _, anchor in egos])
    return bare(graph), graph.ndata["feat"], anchors


def bare(graph):
    """The edges alone."""
    return dgl.graph(graph.edges(), num_nodes=graph.num_nodes())


def add_patch(graph, x, anchors, patch):
    """One more node an anchor, with an edge to it."""
    nodes = torch.arange(len(anchors)) + graph.num_nodes()
    return dgl.add_edges(graph, nodes, anchors), torch.cat([x, patch])


def random_masks(degree: int):
    """Who survives: where patching starts, and the samples of each later strength."""
    start = torch.rand(degree) >= STRENGTHS[0]
    return start, [torch.rand(SAMPLES, degree) >= strength for strength in STRENGTHS[1:]]


@OneThread()
def whole_egos(graph, nodes):
    return [ego_graph(graph, int(node)) for node in nodes]


@OneThread()
def training_egos(graph, nodes, masks=None):
    """The ego-graphs of one iteration: whole, at the start, and [m]: all samples of step m, anchor by anchor.

    `masks`: (start, targets) of each node; drawn here if not given.
    """
    whole, start, targets = [], [], [[] for _ in STRENGTHS[1:]]
    for position, node in enumerate(nodes):
        ego, anchor = ego_graph(graph, int(node))
        around = neighbors(ego, anchor)
        keep_start, keep_targets = masks[position] if masks else random_masks(len(around))
        whole.append((ego, anchor))
        start.append(corrupted(ego, anchor, around, keep_start))
        for step, keep in enumerate(keep_targets):
            targets[step].extend(corrupted(ego, anchor, around, sample) for sample in keep)
    return whole, start, targets


def training_batch(graph, nodes, masks=None):
    """training_egos(), each list joined."""
    whole, start, targets = training_egos(graph, nodes, masks)
    return join(whole), join(start), [join(egos) for egos in targets]


@torch.no_grad()
def probabilities(backbone, batch):
    graph, x, anchors = batch
    return torch.softmax(backbone(graph, x)[anchors], dim=1)


def divergence(target, logits):
    """KL(target, prediction) over samples and classes, averaged over anchors. target: anchors x samples x classes."""
    prediction = torch.softmax(logits, dim=1).unsqueeze(1)
    terms = (target + EPSILON) * (torch.log(target + EPSILON) - torch.log(prediction + EPSILON))
    return terms.sum() / len(logits)


def training_loss(backbone, generator, batch):
    """L_patch + L_recon of a batch made by training_batch(). Patches are constants for later steps."""
    whole, (graph, x, anchors), targets = batch
    loss = 0
    for aim in [*targets, whole]:
        patch = generator(graph, x, anchors)
        graph, patched = add_patch(graph, x, anchors, patch)
        target = probabilities(backbone, aim).reshape(len(anchors), -1, backbone.layers[1].weight.shape[1])
        loss = loss + divergence(target, backbone(graph, patched)[anchors])
        x = patched.detach()
    return loss


def optimizer_of(generator):
    return torch.optim.AdamW(generator.parameters(), lr=1e-4, weight_decay=5e-4)


def training_step(backbone, generator, optimizer, batch) -> float:
    optimizer.zero_grad()
    loss = training_loss(backbone, generator, batch)
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def patched_logits(graph, backbone, generator, nodes, patches: int, batch: int = 64):
    """[k]: logits of the nodes with k patches, k = 0 .. patches."""
    parts = []
    for begin in range(0, len(nodes), batch):
        ego, x, anchors = join(whole_egos(graph, nodes[begin:begin + batch]))
        logits = [backbone(ego, x)[anchors]]
        for _ in range(patches):
            ego, x = add_patch(ego, x, anchors, generator(ego, x, anchors))
            logits.append(backbone(ego, x)[anchors])
        parts.append(torch.stack(logits))
    return torch.cat(parts, dim=1)


def load_weights(module: nn.Module, arrays: dict[str, np.ndarray]) -> nn.Module:
    """Weights of the library: [in, out] everywhere, where nn.Linear has [out, in]."""
    linear = {f"{name}.weight" for name, part in module.named_modules() if isinstance(part, nn.Linear)}
    state = {name: torch.as_tensor(values.T.copy() if name in linear else values) for name, values in arrays.items()}
    state = {name: values.reshape(-1) if name.endswith("bias") else values for name, values in state.items()}
    module.load_state_dict(state)
    return module
