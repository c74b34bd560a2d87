import numpy as np

from bnviz.training.batches import Batches
from tests.every_case import every_case


def test_each_epoch_is_a_permutation() -> None:
    batches = Batches(10, seed=1)
    stream = np.concatenate([batches.take(4) for _ in range(10)])
    for epoch in range(4):
        assert sorted(stream[10 * epoch : 10 * epoch + 10]) == list(range(10))
    assert not np.array_equal(stream[:10], stream[10:20])


@every_case("sizes", [[1] * 60, [7, 7, 7, 7, 7, 7, 7, 11], [60], [25, 1, 34]])
def test_the_order_does_not_depend_on_the_sizes_taken(sizes: list[int]) -> None:
    batches = Batches(10, seed=1)
    stream = np.concatenate([batches.take(size) for size in sizes])
    np.testing.assert_array_equal(stream, Batches(10, seed=1).take(60))


def test_peeking_consumes_nothing() -> None:
    batches, other = Batches(10, seed=1), Batches(10, seed=1)
    for size in (3, 8, 25, 2):
        expected = other.take(size)
        batches.peek(40)
        np.testing.assert_array_equal(batches.peek(size), expected)
        np.testing.assert_array_equal(batches.take(size), expected)


def test_position_is_the_whole_state() -> None:
    batches = Batches(10, seed=1)
    batches.take(33)
    resumed = Batches(10, seed=1)
    resumed.position = batches.position
    np.testing.assert_array_equal(resumed.take(20), batches.take(20))


def test_seed_decides() -> None:
    assert not np.array_equal(Batches(50, seed=1).take(50), Batches(50, seed=2).take(50))
