# SPDX-License-Identifier: MIT
"""The one exception of the translator."""


class Unsupported(Exception):
    """PTX that the translator doesn't know. `line` is filled in by whoever knows it."""

    def __init__(self, message, line=None):
        super().__init__(message)
        self.message = message
        self.line = line
