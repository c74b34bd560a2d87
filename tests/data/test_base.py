"""Noise, scaling, split and cache of the data sets."""

import numpy as np
import pytest

from bnviz.config import RunConfig
from bnviz.data import DATASETS
from bnviz.data.base import CACHE_BYTES, Data, RawData, forget, load, prepare, stratified_split
from tests.every_case import every_case

EMBEDDED = [name for name in DATASETS if name != "mnist"]


@pytest.fixture(autouse=True)
def _fresh_cache():
    forget()
    yield
    forget()


def raw(*, value_range=None, train=200, test=60):
    generator = np.random.default_rng(5)
    inputs = (generator.normal(size=(train + test, 3)) * [1, 5, 0] + [2, -1, 4]).astype(np.float32)
    labels = generator.integers(0, 2, size=train + test)
    return RawData(inputs[:train], labels[:train], inputs[train:], labels[train:], value_range)


@every_case("dataset", EMBEDDED)
def test_every_data_set_is_what_its_entry_says(dataset):
    data = load(RunConfig(dataset=dataset))
    entry = DATASETS[dataset]
    assert (data.features, data.classes) == (entry.features, entry.classes)
    assert len(data.train_labels) == entry.examples
    assert entry.side is None or entry.side**2 == entry.features
    assert data.note is None
    for inputs, labels in (
        (data.train_inputs, data.train_labels),
        (data.test_inputs, data.test_labels),
        (data.probe_inputs, data.probe_labels),
    ):
        assert inputs.dtype == np.float32
        assert inputs.flags.c_contiguous
        assert labels.dtype == np.int64
        assert inputs.shape == (len(labels), entry.features)
        assert np.isfinite(inputs).all()
        assert set(np.unique(labels)) == set(range(entry.classes))


@every_case("dataset", EMBEDDED)
def test_inputs_are_standardized_by_the_training_part(dataset):
    data = load(RunConfig(dataset=dataset))
    assert data.train_inputs.mean(dtype=float) == pytest.approx(0, abs=1e-6)
    assert data.train_inputs.std(dtype=float) == pytest.approx(1, abs=1e-6)
    assert len(np.unique(data.input_mean)) == len(np.unique(data.input_std)) == 1


def test_scaling_constants_come_from_the_training_part_alone():
    first = raw()
    shifted = RawData(
        first.train_inputs, first.train_labels, first.test_inputs + 7, first.test_labels, None
    )
    plain, moved = (prepare(part, 0.0, "per_feature", 0) for part in (first, shifted))
    np.testing.assert_array_equal(plain.train_inputs, moved.train_inputs)
    np.testing.assert_array_equal(plain.input_mean, moved.input_mean)
    np.testing.assert_allclose(moved.test_inputs[:, 1] - plain.test_inputs[:, 1],
                               7 / plain.input_std[1], rtol=1e-4)  # fmt: skip


def test_scaling_by_feature_leaves_constant_features_at_zero():
    data = prepare(raw(), 0.0, "per_feature", 0)
    np.testing.assert_allclose(data.train_inputs.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(data.train_inputs.std(axis=0), [1, 1, 0], atol=1e-5)


@every_case("scaling", ["standardize", "per_feature", "unit"])
def test_scaling_can_be_undone(scaling):
    source = raw()
    data = prepare(source, 0.0, scaling, 0)
    again = data.test_inputs * data.input_std + data.input_mean
    np.testing.assert_allclose(again, source.test_inputs, atol=1e-4)


def test_digits_from_0_to_1_are_sixteenths_and_their_threshold_is_a_half():
    unit = load(RunConfig(input_scaling="unit")).train_inputs
    np.testing.assert_array_equal(np.unique(unit), np.arange(17, dtype=np.float32) / 16)
    binary = load(RunConfig(input_scaling="binary")).train_inputs
    np.testing.assert_array_equal(binary, unit > 0.5)


def test_inputs_without_a_range_fill_0_to_1_in_the_training_part():
    data = prepare(raw(), 0.0, "unit", 0)
    np.testing.assert_allclose(data.train_inputs.min(axis=0), 0, atol=1e-6)
    # The third feature is constant.
    np.testing.assert_allclose(data.train_inputs.max(axis=0), [1, 1, 0], atol=1e-6)


def test_binary_inputs_are_one_above_half_of_the_range():
    source = raw(value_range=(0.0, 4.0))
    data = prepare(source, 0.0, "binary", 0)
    np.testing.assert_array_equal(data.train_inputs, source.train_inputs > 2.0)


def test_binary_inputs_without_a_range_split_each_training_range_in_half():
    source = raw()
    data = prepare(source, 0.0, "binary", 0)
    middle = (source.train_inputs.min(axis=0) + source.train_inputs.max(axis=0)) / 2
    np.testing.assert_array_equal(data.test_inputs, source.test_inputs > middle)


def test_noise_has_the_given_size_and_depends_on_the_seed_alone():
    source = raw(train=4000)
    quiet, noisy, again, other = (
        prepare(source, noise, "standardize", seed)
        for noise, seed in ((0.0, 0), (0.5, 0), (0.5, 0), (0.5, 1))
    )
    added = noisy.train_inputs * noisy.input_std + noisy.input_mean - source.train_inputs
    assert added.std() == pytest.approx(0.5, rel=0.02)
    np.testing.assert_array_equal(noisy.train_inputs, again.train_inputs)
    assert not np.array_equal(noisy.train_inputs, other.train_inputs)
    np.testing.assert_array_equal(quiet.train_labels, other.train_labels)


def test_noise_none_means_the_data_sets_own():
    own = load(RunConfig(dataset="moons"))
    given = load(RunConfig(dataset="moons", noise=DATASETS["moons"].noise))
    silent = load(RunConfig(dataset="moons", noise=0))
    assert own is given
    assert not np.array_equal(own.train_inputs, silent.train_inputs)


def test_split_and_probe_set_do_not_depend_on_the_seed():
    first, second = (load(RunConfig(seed=seed)) for seed in (0, 1))
    assert first is second


def test_probe_set_holds_256_test_examples_or_all_there_are():
    data = load(RunConfig())
    assert len(data.probe_inputs) == 256
    rows = {row.tobytes() for row in data.test_inputs}
    assert all(row.tobytes() in rows for row in data.probe_inputs)
    assert len(prepare(raw(), 0.0, "standardize", 0).probe_inputs) == 60


def test_split_keeps_every_class_in_proportion():
    labels = np.repeat([0, 1, 2], [100, 50, 10])
    train, test = stratified_split(labels, 0.2)
    assert sorted([*train, *test]) == list(range(160))
    np.testing.assert_array_equal(np.bincount(labels[test]), [20, 10, 2])
    np.testing.assert_array_equal(stratified_split(labels, 0.2)[0], train)


def test_cache_keeps_no_more_than_it_may(monkeypatch):
    monkeypatch.setattr(Data, "size", CACHE_BYTES / 2)
    first = load(RunConfig(noise=0.1, seed=0))
    for seed in range(1, 4):
        load(RunConfig(noise=0.1, seed=seed))
    again = load(RunConfig(noise=0.1, seed=0))
    assert again is not first
    np.testing.assert_array_equal(again.train_inputs, first.train_inputs)
