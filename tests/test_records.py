import numpy as np
import pytest

from bnviz.records import History, NetworkRecord, Snapshot


def record(loss: float) -> NetworkRecord:
    probes = {"gradients": {"grad_weight_norm": np.full(3, loss, dtype=np.float32)}}
    return NetworkRecord(loss, loss + 1, 0.5, "learning", None, probes)


def test_history_gives_series() -> None:
    history = History(Snapshot(step, {"none": record(float(step))}) for step in (0, 5, 10))
    assert len(history) == 3
    assert [snapshot.step for snapshot in history] == [0, 5, 10]
    np.testing.assert_array_equal(history.steps(), [0, 5, 10])
    np.testing.assert_array_equal(history.series("none", "test_loss"), [1, 6, 11])
    values = history.probe("none", "gradients", "grad_weight_norm")
    assert values.shape == (3, 3)
    np.testing.assert_array_equal(values[:, 0], [0, 5, 10])
    with pytest.raises(KeyError):
        history.probe("none", "jacobian", "zeros")


def test_records_are_frozen_and_name_their_defaults() -> None:
    found = record(1.0)
    assert found.paused is None
    assert found.measured_at == {}
    with pytest.raises(AttributeError):
        found.loss = 2.0  # type: ignore[misc]
