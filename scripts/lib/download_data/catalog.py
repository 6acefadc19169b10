# SPDX-License-Identifier: MIT
"""The files of each dataset: where they come from and where load_dataset() looks for them.

The names are those of include/graphpatcher/io/dataset_catalog.hpp; a test compares them.
"""
from dataclasses import dataclass
from pathlib import Path

from . import DownloadError

PLANETOID = "https://raw.githubusercontent.com/kimiyoung/planetoid/master/data"
GNN_BENCHMARK = "https://raw.githubusercontent.com/shchur/gnn-benchmark/master/data/npz"
GEOM_GCN = "https://raw.githubusercontent.com/graphdml-uiuc-jlu/geom-gcn/master"
HETEROPHILOUS = "https://raw.githubusercontent.com/yandex-research/heterophilous-graphs/main/data"
WIKI_CS = "https://raw.githubusercontent.com/pmernyei/wiki-cs-dataset/master/dataset"
OGB = "https://snap.stanford.edu/ogb/data/nodeproppred"


@dataclass(frozen=True)
class RemoteFile:
    """A file to fetch. `path` is below the folder of the datasets, and below the address of a mirror."""
    path: str
    url: str
    unpacks_to: str = ""  # for an archive: the folder it makes, of which nothing but this is kept


def planetoid(name):
    parts = ("x", "y", "tx", "ty", "allx", "ally", "graph", "test.index")
    return [RemoteFile(f"planetoid/ind.{name}.{part}", f"{PLANETOID}/ind.{name}.{part}") for part in parts]


def npz(base, name):
    return [RemoteFile(f"npz/{name}.npz", f"{base}/{name}.npz")]


def geom_gcn(name):
    tables = [RemoteFile(f"geom-gcn/{name}/{part}", f"{GEOM_GCN}/new_data/{name}/{part}")
              for part in ("out1_graph_edges.txt", "out1_node_feature_label.txt")]
    splits = [f"splits/{name}_split_0.6_0.2_{number}.npz" for number in range(10)]
    return tables + [RemoteFile(f"geom-gcn/{split}", f"{GEOM_GCN}/{split}") for split in splits]


DATASETS = {
    "cora": planetoid("cora"),
    "citeseer": planetoid("citeseer"),
    "pubmed": planetoid("pubmed"),
    "amazon-photo": npz(GNN_BENCHMARK, "amazon_electronics_photo"),
    "amazon-computers": npz(GNN_BENCHMARK, "amazon_electronics_computers"),
    "coauthor-cs": npz(GNN_BENCHMARK, "ms_academic_cs"),
    "coauthor-physics": npz(GNN_BENCHMARK, "ms_academic_phy"),
    "chameleon": geom_gcn("chameleon"),
    "squirrel": geom_gcn("squirrel"),
    "actor": geom_gcn("film"),
    "cornell": geom_gcn("cornell"),
    "texas": geom_gcn("texas"),
    "wisconsin": geom_gcn("wisconsin"),
    "wiki-cs": [RemoteFile("wiki-cs/data.json", f"{WIKI_CS}/data.json")],
    "ogbn-arxiv": [RemoteFile("arxiv.zip", f"{OGB}/arxiv.zip", unpacks_to="arxiv")],
    "roman-empire": npz(HETEROPHILOUS, "roman_empire"),
    "amazon-ratings": npz(HETEROPHILOUS, "amazon_ratings"),
    "minesweeper": npz(HETEROPHILOUS, "minesweeper"),
    "tolokers": npz(HETEROPHILOUS, "tolokers"),
    "questions": npz(HETEROPHILOUS, "questions"),
    "chameleon-filtered": npz(HETEROPHILOUS, "chameleon_filtered"),
    "squirrel-filtered": npz(HETEROPHILOUS, "squirrel_filtered"),
}


def files_of(names):
    """The files of all names, each once, in order."""
    unknown = [name for name in names if name not in DATASETS]
    if unknown:
        raise DownloadError(f"no dataset is called {', '.join(unknown)}; the known ones are {', '.join(DATASETS)}")
    return list(dict.fromkeys(file for name in names for file in DATASETS[name]))


def known_checksums(listing=Path(__file__).with_name("checksums.sha256")):
    """{path: sha256}, from a file as sha256sum writes it."""
    lines = [line.split() for line in listing.read_text().splitlines() if line and not line.startswith("#")]
    return {path: digest for digest, path in lines}
