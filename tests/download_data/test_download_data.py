# SPDX-License-Identifier: MIT
"""scripts/download-data as a user runs it, against a server on this machine that can break off, change its files and
refuse ranges."""
import hashlib
import http.server
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
from download_data import DownloadError, archive, catalog, transfer  # noqa: E402


class Server(http.server.ThreadingHTTPServer):
    """Serves `files`, {path: bytes}, as a server of static files does. Records what was asked for."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {}
        self.asked = []  # (path, Range header)
        self.break_after = []  # for each answer to come: bytes after which the connection breaks; None = all is well
        self.tags = True  # whether versions are named, without which nothing can be gone on with
        self.stall = threading.Event()
        self.stall.set()
        self.thread = threading.Thread(target=self.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def stop(self):
        self.stall.set()
        self.shutdown()
        self.server_close()
        self.thread.join()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        server = self.server
        wanted = self.headers.get("Range")
        server.asked.append((self.path, wanted))
        content = server.files.get(self.path.lstrip("/"))
        if content is None:
            self.send_error(404)
            return
        tag = '"' + hashlib.md5(content).hexdigest() + '"'
        begin = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1]) if wanted else 0
        if wanted and self.headers.get("If-Range") != tag:
            begin, wanted = 0, None
        if wanted and begin >= len(content):
            self.send_error(416)
            return
        self.send_response(206 if wanted else 200)
        if server.tags:
            self.send_header("ETag", tag)
        if wanted:
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - begin))
        self.end_headers()
        limit = server.break_after.pop(0) if server.break_after else None
        self.wfile.write(content[begin:][:limit])
        self.wfile.flush()
        server.stall.wait(20)


def zip_of(files, **attributes):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = attributes.get("mode", 0o644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(info, content)
    return buffer.getvalue()


class Case(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "data"

    def start(self, *arguments):
        environment = dict(os.environ, no_proxy="*", GRAPHPATCHER_MIRROR=self.server.url)
        return subprocess.Popen([sys.executable, "-B", str(ROOT / "scripts" / "download-data"), "--root",
                                 str(self.root), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=environment,
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # & ignores it

    def run_script(self, *arguments):
        process = self.start(*arguments)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def left(self):
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*") if path.is_file())


class Command(Case):
    def test_fetches_prints_an_unknown_checksum_and_leaves_alone_what_is_there(self):
        content = b"PK" + bytes(range(256)) * 1000
        self.server.files["npz/minesweeper.npz"] = content
        code, out, err = self.run_script("minesweeper")
        self.assertEqual((code, err), (0, ""))
        self.assertIn(hashlib.sha256(content).hexdigest(), out)
        self.assertEqual((self.root / "npz/minesweeper.npz").read_bytes(), content)
        self.assertEqual(self.left(), ["npz/minesweeper.npz"])
        code, out, _ = self.run_script("minesweeper", "minesweeper")
        self.assertEqual(code, 0)
        self.assertIn("is there already", out)
        self.assertEqual(len(self.server.asked), 1)

    def test_a_wrong_checksum_is_refused_and_nothing_kept(self):
        for file in catalog.DATASETS["cora"]:
            self.server.files[file.path] = b"not Cora"
        code, out, err = self.run_script("cora")
        self.assertEqual((code, out), (1, ""))
        digest = catalog.known_checksums()["planetoid/ind.cora.x"]
        self.assertIn(f"expected a file with SHA-256 {digest}, got {hashlib.sha256(b'not Cora').hexdigest()}", err)
        self.assertEqual(self.left(), [])
        code, out, _ = self.run_script("cora", "--any-checksum")
        self.assertEqual(code, 0)
        self.assertIn(f"expected SHA-256 {digest}", out)
        code, _, err = self.run_script("cora")
        self.assertEqual(code, 1)
        self.assertIn("delete it to fetch it anew", err)

    def test_goes_on_where_the_connection_broke(self):
        content = os.urandom(300000)
        self.server.files["npz/questions.npz"] = content
        self.server.break_after = [100000, 50000, None]
        code, _, err = self.run_script("questions")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual([wanted for _, wanted in self.server.asked], [None, "bytes=100000-", "bytes=150000-"])
        self.assertEqual((self.root / "npz/questions.npz").read_bytes(), content)

    def test_goes_on_when_it_is_run_again_unless_the_file_has_changed(self):
        for changes in (False, True):
            content = os.urandom(200000)
            self.server.files["wiki-cs/data.json"] = content
            self.server.break_after = [120000]
            self.server.asked.clear()
            code, out, err = self.run_script("wiki-cs", "--attempts", "1")
            self.assertEqual((code, out), (1, ""))
            self.assertIn("the connection ended after 120000 of 200000 bytes", err)
            self.assertIn("it goes on where it stopped", err)
            self.assertEqual((self.root / "wiki-cs/data.json.part").stat().st_size, 120000)
            if changes:
                content = os.urandom(150000)
                self.server.files["wiki-cs/data.json"] = content
            self.assertEqual(self.run_script("wiki-cs")[0], 0)
            self.assertEqual((self.root / "wiki-cs/data.json").read_bytes(), content)
            self.assertEqual(self.server.asked[-1][1], "bytes=120000-")
            self.assertEqual(self.left(), ["wiki-cs/data.json"])
            (self.root / "wiki-cs/data.json").unlink()

    def test_without_versions_it_begins_anew(self):
        content = os.urandom(200000)
        self.server.files["wiki-cs/data.json"] = content
        self.server.tags = False
        self.server.break_after = [120000]
        self.assertEqual(self.run_script("wiki-cs")[0], 0)
        self.assertEqual([wanted for _, wanted in self.server.asked], [None, None])
        self.assertEqual((self.root / "wiki-cs/data.json").read_bytes(), content)

    def test_a_part_that_is_longer_than_the_file_is_thrown_away(self):
        content = b"short"
        self.server.files["wiki-cs/data.json"] = content
        (self.root / "wiki-cs").mkdir(parents=True)
        (self.root / "wiki-cs/data.json.part").write_bytes(b"longer than that")
        (self.root / "wiki-cs/data.json.part.mark").write_text('"' + hashlib.md5(content).hexdigest() + '"')
        self.assertEqual(self.run_script("wiki-cs")[0], 0)
        self.assertEqual((self.root / "wiki-cs/data.json").read_bytes(), content)

    def test_interrupted_it_keeps_what_has_come(self):
        self.server.files["wiki-cs/data.json"] = content = os.urandom(400000)
        self.server.break_after = [262144]
        self.server.stall.clear()
        process = self.start("wiki-cs")
        part = self.root / "wiki-cs/data.json.part"
        until = time.monotonic() + 60
        while time.monotonic() < until and not (part.exists() and part.stat().st_size > 0):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("run it again to go on", err)
        self.server.stall.set()
        self.assertEqual(self.run_script("wiki-cs")[0], 0)
        self.assertEqual((self.root / "wiki-cs/data.json").read_bytes(), content)

    def test_without_a_network_it_says_what_to_do(self):
        code, out, err = self.run_script("tolokers", "--attempts", "1", "--mirror", "http://127.0.0.1:9")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("http://127.0.0.1:9/npz/tolokers.npz", err)
        self.assertIn(f"put it to {self.root / 'npz/tolokers.npz'}", err)
        self.assertNotIn("Traceback", err)
        self.assertEqual(self.left(), [])

    def test_what_the_server_has_not_got_unknown_names_and_folders_that_cannot_be_written(self):
        code, _, err = self.run_script("tolokers")
        self.assertEqual(code, 1)
        self.assertIn("the server says 404", err)
        code, _, err = self.run_script("imagenet")
        self.assertEqual(code, 1)
        self.assertIn("no dataset is called imagenet; the known ones are cora, ", err)
        self.assertEqual(self.run_script()[0], 2)
        self.root = self.root.parent / "file"
        self.root.write_text("not a folder")
        code, _, err = self.run_script("tolokers")
        self.assertEqual(code, 1)
        self.assertIn("may you write there?", err)

    def test_an_archive_is_unpacked_and_gone(self):
        files = {"arxiv/raw/edge.csv.gz": b"edges", "arxiv/split/time/train.csv.gz": b"train", "README": b"left out"}
        self.server.files["arxiv.zip"] = zip_of(files)
        code, out, _ = self.run_script("ogbn-arxiv", "--any-checksum")
        self.assertEqual(code, 0, out)
        self.assertEqual(self.left(), ["arxiv/raw/edge.csv.gz", "arxiv/split/time/train.csv.gz"])
        self.assertEqual((self.root / "arxiv/raw/edge.csv.gz").read_bytes(), b"edges")

    def test_all_files_of_a_dataset_come(self):
        for file in catalog.DATASETS["texas"]:
            self.server.files[file.path] = file.path.encode()
        self.assertEqual(self.run_script("texas")[0], 0)
        self.assertEqual(self.left(), sorted(file.path for file in catalog.DATASETS["texas"]))
        self.assertEqual(len(self.left()), 12)


class Archives(Case):
    def check_refused(self, content, message):
        self.root.mkdir(exist_ok=True)
        source = self.root / "a.zip"
        source.write_bytes(content)
        with self.assertRaisesRegex(DownloadError, message):
            archive.unpack(source, "a", self.root / "a")
        self.assertEqual(self.left(), ["a.zip"])

    def test_what_would_leave_the_folder_or_is_no_file_is_refused(self):
        for name in ("a/../../evil", "/evil", "a/..", "a\\evil"):
            self.check_refused(zip_of({"a/good": b"1", name: b"1"}), "expected plain files below a/")
        self.check_refused(zip_of({"a/link": b"/etc/passwd"}, mode=0o120777), "expected plain files below a/")

    def test_damaged_archives_and_others(self):
        whole = zip_of({"a/b": os.urandom(1000)})
        self.check_refused(whole[:-10], "expected a zip archive")
        self.check_refused(b"", "expected a zip archive")
        self.check_refused(whole[:60] + bytes([whole[60] ^ 1]) + whole[61:], "expected a zip archive")
        self.check_refused(zip_of({"b/c": b"1"}), "expected a folder a/")


class Catalog(unittest.TestCase):
    def test_the_names_are_those_of_the_library(self):
        header = (ROOT / "include/graphpatcher/io/dataset_catalog.hpp").read_text()
        self.assertEqual(list(catalog.DATASETS), re.findall(r'^\s+\{"([a-z-]+)", dataset_layout::', header, re.M))

    def test_the_file_that_the_library_looks_for_is_among_those_that_are_fetched(self):
        header = (ROOT / "include/graphpatcher/io/dataset_catalog.hpp").read_text()
        for name, file in re.findall(r'^\s+\{"([a-z-]+)", dataset_layout::\w+, "([^"]+)"', header, re.M):
            paths = [each.path for each in catalog.DATASETS[name]]
            self.assertTrue(any(path.endswith("/" + file) for path in paths) or name == "ogbn-arxiv", name)

    def test_checksums_are_whole_and_belong_to_files(self):
        paths = {file.path for files in catalog.DATASETS.values() for file in files}
        checksums = catalog.known_checksums()
        self.assertEqual(len(checksums), 3 * 8 + 2 * 12 + 1)
        for path, digest in checksums.items():
            self.assertIn(path, paths)
            self.assertRegex(digest, "^[0-9a-f]{64}$")

    def test_checksums_are_those_of_the_files_at_hand(self):
        shared = ROOT.parent / "shared" / "data"
        at_hand = {path: digest for path, digest in catalog.known_checksums().items() if (shared / path).exists()}
        if not at_hand:
            self.skipTest("no data")
        for path, digest in at_hand.items():
            self.assertEqual(transfer.sha256_of(shared / path), digest, path)


if __name__ == "__main__":
    unittest.main()
