# SPDX-License-Identifier: MIT
"""Training fed by loader processes: the ego-graphs of the next iterations are built while the model trains."""
from torch.utils.data import DataLoader, IterableDataset

import graphpatcher_dgl as gp
from timing import Protocol, measure


class Batches(IterableDataset):
    """Training batches of the same anchors without end, each with masks of its own."""

    def __init__(self, graph, nodes):
        self.graph, self.nodes = graph, nodes

    def __iter__(self):
        while True:
            yield gp.training_batch(self.graph, self.nodes)


def time_training(setup, protocol: Protocol, processes: int) -> dict:
    """Seconds from one optimiser step to the next, after the queue has filled and drained once."""
    generator = setup.generator().train()
    optimizer = gp.optimizer_of(generator)
    loader = DataLoader(Batches(setup.graph, setup.case.anchors), batch_size=None, num_workers=processes)
    batches = iter(loader)

    def iteration():
        gp.training_step(setup.backbone, generator, optimizer, next(batches))

    def warm_up():  # the first batches were built while nothing else ran
        for _ in range(2 * processes):
            iteration()

    return {**measure(iteration, protocol, warm_up), "items": len(setup.case.anchors)}
