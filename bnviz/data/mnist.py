"""MNIST: from a folder, else downloaded once, else the embedded digits with a note."""

from __future__ import annotations

import logging
import os
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pooch  # type: ignore[import-untyped]

from bnviz.config import RunConfig
from bnviz.data import digits
from bnviz.data.base import RawData
from bnviz.data.idx import DataError, read_images, read_labels

FOLDER_VARIABLE = "BNVIZ_DATA"

# The four original files with their MD5 sums.
FILES = {
    "train-images-idx3-ubyte.gz": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
    "train-labels-idx1-ubyte.gz": "d53e105ee54ea40749a09fcbcd1e9432",
    "t10k-images-idx3-ubyte.gz": "9fb629c4189551a2d022fa330f9573f3",
    "t10k-labels-idx1-ubyte.gz": "ec29112dd5afa0611ce80d1b7f02629c",
}
MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
)

# A run waits this many seconds for the download, then begins with the digits; the download goes on
# and the next run finds MNIST.
PATIENCE = 2.0
# A mirror that is silent for this long is given up.
MIRROR_TIMEOUT = 1.0

logger = logging.getLogger(__name__)


def load(config: RunConfig | None = None) -> RawData:
    """MNIST as 28×28 pixels, 0 to 1; any number of images where the folder holds others.

    The folder named by the environment variable BNVIZ_DATA holds the four IDX files under their
    usual names, compressed or not. Without it, the original files are downloaded into the user's
    cache, once. Where neither works the embedded digits come instead, and `note` says why.
    """
    folder = os.environ.get(FOLDER_VARIABLE)
    try:
        return read_folder(Path(folder) if folder else _download.folder())
    except DataError as error:
        note = f"MNIST is not at hand, so these are the embedded 8×8 digits. {error}"
        return replace(digits.load(), note=note)


def wait(seconds: float) -> None:
    """Give the download more time, if one is needed: for a command that ends with its one run."""
    if not os.environ.get(FOLDER_VARIABLE):
        _download.wait(seconds)


def read_folder(folder: Path) -> RawData:
    """The four files of a folder.

    Raises:
        DataError: one is missing or broken, or images and labels differ in number.
    """
    train, test = (_read_part(folder, part) for part in ("train", "t10k"))
    return RawData(*train, *test, value_range=(0.0, 1.0))


def _read_part(folder: Path, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Inputs [N, 784] and labels [N] of one part."""
    images_file = _find(folder, f"{part}-images-idx3-ubyte")
    labels_file = _find(folder, f"{part}-labels-idx1-ubyte")
    images, labels = read_images(images_file), read_labels(labels_file)
    if len(images) != len(labels):
        raise DataError(
            f"{labels_file} holds {len(labels)} labels for the {len(images)} images of "
            f"{images_file.name}."
        )
    return images.astype(np.float32) / 255, labels


def _find(folder: Path, name: str) -> Path:
    for candidate in (folder / name, folder / f"{name}.gz"):
        if candidate.is_file():
            return candidate
    raise DataError(f"{folder} has neither {name} nor {name}.gz.")


class Download:
    """One attempt a process to fetch the four files, in a thread of its own.

    Resolving a mirror's name can take longer than any timeout of the request, so nobody waits for
    the thread itself.
    """

    def __init__(self, mirrors: tuple[str, ...] = MIRRORS) -> None:
        """Prepare to fetch from `mirrors`, addresses of folders, in this order."""
        self._mirrors = list(mirrors)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._error: str | None = None

    def folder(self) -> Path:
        """The cache folder, complete.

        Raises:
            DataError: the files cannot be had, or not within `PATIENCE`.
        """
        if not self.wait(PATIENCE):
            raise DataError("It is still being downloaded; start over in a while to use it.")
        if self._error is not None:
            raise DataError(self._error)
        return self._folder()

    def wait(self, seconds: float) -> bool:
        """Begin, if that has not been done; whether the attempt is over after so long."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._fetch, daemon=True)
                self._thread.start()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    @staticmethod
    def _folder() -> Path:
        return Path(pooch.os_cache("bnviz")) / "mnist"

    def _fetch(self) -> None:
        folder = self._folder()
        pooch.get_logger().setLevel(logging.WARNING)
        for name in FILES:
            # A mirror that failed once is not asked for the other files.
            while self._mirrors and not self._fetched(self._mirrors[0], name, folder):
                self._mirrors.pop(0)
        if not self._mirrors:
            self._error = f"No folder is named by {FOLDER_VARIABLE}, and no mirror has it."

    def _fetched(self, mirror: str, name: str, folder: Path) -> bool:
        downloader = pooch.HTTPDownloader(timeout=MIRROR_TIMEOUT)
        checksum = f"md5:{FILES[name]}"
        try:
            pooch.retrieve(mirror + name, checksum, name, folder, downloader=downloader)
        except (OSError, ValueError) as error:
            logger.warning("%s%s could not be fetched: %s", mirror, name, error)
            return False
        return True


_download = Download()
