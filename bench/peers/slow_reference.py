# SPDX-License-Identifier: MIT
"""GraphPatcher in NumPy, one ego-graph at a time, in double precision: slow and obvious. Tests compare with it."""
from pathlib import Path

import numpy as np

SAMPLES = 10
TARGETS = 2
EPSILON = 1e-12


def relu(x):
    return np.maximum(x, 0)


def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


class Reference:
    """`neighbors`: a set of nodes for each node. Weights by the library's names, [in, out]."""

    def __init__(self, neighbors, x, backbone, generator):
        self.neighbors, self.x = neighbors, x.astype(np.float64)
        self.backbone = {name: values.astype(np.float64) for name, values in backbone.items()}
        self.weights = {name: values.astype(np.float64) for name, values in generator.items()}

    def ego(self, anchor, dropped=()):
        """Nodes within two hops when some are gone, anchor first, and the matrix that takes means over them."""
        near = {v: self.neighbors[v] - set(dropped) for v in range(len(self.neighbors))}
        reach = near[anchor].union(*(near[v] for v in near[anchor])) - {anchor}
        nodes = [anchor, *sorted(reach)]
        a = np.array([[float(u == v or u in near[v]) for u in nodes] for v in nodes])
        return nodes, a

    def with_patches(self, nodes, a, patches):
        """Patches are the last nodes: one edge to the anchor each, nothing comes in. Then means: rows add up to 1."""
        n, k = len(a), len(patches)
        sums = np.zeros((n + k, n + k))
        sums[:n, :n] = a
        sums[0, n:] = 1
        means = sums / np.maximum(sums.sum(axis=1, keepdims=True), 1)
        return means, np.vstack([self.x[nodes], *patches])

    def logits(self, nodes, a, patches=()):
        means, x = self.with_patches(nodes, a, patches)
        w = self.backbone
        hidden = relu(means @ x @ w["layers.0.weight"] + w["layers.0.bias"])
        return (means @ hidden @ w["layers.1.weight"] + w["layers.1.bias"])[0]

    def patch(self, nodes, a, patches):
        means, x = self.with_patches(nodes, a, patches)
        w = self.weights
        hidden = relu(means @ x @ w["encoder.0.weight"] + w["encoder.0.bias"])
        hidden = relu(means @ hidden @ w["encoder.1.weight"] + w["encoder.1.bias"])[0]
        y = np.concatenate([hidden, x[0]])
        for layer in (0, 1):
            y = relu(y @ w[f"decoder.layers.{layer}.weight"] + w[f"decoder.layers.{layer}.bias"].reshape(-1))
        return y @ w["decoder.layers.2.weight"]

    def loss(self, anchors, start, targets):
        """start[b], targets[m][sample][b]: the dropped nodes."""
        total = 0.0
        for b, anchor in enumerate(anchors):
            ego, patches = self.ego(anchor, start[b]), []
            for step in range(len(targets) + 1):
                patches.append(self.patch(*ego, patches))
                p = softmax(self.logits(*ego, patches))
                aims = [sample[b] for sample in targets[step]] if step < len(targets) else [()]
                for dropped in aims:
                    y = softmax(self.logits(*self.ego(anchor, dropped)))
                    total += np.sum((y + EPSILON) * (np.log(y + EPSILON) - np.log(p + EPSILON)))
        return total / len(anchors)

    def patched_logits(self, anchor, count):
        ego, patches = self.ego(anchor), []
        rows = [self.logits(*ego)]
        for _ in range(count):
            patches.append(self.patch(*ego, patches))
            rows.append(self.logits(*ego, patches))
        return np.array(rows)


def random_neighbors(random, nodes, edges):
    """An undirected graph with a clique, a hub, and a last node that nobody knows."""
    pairs = [tuple(random.choice(nodes - 1, 2, replace=False)) for _ in range(edges)]
    pairs += [(u, v) for u in range(5) for v in range(u)] + [(5, v) for v in range(6, nodes // 2)]
    neighbors = [set() for _ in range(nodes)]
    for u, v in pairs:
        neighbors[u].add(int(v))
        neighbors[v].add(int(u))
    return neighbors


def write_patcher_exchange(folder: Path, seed=0, nodes=30, features=12, hidden=16, classes=3):
    """A small exchange folder with random weights and masks; loss and logits are the reference's."""
    random = np.random.default_rng(seed)
    neighbors = random_neighbors(random, nodes, 25)
    x = (random.random((nodes, features)) * (random.random((nodes, features)) < 0.3)).astype(np.float32)

    def weights(**shapes):
        return {name.replace("_", "."): random.normal(0, 0.6, shape).astype(np.float32)
                for name, shape in shapes.items()}

    backbone = weights(layers_0_weight=(features, 8), layers_0_bias=(1, 8),
                       layers_1_weight=(8, classes), layers_1_bias=(1, classes))
    generator = weights(encoder_0_weight=(features, hidden), encoder_0_bias=(1, hidden),
                        encoder_1_weight=(hidden, hidden), encoder_1_bias=(1, hidden),
                        decoder_layers_0_weight=(hidden + features, hidden), decoder_layers_0_bias=(1, hidden),
                        decoder_layers_1_weight=(hidden, hidden), decoder_layers_1_bias=(1, hidden),
                        decoder_layers_2_weight=(hidden, features))
    anchors = np.array([0, 3, 5, 17, 9], np.int32)
    around = [sorted(neighbors[v]) for v in anchors]
    degrees = sum(len(near) for near in around)
    start = (random.random(degrees) >= 0.9).astype(np.uint8)
    targets = [(random.random((SAMPLES, degrees)) >= t).astype(np.uint8) for t in (0.6, 0.3)]

    def dropped(mask):
        """The dropped nodes of each anchor, of a mask over the neighbours of all."""
        keep = iter(mask)
        return [[u for u in near if not next(keep)] for near in around]

    reference = Reference(neighbors, x, backbone, generator)
    loss = reference.loss(anchors, dropped(start), [[dropped(sample) for sample in target] for target in targets])
    logits = np.array([reference.patched_logits(v, 5) for v in anchors])
    arrays = {"indptr": np.cumsum([0] + [len(near) for near in neighbors]).astype(np.int32),
              "indices": np.concatenate([sorted(near) for near in neighbors]).astype(np.int32),
              "x_indptr": np.cumsum([0, *(x != 0).sum(axis=1)]).astype(np.int32),
              "x_indices": np.nonzero(x)[1].astype(np.int32), "x_values": x[x != 0],
              "anchors": anchors, "start": start, "loss": np.float64(loss),
              "test_nodes": np.arange(nodes, dtype=np.int32)}
    arrays |= {f"backbone.{name}": values for name, values in backbone.items()}
    arrays |= {f"generator.{name}": values for name, values in generator.items()}
    arrays |= {f"target_{m + 1}": target for m, target in enumerate(targets)}
    arrays |= {f"patched_logits_{k}": logits[:, k].astype(np.float32) for k in range(6)}
    folder.mkdir(parents=True)
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values)
