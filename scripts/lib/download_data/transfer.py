# SPDX-License-Identifier: MIT
"""Gets one file over HTTP: goes on where an earlier attempt stopped, and puts the file in place whole or not at all.

What has come so far is in FILE.part, and in FILE.part.mark what the server called that version of the file (its ETag or
date): a server that has another version by now sends it from the beginning.
"""
import contextlib
import fcntl
import hashlib
import http.client
import os
import time
import urllib.error
import urllib.request

from . import DownloadError

BLOCK = 1 << 16
TIMEOUT = 30  # seconds without a byte


class Interrupted(Exception):
    """The connection ended early; what has come is kept."""


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


@contextlib.contextmanager
def locked_part(part):
    """FILE.part, open for writing at its end, ours alone."""
    with open(part, "ab") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DownloadError(f"{part}: another download-data is writing to it; wait for it to end") from None
        yield stream


@contextlib.contextmanager
def network_errors(url):
    """What goes wrong between us and the server, as Interrupted where another attempt may help."""
    try:
        yield
    except urllib.error.HTTPError as refusal:
        if refusal.code >= 500:
            raise Interrupted(f"the server says {refusal.code} {refusal.reason}") from None
        raise DownloadError(f"{url}: the server says {refusal.code} {refusal.reason}") from None
    except (urllib.error.URLError, http.client.HTTPException, OSError) as failure:
        raise Interrupted(str(getattr(failure, "reason", failure)) or type(failure).__name__) from None


def open_url(url, have, version):
    """The server's answer: all of the file, or what follows the first `have` bytes if it still is that version."""
    request = urllib.request.Request(url, headers={"User-Agent": "graphpatcher download-data"})
    if version:
        request.add_header("Range", f"bytes={have}-")
        request.add_header("If-Range", version)
    with network_errors(url):
        try:
            return urllib.request.urlopen(request, timeout=TIMEOUT)
        except urllib.error.HTTPError as refusal:
            if refusal.code != 416 or not version:  # 416: nothing follows, so this is not the file we had a part of
                raise
    return open_url(url, 0, "")


def receive(url, part, show):
    """Appends to FILE.part what is missing of it. Raises Interrupted where the connection ends early."""
    mark = part.with_name(part.name + ".mark")
    with locked_part(part) as stream:
        have = stream.seek(0, os.SEEK_END)
        version = mark.read_text() if have and mark.exists() else ""
        with open_url(url, have, version) as answer:
            if answer.status != 206 or not answer.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
                have = 0
                stream.truncate(0)
                mark.write_text(answer.headers.get("ETag") or answer.headers.get("Last-Modified") or "")
            length = answer.headers.get("Content-Length")
            total = have + int(length) if length is not None else None
            while True:
                with network_errors(url):
                    block = answer.read(BLOCK)
                if not block:
                    break
                stream.write(block)
                have += len(block)
                show(have, total)
        stream.flush()
        os.fsync(stream.fileno())
    if total is not None and have != total:
        raise Interrupted(f"the connection ended after {have} of {total} bytes")
    mark.unlink(missing_ok=True)


def remove_if_empty(part):
    if part.exists() and part.stat().st_size == 0:
        part.unlink()
        part.with_name(part.name + ".mark").unlink(missing_ok=True)


def fetch(url, target, digest, attempts=4, pause=1.0, show=lambda have, total: None):
    """Gets `url` to `target` and returns its SHA-256, which must be `digest` unless that is None."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    for attempt in range(attempts):
        try:
            receive(url, part, show)
            break
        except DownloadError:
            remove_if_empty(part)
            raise
        except Interrupted as failure:
            if attempt + 1 == attempts:
                remove_if_empty(part)
                raise DownloadError(
                    f"{url}: {failure}. Without a network: fetch that address elsewhere and put it to {target}. "
                    "With one: run this again, it goes on where it stopped.") from None
            time.sleep(pause * 2**attempt)
    found = sha256_of(part)
    if digest is not None and found != digest:
        part.unlink()
        raise DownloadError(f"{url}: expected a file with SHA-256 {digest}, got {found}; it was thrown away. Was it "
                            "changed at its home, or on the way? --any-checksum takes it as it is.")
    os.replace(part, target)
    return found
