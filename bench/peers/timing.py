# SPDX-License-Identifier: MIT
"""How every peer is judged: its result first; then warm-up, and runs until there are enough of them."""
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional


@dataclass(frozen=True)
class Protocol:
    seconds: float = 1.0  # at least this long ...
    runs: int = 5  # ... and this many runs,
    limit: float = 60.0  # unless that takes longer than this


FULL = Protocol()
QUICK = Protocol(seconds=0.2, runs=2, limit=10.0)


def within(difference: float, tolerance: float) -> float:
    """The difference of a peer's result; an error if it is larger than rounding explains, or no number."""
    if not difference <= tolerance:
        raise ValueError(f"expected the library's result within {tolerance:.1e}, got a difference of {difference:.1e}")
    return difference


def measure(run: Callable[[], object], protocol: Protocol, warm_up: Optional[Callable[[], object]] = None) -> dict:
    """Median and minimum of the seconds that run() takes. `warm_up` stands in for a long run()."""
    (warm_up or run)()
    times: list[float] = []
    total = 0.0
    while (total < protocol.seconds or len(times) < protocol.runs) and total < protocol.limit:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
        total += times[-1]
    return {"seconds": statistics.median(times), "min": min(times), "runs": len(times)}


def forget_peak_memory() -> None:
    """From here on peak_memory_mb() counts anew. Does nothing where the kernel doesn't offer it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass


def peak_memory_mb() -> Optional[float]:
    """The largest resident set of this process since forget_peak_memory()."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    except OSError:
        pass
    return None
