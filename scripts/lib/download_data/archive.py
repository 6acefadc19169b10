# SPDX-License-Identifier: MIT
"""Unpacks a zip archive that a stranger may have made: only regular files below the one folder that is wanted."""
import os
import shutil
import stat
import tempfile
import zipfile
from pathlib import PurePosixPath

from . import DownloadError

MOST_BYTES = 20 << 30
MOST_RATIO = 1100  # deflate packs at most 1032 to 1


def members_below(archive, folder):
    """The files of the archive that stand below `folder`; anything that would leave it is an error."""
    members = []
    total = 0
    for info in archive.infolist():
        path = PurePosixPath(info.filename)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if path.is_absolute() or ".." in path.parts or "\\" in info.filename or kind not in (0, stat.S_IFREG,
                                                                                              stat.S_IFDIR):
            raise DownloadError(f"{archive.filename}: expected plain files below {folder}/, got {info.filename!r}")
        if path.parts[:1] == (folder,) and not info.is_dir():
            total += info.file_size
            if total > MOST_BYTES or info.file_size > MOST_RATIO * max(info.compress_size, 1):
                raise DownloadError(f"{archive.filename}: {info.filename!r} would unpack to too much")
            members.append(info)
    if not members:
        raise DownloadError(f"{archive.filename}: expected a folder {folder}/, got none")
    return members


def unpack(source, folder, target):
    """Puts what the archive has below `folder` to `target`, whole or not at all."""
    try:
        with zipfile.ZipFile(source) as archive:
            members = members_below(archive, folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as workshop:
                for info in members:
                    path = os.path.join(workshop, *PurePosixPath(info.filename).parts)
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    with archive.open(info) as packed, open(path, "wb") as out:
                        shutil.copyfileobj(packed, out)
                os.replace(os.path.join(workshop, folder), target)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as failure:
        raise DownloadError(f"{source}: expected a zip archive, got something else ({failure})") from None
