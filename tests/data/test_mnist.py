"""MNIST: read from a folder, verified, replaced by the digits if it is not available."""

import contextlib
import functools
import gzip
import hashlib
import re
import socket
import struct
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from bnviz.config import RunConfig
from bnviz.data import mnist
from bnviz.data.base import forget, load
from bnviz.data.idx import DataError, read_images, read_labels
from tests.data.idx_writer import images_bytes, labels_bytes, write_set

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "mnist-10k"
# Time limit of download attempts in seconds. The attempts end by themselves, but may be slow on a
# busy machine. The test's own timeout is shorter.
LONG = 1000.0


@pytest.fixture(autouse=True)
def _fresh_cache():
    forget()
    yield
    forget()


@pytest.fixture
def folder(tmp_path):
    write_set(tmp_path)
    return tmp_path


@pytest.fixture
def real_or_made_up(tmp_path):
    """Folder of real MNIST digits if the shared data is present, else an artificial data set."""
    if SHARED.is_dir():
        return SHARED
    write_set(tmp_path, train=400, test=100)
    return tmp_path


@pytest.fixture
def no_network(monkeypatch, tmp_path):
    """Let downloads reach only a local port on which no server listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    monkeypatch.delenv(mnist.FOLDER_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(mnist, "PATIENCE", LONG)
    mirrors = tuple(f"http://127.0.0.1:{port}/{name}/" for name in ("first", "second"))
    monkeypatch.setattr(mnist, "DOWNLOAD", mnist.Download(mirrors, clock=lambda: 0.0))


def test_files_of_the_folder_are_read(monkeypatch, real_or_made_up):
    monkeypatch.setenv(mnist.FOLDER_VARIABLE, str(real_or_made_up))
    data = load(RunConfig(dataset="mnist"))
    assert data.note is None
    assert (data.features, data.classes) == (784, 10)
    assert data.train_inputs.mean(dtype=float) == pytest.approx(0, abs=1e-5)
    assert data.train_inputs.std(dtype=float) == pytest.approx(1, abs=1e-5)


def test_binary_scaling_gives_the_papers_black_and_white(monkeypatch, real_or_made_up):
    monkeypatch.setenv(mnist.FOLDER_VARIABLE, str(real_or_made_up))
    data = load(RunConfig(dataset="mnist", input_scaling="binary"))
    raw = mnist.read_folder(real_or_made_up)
    assert set(np.unique(data.train_inputs)) == {0, 1}
    np.testing.assert_array_equal(data.test_inputs, raw.test_inputs > 0.5)


def test_plain_files_read_as_compressed_ones(folder, tmp_path_factory):
    plain = tmp_path_factory.mktemp("plain")
    write_set(plain, compressed=False)
    for first, second in zip(
        vars(mnist.read_folder(folder)).values(), vars(mnist.read_folder(plain)).values(),
        strict=True,
    ):  # fmt: skip
        np.testing.assert_array_equal(first, second)


def test_values_survive_the_file(tmp_path):
    images = np.arange(2 * 784).reshape(2, 28, 28) % 256
    (tmp_path / "images").write_bytes(images_bytes(images))
    (tmp_path / "labels").write_bytes(labels_bytes(np.array([9, 0])))
    np.testing.assert_array_equal(read_images(tmp_path / "images"), images.reshape(2, 784))
    np.testing.assert_array_equal(read_labels(tmp_path / "labels"), [9, 0])


good_images = images_bytes(np.zeros((3, 28, 28)))
good_labels = labels_bytes(np.arange(3))


@pytest.mark.parametrize(
    ("read", "content", "message"),
    [
        (read_images, b"", "too short"),
        (read_images, good_images[:10], "too short"),
        (read_images, good_labels + bytes(20), "begins with 0x00000801"),
        (read_labels, good_images, "begins with 0x00000803"),
        (read_images, good_images[:-1], "takes? 2352 bytes, but the file has 2351"),
        (read_images, good_images + b"x", "2352 bytes, but the file has 2353"),
        (read_images, images_bytes(np.zeros((3, 14, 56))), "14×56 pixels"),
        (read_images, struct.pack(">IIII", 0x803, 0, 28, 28), "gives 0 examples"),
        (read_labels, struct.pack(">II", 0x801, 2**32 - 1), "4294967295 examples"),
        (read_labels, labels_bytes(np.array([3, 10])), "the label 10"),
        (read_labels, gzip.compress(good_labels, mtime=0)[:-9], "cannot be read"),
        (read_labels, b"\x1f\x8bnot gzip at all", "cannot be read"),
    ],
)  # fmt: skip
def test_broken_files_are_named(tmp_path, read, content, message):
    path = tmp_path / "some-file"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        read(path)
    assert "some-file" in str(caught.value)


def test_images_and_labels_must_match_in_number(folder):
    (folder / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(good_labels, mtime=0))
    with pytest.raises(DataError, match="3 labels for the 30 images of t10k-images"):
        mnist.read_folder(folder)


def test_a_missing_file_is_named_in_the_note(monkeypatch, folder):
    (folder / "t10k-images-idx3-ubyte.gz").unlink()
    monkeypatch.setenv(mnist.FOLDER_VARIABLE, str(folder))
    data = load(RunConfig(dataset="mnist"))
    assert data.features == 64
    assert "t10k-images-idx3-ubyte" in data.note
    assert "digits" in data.note


def test_a_missing_folder_is_named_in_the_note(monkeypatch, tmp_path):
    monkeypatch.setenv(mnist.FOLDER_VARIABLE, str(tmp_path / "nowhere"))
    assert "nowhere" in load(RunConfig(dataset="mnist")).note


@pytest.mark.usefixtures("no_network")
def test_without_folder_and_network_the_digits_come_with_a_note():
    data = load(RunConfig(dataset="mnist"))
    assert data.features == 64
    assert "BNVIZ_DATA" in data.note
    assert "from every mirror" in data.note


@pytest.mark.usefixtures("no_network")
def test_the_stand_in_is_not_kept(monkeypatch, folder):
    assert load(RunConfig(dataset="mnist")).note
    monkeypatch.setenv(mnist.FOLDER_VARIABLE, str(folder))
    assert load(RunConfig(dataset="mnist")).note is None


def test_a_silent_mirror_is_not_waited_for(monkeypatch, tmp_path):
    monkeypatch.delenv(mnist.FOLDER_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        download = mnist.Download((address,))
        monkeypatch.setattr(mnist, "DOWNLOAD", download)
        monkeypatch.setattr(mnist, "PATIENCE", 0.05)
        monkeypatch.setattr(mnist, "MIRROR_TIMEOUT", LONG)
        note = load(RunConfig(dataset="mnist")).note
        assert "still being downloaded" in note
        client, _ = silent.accept()
        client.close()  # the client has given up, so the attempt ends
    assert download.wait(LONG)


@pytest.mark.usefixtures("no_network")
def test_within_a_pause_only_one_attempt_is_made(caplog):
    for _ in range(3):
        note = load(RunConfig(dataset="mnist")).note
    assert len(caplog.records) == 2, "one for each mirror"
    assert "Start over to try the download again, in 5 s at the earliest" in note


class Mirror(ThreadingHTTPServer):
    """HTTP server of a folder. It returns errors until `works` is set."""

    def __init__(self, folder: Path) -> None:
        self.works, self.asked = False, []
        mirror = self

        class Handler(SimpleHTTPRequestHandler):
            def do_GET(self) -> None:
                mirror.asked.append(self.path)
                super().do_GET() if mirror.works else self.send_error(503)

            def log_message(self, *_) -> None: ...

        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        self.thread = threading.Thread(target=self.serve_forever, args=(0.01,))
        self.thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    def close(self) -> None:
        self.shutdown()
        self.thread.join()
        self.server_close()


@pytest.fixture
def mirror(monkeypatch, folder, tmp_path_factory):
    """The only mirror: it serves a small data set and fails at first."""
    monkeypatch.delenv(mnist.FOLDER_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    sums = {name: hashlib.md5((folder / name).read_bytes()).hexdigest() for name in mnist.FILES}
    monkeypatch.setattr(mnist, "FILES", sums)
    monkeypatch.setattr(mnist, "PATIENCE", LONG)
    monkeypatch.setattr(mnist, "MIRROR_TIMEOUT", LONG)
    server = Mirror(folder)
    yield server
    server.close()


def attempt(download: mnist.Download) -> int | None:
    """Request the files as a run does and wait for the attempt, if there is one.

    Returns:
        Seconds until the next attempt is allowed, or None if the files are there.
    """
    with contextlib.suppress(DataError):
        download.folder()
    assert download.wait(LONG)
    try:
        mnist.read_folder(download.folder())
    except DataError as error:
        return int(re.search(r"in (\d+) s at the earliest", str(error))[1])
    return None


def test_a_failed_download_is_tried_again_after_a_pause(monkeypatch, mirror):
    now = 100.0
    monkeypatch.setattr(mnist, "DOWNLOAD", mnist.Download((mirror.address,), lambda: now))
    assert "failed from every mirror" in load(RunConfig(dataset="mnist")).note
    assert mnist.DOWNLOAD.wait(LONG)
    mirror.works = True
    now += mnist.FIRST_PAUSE - 1
    assert "in 1 s at the earliest" in load(RunConfig(dataset="mnist")).note
    assert len(mirror.asked) == 1, "not before the pause is over"
    now += 1
    load(RunConfig(dataset="mnist"))  # starts a new attempt and does not wait for it
    assert mnist.DOWNLOAD.wait(LONG)
    data = load(RunConfig(dataset="mnist"))
    assert data.note is None
    assert data.features == 784
    assert len(mirror.asked) == 1 + len(mnist.FILES)


def test_pauses_grow_up_to_a_longest_one(mirror):
    now, pauses = 0.0, []
    download = mnist.Download((mirror.address,), lambda: now)
    for count in range(1, 8):
        pauses.append(attempt(download))
        assert len(mirror.asked) == count
        now += pauses[-1] / 2
        attempt(download)  # too early
        assert len(mirror.asked) == count
        now += pauses[-1] / 2
    assert pauses == [5, 20, 80, 320, 600, 600, 600]


def test_what_was_fetched_is_not_asked_for_again(mirror):
    now = 0.0
    download = mnist.Download((mirror.address,), lambda: now)
    mirror.works = True
    assert attempt(download) is None
    now += 10 * mnist.LONGEST_PAUSE
    assert attempt(download) is None
    assert len(mirror.asked) == len(mnist.FILES)
