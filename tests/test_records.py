import numpy as np
import pytest

from bnviz.records import NetworkRecord


def record(loss: float) -> NetworkRecord:
    probes = {"gradients": {"grad_weight_norm": np.full(3, loss, dtype=np.float32)}}
    return NetworkRecord(loss, loss + 1, 0.5, "learning", None, probes)


def test_records_are_frozen_and_name_their_defaults() -> None:
    found = record(1.0)
    assert found.undefined_norm is None
    assert found.measured_at == {}
    with pytest.raises(AttributeError):
        found.loss = 2.0  # type: ignore[misc]
