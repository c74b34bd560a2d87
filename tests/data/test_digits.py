"""Embedded digits, compared with their source."""

import numpy as np
from sklearn.datasets import load_digits

from bnviz.data import digits


def test_embedded_file_equals_scikit_learns_copy():
    source = load_digits()
    with np.load(digits.FILE, allow_pickle=False) as file:
        assert file["images"].dtype == np.uint8
        np.testing.assert_array_equal(file["images"], source.data)
        np.testing.assert_array_equal(file["labels"], source.target)


def test_split_is_80_to_20_and_loses_nothing():
    raw = digits.load()
    assert (len(raw.train_labels), len(raw.test_labels)) == (1438, 359)
    source = load_digits()
    both = np.concatenate([raw.train_inputs, raw.test_inputs])
    order = np.lexsort(both.T)
    np.testing.assert_array_equal(both[order] * 16, source.data[np.lexsort(source.data.T)])
    shares = np.bincount(raw.test_labels) / np.bincount(source.target)
    assert shares.min() > 0.19
    assert shares.max() < 0.21
