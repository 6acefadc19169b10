# SPDX-License-Identifier: MIT
"""What the compiler says about every kernel: see scripts/kernel-resources."""


class ResourcesError(Exception):
    """Nothing could be measured or compared; the message says why and what to do."""
