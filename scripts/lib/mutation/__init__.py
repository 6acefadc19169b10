# SPDX-License-Identifier: MIT
"""Whether the tests notice faults: see scripts/mutate-kernels and scripts/mutate-cpu."""


class MutationError(Exception):
    """Nothing could be found out; the message says why and what to do."""
