# SPDX-License-Identifier: MIT
"""Whether the tests notice faults in kernels: see scripts/mutate-kernels."""


class MutationError(Exception):
    """Nothing could be found out; the message says why and what to do."""
