# SPDX-License-Identifier: MIT
"""How long the library takes to compile: see scripts/compile-time."""


class CompileTimeError(Exception):
    """Something could not be measured; the message says why and what to do."""
