# SPDX-License-Identifier: MIT
"""GraphPatcher in PyTorch and DGL: compared with the library, then timed. Training, patching, ego-graphs."""
import math
from functools import cache, partial
from typing import Callable, Iterator

import numpy as np
import torch

import graphpatcher_dgl as gp
from exchange import PatcherCase
from loader_processes import time_training as time_training_from_loaders
from timing import Protocol, forget_peak_memory, measure, peak_memory_mb, within

NAME = "PyTorch + DGL"
PATCHES = 5
UNIT_ROUNDOFF = 2.0 ** -24


class Setup:
    """Everything of a case in PyTorch's and DGL's hands. Weights are loaded anew for each use."""

    def __init__(self, case: PatcherCase, dropout: float = 0.2):
        self.case = case
        self.graph = gp.whole_graph(case.indptr, case.indices, case.features)
        first, second = case.backbone["layers.0.weight"], case.backbone["layers.1.weight"]
        self.backbone = gp.load_weights(gp.Backbone(*first.shape, second.shape[1]), case.backbone)
        self.backbone.requires_grad_(False).eval()
        self.dropout = dropout

    def generator(self) -> gp.Generator:
        return gp.load_weights(gp.Generator(self.graph.ndata["feat"].shape[1], self.case.hidden, self.dropout),
                               self.case.generator)

    def masks(self) -> list:
        """The library's masks, anchor by anchor."""
        case = self.case
        ends = np.cumsum(np.diff(case.indptr)[case.anchors])[:-1]
        start = np.split(case.start.reshape(-1).astype(bool), ends)
        targets = [np.split(target.reshape(gp.SAMPLES, -1).astype(bool), ends, axis=1) for target in case.targets]
        return [(torch.as_tensor(start[a]), [torch.as_tensor(target[a]) for target in targets])
                for a in range(len(case.anchors))]


def logits_tolerance(case: PatcherCase) -> float:
    """The longest inner product in the model, times the unit roundoff, times the largest logit."""
    inputs = case.hidden + case.features.shape[1]
    return inputs * UNIT_ROUNDOFF * max(float(np.abs(logits).max()) for logits in case.patched_logits.values())


def loss_tolerance(case: PatcherCase) -> float:
    """What errors e of the logits make of the loss, n = 2 L + 1 targets y an anchor with predictions q.

    The gradient of KL(y, q) in the logits is q - y, in y it is as small, and |q - y|_1 <= sqrt(2 KL): together
    2 e sqrt(2 n loss). Each of the n sums over classes is rounded, too.
    """
    terms = sum(len(target) for target in case.targets) + 1
    return 2 * logits_tolerance(case) * math.sqrt(2 * terms * abs(case.loss)) + 16 * terms * UNIT_ROUNDOFF


def check_loss(setup: Setup) -> float:
    """The loss of the exported batch under the exported masks, dropout off."""
    batch = gp.training_batch(setup.graph, setup.case.anchors, setup.masks())
    with torch.no_grad():
        loss = gp.training_loss(setup.backbone, setup.generator().eval(), batch).item()
    return within(abs(loss - setup.case.loss), loss_tolerance(setup.case))


def check_patching(setup: Setup) -> float:
    """The logits of the exported anchors after each number of patches that was exported."""
    expected = setup.case.patched_logits
    logits = gp.patched_logits(setup.graph, setup.backbone, setup.generator().eval(), setup.case.anchors, max(expected))
    differences = [float(np.abs(logits[k].numpy() - values).max()) for k, values in expected.items()]
    return within(max(differences), logits_tolerance(setup.case))


def time_training(setup: Setup, protocol: Protocol) -> dict:
    """One iteration: ego-graphs, loss, gradients, AdamW."""
    generator = setup.generator().train()
    optimizer = gp.optimizer_of(generator)

    def iteration():
        gp.training_step(setup.backbone, generator, optimizer, gp.training_batch(setup.graph, setup.case.anchors))

    forget_peak_memory()
    return {**measure(iteration, protocol), "items": len(setup.case.anchors), "peak_mb": peak_memory_mb()}


def time_training_of_ready_batch(setup: Setup, protocol: Protocol) -> dict:
    """The model's share of an iteration."""
    generator = setup.generator().train()
    optimizer = gp.optimizer_of(generator)
    batch = gp.training_batch(setup.graph, setup.case.anchors)
    step = partial(gp.training_step, setup.backbone, generator, optimizer, batch)
    return {**measure(step, protocol), "items": len(setup.case.anchors), "part": "no ego-graphs are built"}


def time_patching(setup: Setup, protocol: Protocol) -> dict:
    generator, nodes = setup.generator().eval(), setup.case.test_nodes

    def patch(chosen):
        return gp.patched_logits(setup.graph, setup.backbone, generator, chosen, PATCHES)

    return {**measure(lambda: patch(nodes), protocol, warm_up=lambda: patch(nodes[:64])), "items": len(nodes)}


def time_ego_graphs(setup: Setup, protocol: Protocol, with_backbone: bool) -> dict:
    """The corrupted ego-graphs of one iteration, and the backbone's predictions on them if asked for."""
    def build():
        _, start, targets = gp.training_egos(setup.graph, setup.case.anchors)
        if with_backbone:
            for egos in [start, *targets]:
                gp.probabilities(setup.backbone, gp.join(egos))

    items = len(setup.case.anchors) * (1 + gp.SAMPLES * len(setup.case.targets))
    part = {} if with_backbone else {"part": "no backbone"}
    return {**measure(build, protocol), "items": items, **part}


def jobs(case: PatcherCase, protocol: Protocol, threads: int) -> Iterator[tuple[str, str, str, Callable[[], dict]]]:
    """(workload, name of the peer, its package, what checks and times it)."""
    setup = cache(lambda: Setup(case))  # made when the first job asks for it
    difference = cache(lambda check: check(setup()))

    def checked(check, timed, *arguments):
        return lambda: {"max_difference": difference(check), **timed(setup(), protocol, *arguments)}

    if case.loss is not None:
        workload = f"train_iteration/{case.name}"
        yield workload, NAME, "dgl", checked(check_loss, time_training)
        yield workload, f"{NAME}, {threads} loader processes", "dgl", checked(check_loss, time_training_from_loaders, threads)
        yield workload, f"{NAME}, ego-graphs ready", "dgl", checked(check_loss, time_training_of_ready_batch)
    if case.patched_logits:
        yield f"patching/{case.name}", NAME, "dgl", checked(check_patching, time_patching)
    if case.loss is not None:
        workload = f"ego_graphs/{case.data}"
        yield workload, "DGL, building alone", "dgl", checked(check_loss, time_ego_graphs, False)
        yield workload, NAME, "dgl", checked(check_loss, time_ego_graphs, True)
