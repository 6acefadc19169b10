# SPDX-License-Identifier: MIT
"""The exchange folder: inputs and results of the library as .npy files, written by bench_export.

spmm/<graph>/w<width>/       indptr indices x y: y = A x, row i of A has ones at indices[indptr[i]:indptr[i + 1]]
patcher/<data>/h<hidden>/    indptr indices               the graph, both directions, no self-loops
                             x_indptr x_indices x_values  features, or x if they are dense
                             backbone.<parameter> generator.<parameter>
                             anchors start target_<m>     a training batch and who survives corruption in it
                             loss patched_logits_<k>      what the library makes of it, dropout 0
                             test_nodes                   whom to patch when time is taken
"""
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Optional

import numpy as np
from scipy.sparse import csr_matrix


@dataclass
class SpmmCase:
    workload: str
    indptr: np.ndarray
    indices: np.ndarray
    x: np.ndarray
    y: np.ndarray


@dataclass
class PatcherCase:
    data: str  # name of the dataset
    hidden: int
    indptr: np.ndarray
    indices: np.ndarray
    features: np.ndarray  # nodes x features
    backbone: dict[str, np.ndarray]
    generator: dict[str, np.ndarray]
    anchors: np.ndarray
    test_nodes: np.ndarray
    start: Optional[np.ndarray] = None  # [neighbours]: 1 survives; neighbours of all anchors in a row, ascending
    targets: list[np.ndarray] = field(default_factory=list)  # [m]: samples x neighbours
    loss: Optional[float] = None
    patched_logits: dict[int, np.ndarray] = field(default_factory=dict)  # [patches]: anchors x classes

    @property
    def name(self) -> str:
        return f"{self.data}/h{self.hidden}"


def numbered(folder: Path, prefix: str) -> dict[int, np.ndarray]:
    """<prefix>_<number>.npy in ascending order of the number."""
    files = {int(file.stem.rsplit("_", 1)[1]): file for file in folder.glob(f"{prefix}_*.npy")}
    return {number: np.load(files[number]) for number in sorted(files)}


def named(folder: Path, prefix: str) -> dict[str, np.ndarray]:
    """<prefix>.<name>.npy by name."""
    return {file.stem.removeprefix(f"{prefix}."): np.load(file) for file in folder.glob(f"{prefix}.*.npy")}


def spmm_cases(root: Path) -> Iterator[SpmmCase]:
    """Graph by graph, width ascending; read when their turn comes."""
    for folder in sorted(root.glob("spmm/*/w*"), key=lambda path: (path.parent.name, int(path.name[1:]))):
        arrays = {name: np.load(folder / f"{name}.npy") for name in ("indptr", "indices", "x", "y")}
        yield SpmmCase(folder.relative_to(root).as_posix(), **arrays)


def patcher_cases(root: Path) -> Iterator[PatcherCase]:
    for folder in sorted(root.glob("patcher/*/h*"), key=lambda path: (path.parent.name, int(path.name[1:]))):
        yield load_patcher_case(folder)


def load_patcher_case(folder: Path) -> PatcherCase:
    def array(name: str) -> np.ndarray:
        return np.load(folder / f"{name}.npy")

    def array_if_there(name: str) -> Optional[np.ndarray]:
        return array(name) if (folder / f"{name}.npy").exists() else None

    indptr, backbone = array("indptr"), named(folder, "backbone")
    shape = (len(indptr) - 1, backbone["layers.0.weight"].shape[0])
    features = array_if_there("x")
    if features is None:
        features = csr_matrix((array("x_values"), array("x_indices"), array("x_indptr")), shape=shape).toarray()
    start, loss = array_if_there("start"), array_if_there("loss")
    return PatcherCase(
        data=folder.parent.name, hidden=int(folder.name[1:]), indptr=indptr, indices=array("indices"),
        features=features, backbone=backbone, generator=named(folder, "generator"), anchors=array("anchors"),
        test_nodes=array("test_nodes"), start=start, targets=list(numbered(folder, "target").values()),
        loss=None if loss is None else float(loss.reshape(-1)[0]), patched_logits=numbered(folder, "patched_logits"))
