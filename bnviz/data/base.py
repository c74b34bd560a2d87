"""Raw data sets, and data with noise and scaling that networks train on. Does not import torch."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bnviz.config import RunConfig
from bnviz.data import DATASETS
from bnviz.recently_used import RecentlyUsed
from bnviz.registry import ImportPath

NOISE_STREAM = 2
SPLIT_STREAM = 3
PROBE_SIZE = 256
# Classes of the images that pages show with each network's prediction, in this order.
SHOWN_CLASSES = (3, 0, 8, 4, 9, 2, 7, 5)

# Maximum size of the cache in bytes. Full MNIST takes 220 MB as float32, so the cache can keep two
# variants of it.
CACHE_BYTES = 512 * 2**20
# Seconds that a command waits for a download. In the app, a run does not wait that long.
DOWNLOAD_SECONDS = 120


@dataclass(frozen=True)
class RawData:
    """Data set before noise and scaling: inputs float32 [N, D], labels int64 [N].

    Attributes:
        value_range: lowest and highest possible input, or None if inputs are unbounded.
        note: message that says which data replace the requested data set, or None.
    """

    train_inputs: np.ndarray
    train_labels: np.ndarray
    test_inputs: np.ndarray
    test_labels: np.ndarray
    value_range: tuple[float, float] | None
    note: str | None = None


@dataclass(frozen=True)
class Data:
    """Data set with noise, scaled. Runs share it, so do not write to it.

    Attributes:
        train_inputs: float32 [N, D], scaled with constants of the training set.
        train_labels: int64 [N].
        probe_inputs: float32 [P, D], fixed test examples for probes. P is 256, or the number M of
            test examples if M is smaller.
        probe_rows: int64 [P], rows of the probe examples in the test set.
        note: message that says which data replace the requested data set, or None.
        input_mean: float32 [D]; raw = scaled * input_std + input_mean (0 and 1 for binary inputs).
    """

    train_inputs: np.ndarray
    train_labels: np.ndarray
    test_inputs: np.ndarray
    test_labels: np.ndarray
    probe_inputs: np.ndarray
    probe_labels: np.ndarray
    probe_rows: np.ndarray
    features: int
    classes: int
    note: str | None
    input_mean: np.ndarray
    input_std: np.ndarray

    @property
    def size(self) -> int:
        """Size of all inputs in bytes."""
        return self.train_inputs.nbytes + self.test_inputs.nbytes + self.probe_inputs.nbytes

    @cached_property
    def shown(self) -> np.ndarray:
        """Rows of the probe set that pages show as images, int64 [8]; empty for other data."""
        if self.classes <= max(SHOWN_CLASSES):
            return np.empty(0, np.int64)
        return np.array([np.flatnonzero(self.probe_labels == label)[0] for label in SHOWN_CLASSES])

    @property
    def shown_in_test(self) -> np.ndarray:
        """Rows in the test set of the images that `shown` selects."""
        return self.probe_rows[self.shown]


_cache = RecentlyUsed[tuple[object, ...], Data](
    most_size=CACHE_BYTES, size=lambda data: data.size, least=1
)
_cache_lock = threading.Lock()


def noise_of(config: RunConfig) -> float:
    """Standard deviation of the noise in a run's inputs. The run's seed decides the noise."""
    return DATASETS[config.dataset].noise if config.noise is None else config.noise


def load(config: RunConfig) -> Data:
    """Load a run's data, add noise, and scale with constants of the training set.

    The noise depends on the seed, but the split and the probe set do not. Data sets are cached up
    to `CACHE_BYTES`. Substitute data are not cached, so the next run tries the requested data set
    again.
    """
    noise = noise_of(config)
    key = (config.dataset, noise, config.input_scaling, config.seed if noise else None)
    with _cache_lock:
        kept = _cache.use(key)
    if kept is not None:
        return kept
    raw: RawData = DATASETS[config.dataset].resolve()()
    data = prepare(raw, noise, config.input_scaling, config.seed)
    if data.note is None:
        with _cache_lock:
            _cache.put(key, data)
    return data


def load_patiently(config: RunConfig) -> Data:
    """Load a run's data, after waiting up to `DOWNLOAD_SECONDS` for a download."""
    wait = DATASETS[config.dataset].wait
    if wait:
        ImportPath(where=wait).resolve()(DOWNLOAD_SECONDS)
    return load(config)


def forget() -> None:
    """Clear the cache of `load`."""
    with _cache_lock:
        _cache.clear()


def prepare(raw: RawData, noise: float, scaling: str, seed: int) -> Data:
    """Add Gaussian noise to all inputs, scale them, and choose the probe set.

    `noise` is a standard deviation in units of the raw inputs. `seed` affects only the noise.
    """
    train, test = _with_noise(raw, noise, seed)
    if scaling == "binary":
        threshold = np.add(*_range(raw, train)) / 2
        train = (train > threshold).astype(np.float32)
        test = (test > threshold).astype(np.float32)
        mean, std = np.zeros(train.shape[1]), np.ones(train.shape[1])
    else:
        mean, std = _constants(raw, train, scaling)
        shift, scale = mean.astype(np.float32), std.astype(np.float32)
        train, test = (train - shift) / scale, (test - shift) / scale
    chosen = np.random.default_rng([0, SPLIT_STREAM]).permutation(len(test))[:PROBE_SIZE]
    return Data(
        train_inputs=train,
        train_labels=raw.train_labels,
        test_inputs=test,
        test_labels=raw.test_labels,
        probe_inputs=test[chosen],
        probe_labels=raw.test_labels[chosen],
        probe_rows=chosen,
        features=train.shape[1],
        classes=int(max(raw.train_labels.max(), raw.test_labels.max())) + 1,
        note=raw.note,
        input_mean=mean.astype(np.float32),
        input_std=std.astype(np.float32),
    )


def stratified_split(labels: np.ndarray, test_share: float) -> tuple[np.ndarray, np.ndarray]:
    """Return fixed train and test indices with the same share of every class."""
    generator = np.random.default_rng([0, SPLIT_STREAM])
    train, test = [], []
    for label in np.unique(labels):
        members = generator.permutation(np.flatnonzero(labels == label))
        count = round(test_share * len(members))
        test.append(members[:count])
        train.append(members[count:])
    return np.sort(np.concatenate(train)), np.sort(np.concatenate(test))


def _with_noise(raw: RawData, noise: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    if not noise:
        return raw.train_inputs, raw.test_inputs
    generator = np.random.default_rng([seed, NOISE_STREAM])
    train, test = (
        inputs + np.float32(noise) * generator.standard_normal(inputs.shape, dtype=np.float32)
        for inputs in (raw.train_inputs, raw.test_inputs)
    )
    return train, test


def _constants(raw: RawData, train: np.ndarray, scaling: str) -> tuple[np.ndarray, np.ndarray]:
    """Return offset and divisor per feature, float64 [D], from the training set."""
    if scaling == "unit":
        low, high = (np.broadcast_to(end, train.shape[1]) for end in _range(raw, train))
        mean, std = low, high - low
    elif scaling == "per_feature":
        mean, std = train.mean(axis=0, dtype=np.float64), train.std(axis=0, dtype=np.float64)
    else:
        features = train.shape[1]
        mean = np.full(features, train.mean(dtype=np.float64))
        std = np.full(features, train.std(dtype=np.float64))
    # Divide by 1 if a feature is constant. A pixel that is blank in every training image then stays
    # at 0.
    return mean, np.where(std > 0, std, 1.0)


def _range(raw: RawData, train: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the data set's range, or if unknown, each feature's range in the training set."""
    ends = (train.min(axis=0), train.max(axis=0)) if raw.value_range is None else raw.value_range
    low, high = (np.asarray(end, dtype=np.float64) for end in ends)
    return low, high
