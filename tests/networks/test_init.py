import numpy as np
import pytest

from bnviz.networks.init import draw_weights
from tests.every_case import every_case


def hidden(name: str, std: float | None = None) -> np.ndarray:
    return draw_weights(name, std, [(400, 30), (300, 400), (10, 300)], seed=3)[1]


@every_case(
    ("name", "std", "expected"),
    [
        ("glorot", None, (2 / 700) ** 0.5),
        ("he", None, (2 / 400) ** 0.5),
        ("normal", None, 0.1),
        ("normal", 2.5, 2.5),
    ],
)
def test_standard_deviation(name: str, std: float | None, expected: float) -> None:
    assert hidden(name, std).std() == pytest.approx(expected, rel=0.02)


def test_glorot_is_uniform_within_its_limit() -> None:
    assert np.abs(hidden("glorot")).max() <= (6 / 700) ** 0.5


def test_orthogonal_rows_or_columns() -> None:
    wide = hidden("orthogonal")
    np.testing.assert_allclose(wide @ wide.T, np.eye(300), atol=1e-12)
    tall = draw_weights("orthogonal", None, [(400, 30), (300, 400), (10, 300)], seed=3)[0]
    np.testing.assert_allclose(tall.T @ tall, np.eye(30), atol=1e-12)


@every_case("name", ["glorot", "he", "orthogonal", "normal"])
def test_seed_decides(name: str) -> None:
    first, again, other = (draw_weights(name, None, [(6, 4), (2, 6)], seed) for seed in (5, 5, 6))
    assert [weight.shape for weight in first] == [(6, 4), (2, 6)]
    for one, two, three in zip(first, again, other, strict=True):
        np.testing.assert_array_equal(one, two)
        assert not np.array_equal(one, three)
