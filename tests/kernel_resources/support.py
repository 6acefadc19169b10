# SPDX-License-Identifier: MIT
"""Where the tested modules and the captured outputs are."""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

TILED = "_ZN12graphpatcher7kernels5tiledIfEEvPKT_PS2_i"
GREEDY = "_ZN12graphpatcher7kernels6greedyIdEEvPKT_PS2_"
ADAM = "_ZN12graphpatcher7kernels16optimizer_kernelINS_9adam_itemIdEEdEEvNS0_9item_listIT_EE"


def sample(name):
    return (HERE / "samples" / name).read_text()
