# SPDX-License-Identifier: MIT
"""Which headers there are, and which of them bring most with them."""
import re

OWN_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"](graphpatcher/[^>"]+)[>"]', re.MULTILINE)
UMBRELLA = "graphpatcher/graphpatcher.hpp"


def public_headers(root):
    """Names as users write them; what is in a folder detail/ is not theirs to include."""
    include = root / "include"
    return sorted(path.relative_to(include).as_posix() for path in include.glob("graphpatcher/**/*.hpp")
                  if "detail" not in path.relative_to(include).parts)


def lines_behind(root, name, known=None):
    """Lines of the library that a header brings, its own and those of all it includes, each header once."""
    known = set() if known is None else known
    if name in known:
        return 0
    known.add(name)
    text = (root / "include" / name).read_text()
    return text.count("\n") + sum(lines_behind(root, other, known) for other in OWN_INCLUDE.findall(text))


def largest(root, count):
    """The headers with most lines behind them, the umbrella aside."""
    names = [name for name in public_headers(root) if name != UMBRELLA]
    return sorted(names, key=lambda name: -lines_behind(root, name))[:count]
