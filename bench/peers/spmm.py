# SPDX-License-Identifier: MIT
"""y = A x, unweighted, by what PyTorch, PyG and DGL offer for it.

A peer is a function that prepares the graph once and returns what is timed: a call without arguments that gives y.
"""
import warnings
from typing import Callable, Iterator

import numpy as np
import torch
from scipy.sparse import csr_matrix

from exchange import SpmmCase
from timing import Protocol, measure, within

Product = Callable[[], torch.Tensor]


def edges(case: SpmmCase) -> tuple[torch.Tensor, torch.Tensor]:
    """Source and target of every edge."""
    targets = np.repeat(np.arange(len(case.indptr) - 1), np.diff(case.indptr))
    return torch.as_tensor(case.indices).long(), torch.as_tensor(targets).long()


def csr_tensor(case: SpmmCase) -> torch.Tensor:
    """32-bit ids, which spares oneMKL a conversion in every call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "Sparse CSR tensor support is in beta state"
        return torch.sparse_csr_tensor(torch.as_tensor(case.indptr).int(), torch.as_tensor(case.indices).int(),
                                       torch.ones(len(case.indices)), size=(len(case.indptr) - 1, len(case.x)))


def torch_csr(case: SpmmCase) -> Product:
    matrix, x = csr_tensor(case), torch.as_tensor(case.x)
    return lambda: matrix @ x


def torch_scatter(case: SpmmCase) -> Product:
    """A row of messages an edge, then added up: what scatter libraries do."""
    (sources, targets), x = edges(case), torch.as_tensor(case.x)
    rows = len(case.indptr) - 1
    return lambda: x.new_zeros(rows, x.shape[1]).index_add_(0, targets, x.index_select(0, sources))


def pyg_message_passing(case: SpmmCase) -> Product:
    from torch_geometric.nn import SimpleConv
    layer, edge_index, x = SimpleConv(aggr="sum"), torch.stack(edges(case)), torch.as_tensor(case.x)
    size = (len(case.x), len(case.indptr) - 1)
    return lambda: layer((x, None), edge_index, size=size) if size[0] != size[1] else layer(x, edge_index)


def pyg_spmm(case: SpmmCase) -> Product:
    from torch_geometric.utils import spmm
    matrix, x = csr_tensor(case), torch.as_tensor(case.x)
    return lambda: spmm(matrix, x, reduce="sum")


def dgl_gspmm(case: SpmmCase) -> Product:
    import dgl
    indptr, indices = torch.as_tensor(case.indptr).int(), torch.as_tensor(case.indices).int()
    graph = dgl.graph(("csc", (indptr, indices, torch.empty(0, dtype=torch.int32))), num_nodes=len(case.indptr) - 1)
    x = torch.as_tensor(case.x)
    return lambda: dgl.ops.copy_u_sum(graph, x)


PEERS: dict[str, tuple[str, Callable[[SpmmCase], Product]]] = {  # name: (package, peer)
    "PyTorch CSR": ("torch", torch_csr),
    "PyTorch scatter": ("torch", torch_scatter),
    "PyG message passing": ("torch_geometric", pyg_message_passing),
    "PyG spmm": ("torch_geometric", pyg_spmm),
    "DGL gspmm": ("dgl", dgl_gspmm),
}


def tolerance(case: SpmmCase) -> float:
    """Two sums of n numbers in any order differ by at most 2 n u sum |x|, u = 2^-24."""
    ones = csr_matrix((np.ones(len(case.indices)), case.indices, case.indptr), shape=(len(case.y), len(case.x)))
    bound = 2.0 ** -23 * np.diff(case.indptr)[:, None] * (ones @ np.abs(case.x).astype(np.float64))
    return float(bound.max(initial=0.0))


def check(y: torch.Tensor, case: SpmmCase) -> float:
    """The largest difference from the library's result; an error if rounding can't explain it."""
    difference = float(np.abs(y.detach().numpy().astype(np.float64) - case.y).max(initial=0.0))
    return within(difference, tolerance(case))


def jobs(case: SpmmCase, protocol: Protocol) -> Iterator[tuple[str, str, str, Callable[[], dict]]]:
    """(workload, name of the peer, its package, what checks and times it)."""
    def job(peer):
        product = peer(case)
        return {"max_difference": check(product(), case), **measure(product, protocol)}

    for name, (package, peer) in PEERS.items():
        yield case.workload, name, package, lambda peer=peer: job(peer)
