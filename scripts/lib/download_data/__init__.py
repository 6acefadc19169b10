# SPDX-License-Identifier: MIT
"""Fetches public datasets: which files (catalog), how they come (transfer), how an archive is opened (archive)."""


class DownloadError(Exception):
    """What the user can do something about; the message says what."""
