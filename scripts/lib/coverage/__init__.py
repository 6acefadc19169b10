# SPDX-License-Identifier: MIT
"""Which lines and branches of the headers the unit tests execute: see scripts/coverage."""


class CoverageError(Exception):
    """Nothing could be found out; the message says why and what to do."""
