"""MNIST from a folder or a download, or else the embedded digits with a note."""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pooch  # type: ignore[import-untyped]

from bnviz.data import digits
from bnviz.data.base import RawData
from bnviz.data.idx import DataError, read_images, read_labels
from bnviz.words.phrase import PhraseText, phrase

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

# Seconds that runs wait for the download before they use the digits. The download continues, and
# the next run finds MNIST. Runs do not wait for a retry after a failure.
PATIENCE = 2.0
# Seconds without data after which a mirror counts as failed. The limit is long, because a slow
# connection or a busy machine is not a failure, and only the download thread waits for it.
MIRROR_TIMEOUT = 10.0
# Pause in seconds after the first failure, factor for each further failure, and longest pause.
FIRST_PAUSE, LONGER, LONGEST_PAUSE = 5.0, 4.0, 600.0

logger = logging.getLogger(__name__)


def load() -> RawData:
    """Load MNIST as 28×28 pixels between 0 and 1.

    The environment variable BNVIZ_DATA names a folder with the four IDX files, compressed or not,
    with any number of images. Without it, the original files are downloaded once into the user's
    cache. If neither works, the embedded digits are returned, and `note` says why.
    """
    folder = os.environ.get(FOLDER_VARIABLE)
    try:
        return read_folder(Path(folder) if folder else DOWNLOAD.folder())
    except DataError as error:
        note = phrase("data.stand_in", why=error.phrase)
        return replace(digits.load(), note=PhraseText(note))


def wait(seconds: float) -> None:
    """Wait up to `seconds` for a download if one is needed. For commands that end after one run."""
    if not os.environ.get(FOLDER_VARIABLE):
        DOWNLOAD.wait(seconds)


def read_folder(folder: Path) -> RawData:
    """Read the four files of a folder. Raise DataError if a file is missing or invalid."""
    train, test = (_read_part(folder, part) for part in ("train", "t10k"))
    return RawData(*train, *test, value_range=(0.0, 1.0))


def _read_part(folder: Path, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Inputs [N, 784] and labels [N] of one part."""
    images_file = _find(folder, f"{part}-images-idx3-ubyte")
    labels_file = _find(folder, f"{part}-labels-idx1-ubyte")
    images, labels = read_images(images_file), read_labels(labels_file)
    if len(images) != len(labels):
        raise DataError(
            phrase(
                "data.unequal",
                file=labels_file,
                labels=len(labels),
                images=len(images),
                other=images_file.name,
            )
        )
    return images.astype(np.float32) / 255, labels


def _find(folder: Path, name: str) -> Path:
    for candidate in (folder / name, folder / f"{name}.gz"):
        if candidate.is_file():
            return candidate
    raise DataError(phrase("data.missing", folder=folder, name=name))


class Download:
    """Download of the four files in a separate thread, with growing pauses between attempts.

    Callers limit their wait, because resolving a mirror's name can exceed any request timeout.
    """

    def __init__(
        self, mirrors: tuple[str, ...] = MIRRORS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._mirrors, self._clock = mirrors, clock
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._complete = False
        self._failures = 0
        self._began = self._failed_at = 0.0

    def folder(self) -> Path:
        """Return the complete cache folder.

        Raises:
            DataError: if the files cannot be fetched within `PATIENCE`.
        """
        thread = self._begin()
        patience = 0.0 if self._failures else self._began + PATIENCE - self._clock()
        thread.join(max(0.0, patience))
        if thread.is_alive():
            raise DataError(phrase("data.downloading"))
        if not self._complete:
            raise DataError(
                phrase("data.no_mirror", variable=FOLDER_VARIABLE, seconds=math.ceil(self._rest()))
            )
        return self._folder()

    def wait(self, seconds: float) -> bool:
        """Start an attempt if one is due. Return whether it ended within `seconds`."""
        thread = self._begin()
        thread.join(seconds)
        return not thread.is_alive()

    def _begin(self) -> threading.Thread:
        """Return the current attempt, a new attempt if one is due, or else the last attempt."""
        with self._lock:
            over = self._thread is None or not (self._thread.is_alive() or self._complete)
            if self._thread is None or (over and self._rest() <= 0):
                self._began = self._clock()
                self._thread = threading.Thread(target=self._attempt, daemon=True)
                self._thread.start()
            return self._thread

    def _rest(self) -> float:
        """Seconds until the next attempt is allowed, or 0 before the first attempt."""
        longer = LONGER ** min(self._failures - 1, 10)
        pause = min(FIRST_PAUSE * longer, LONGEST_PAUSE) if self._failures else 0.0
        return max(0.0, self._failed_at + pause - self._clock())

    @staticmethod
    def _folder() -> Path:
        return Path(pooch.os_cache("bnviz")) / "mnist"

    def _attempt(self) -> None:
        complete = False
        try:
            complete = self._fetch()
        finally:
            self._complete, self._failed_at = complete, self._clock()
            self._failures += not complete

    def _fetch(self) -> bool:
        """Fetch the files. Return whether all four are there."""
        folder, mirrors = self._folder(), list(self._mirrors)
        pooch.get_logger().setLevel(logging.WARNING)
        for name in FILES:
            # After a mirror has failed for one file, do not try it for the other files.
            while mirrors and not self._fetched(mirrors[0], name, folder):
                mirrors.pop(0)
        return bool(mirrors)

    def _fetched(self, mirror: str, name: str, folder: Path) -> bool:
        downloader = pooch.HTTPDownloader(timeout=MIRROR_TIMEOUT)
        checksum = f"md5:{FILES[name]}"
        try:
            pooch.retrieve(mirror + name, checksum, name, folder, downloader=downloader)
        except (OSError, ValueError) as error:
            logger.warning("%s%s could not be fetched: %s", mirror, name, error)
            return False
        return True


DOWNLOAD = Download()
