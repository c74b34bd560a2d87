"""MNIST: read from a folder, checked, replaced by the digits when it cannot be had."""

import gzip
import socket
import struct
from pathlib import Path

import numpy as np
import pytest

from bnviz.config import RunConfig
from bnviz.data import mnist
from bnviz.data.base import forget, load
from bnviz.data.idx import DataError, read_images, read_labels
from tests.data.idx_writer import images_bytes, labels_bytes, write_set

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "mnist-10k"


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
    """Real MNIST digits where they lie beside the project, else a made-up set."""
    if SHARED.is_dir():
        return SHARED
    write_set(tmp_path, train=400, test=100)
    return tmp_path


@pytest.fixture
def no_network(monkeypatch, tmp_path):
    """A download that can reach nothing but a port of this machine where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    monkeypatch.delenv(mnist.FOLDER_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    mirrors = tuple(f"http://127.0.0.1:{port}/{name}/" for name in ("first", "second"))
    monkeypatch.setattr(mnist, "_download", mnist.Download(mirrors))


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
        (read_images, good_images[:-1], "takes? 2352 bytes, and has 2351"),
        (read_images, good_images + b"x", "2352 bytes, and has 2353"),
        (read_images, images_bytes(np.zeros((3, 14, 56))), "14×56 pixels"),
        (read_images, struct.pack(">IIII", 0x803, 0, 28, 28), "holds 0 examples"),
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
    assert "no mirror" in data.note


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
        monkeypatch.setattr(mnist, "_download", download)
        monkeypatch.setattr(mnist, "PATIENCE", 0.05)
        note = load(RunConfig(dataset="mnist")).note
        assert "still being downloaded" in note
    assert download.wait(30)


@pytest.mark.usefixtures("no_network")
def test_only_one_attempt_is_made(caplog):
    for _ in range(3):
        load(RunConfig(dataset="mnist"))
    assert len(caplog.records) == 2, "one for each mirror"
