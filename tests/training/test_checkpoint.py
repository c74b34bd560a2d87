import numpy as np
import pytest

from bnviz.training.checkpoint import pack, unpack
from tests.every_case import every_case


def test_a_tree_comes_back() -> None:
    tree = {
        "step": 3,
        "none": None,
        "nested": {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": [1.5, "x", True]},
        "list": [np.array([1, 2], dtype=np.uint8), {"deep": np.zeros((0, 2))}],
        "not finite": [float("inf"), float("-inf")],
    }
    found = unpack(pack(tree))
    assert found["step"] == 3
    assert found["none"] is None
    assert found["nested"]["b"] == [1.5, "x", True]
    np.testing.assert_array_equal(found["nested"]["a"], tree["nested"]["a"])
    assert found["nested"]["a"].dtype == np.float32
    np.testing.assert_array_equal(found["list"][0], [1, 2])
    assert found["list"][1]["deep"].shape == (0, 2)
    assert found["not finite"] == [float("inf"), float("-inf")]


def test_non_finite_arrays_come_back() -> None:
    found = unpack(pack({"a": np.array([np.nan, np.inf])}))["a"]
    assert np.isnan(found[0])
    assert np.isinf(found[1])


WHOLE = pack({"a": np.arange(3), "b": 1})


@every_case(
    "junk", [b"", b"junk", b"junk" * 9, b"PK" + WHOLE[2:], WHOLE[:10], WHOLE[:-1], WHOLE + b"1"]
)
def test_junk_is_refused(junk: bytes) -> None:
    with pytest.raises(ValueError, match="not a checkpoint"):
        unpack(junk)


def test_a_checkpoint_is_read_without_the_parser_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11.7 raises SystemError when two threads parse at the same moment."""
    with monkeypatch.context() as without_parser:
        without_parser.setattr("ast.parse", None)
        found = unpack(WHOLE)
    assert found["b"] == 1
