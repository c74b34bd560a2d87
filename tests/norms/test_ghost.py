"""Ghost batch normalization: parts of a mini-batch, and their running averages."""

import pytest
import torch

from bnviz.norms.ghost import part_sizes
from tests.every_case import every_case
from tests.norms.making import MAP, TIGHT, make, values


@every_case(
    ("examples", "size", "parts"),
    [(240, 8, [8] * 30), (60, 8, [9] * 4 + [8] * 3), (8, 8, [8]), (7, 8, [7]), (2, 8, [2]),
     (15, 8, [15]), (17, 8, [9, 8]), (5, 2, [3, 2]), (1, 2, [1])],
)  # fmt: skip
def test_no_part_is_smaller_than_asked_for_and_what_is_left_over_is_spread(
    examples: int, size: int, parts: list[int]
) -> None:
    assert part_sizes(examples, size).tolist() == parts


@every_case("positions", [(), MAP])
@every_case("ghost_size", [13, 20, 1000])
def test_a_mini_batch_of_one_part_is_normalized_as_by_batch_norm(
    ghost_size: int, positions: tuple[int, ...]
) -> None:
    norm, plain = make("ghost", ghost_size=ghost_size), make("batch")
    x, dy = values(20, positions), values(20, positions, seed=2)
    (y, cache), (expected, known) = (each.forward(x, training=True) for each in (norm, plain))
    torch.testing.assert_close(y, expected, **TIGHT)
    torch.testing.assert_close(norm.backward(dy, cache), plain.backward(dy, known), **TIGHT)
    for each, other in ((norm.gradients, plain.gradients),
                        (norm.batch_statistics(cache), plain.batch_statistics(known))):  # fmt: skip
        assert each.keys() == other.keys()
        for name, value in each.items():
            torch.testing.assert_close(value, other[name], **TIGHT)


@every_case("positions", [(), MAP])
@every_case(("ghost_size", "first"), [(5, 5), (6, 7), (2, 2)])
def test_a_part_knows_nothing_of_the_others(
    ghost_size: int, first: int, positions: tuple[int, ...]
) -> None:
    norm = make("ghost", ghost_size=ghost_size)
    x, dy = values(20, positions), values(20, positions, seed=2)
    other, other_dy = x.clone(), dy.clone()
    other[first:] *= 3
    other_dy[first:] -= 1
    found = []
    for given, slopes in ((x, dy), (other, other_dy)):
        y, cache = norm.forward(given, training=True)
        found.append((y, norm.backward(slopes, cache)))
    for one, two in zip(*found, strict=True):
        torch.testing.assert_close(one[:first], two[:first], **TIGHT)
        assert not torch.allclose(one[first:], two[first:])


@every_case("positions", [(), MAP])
def test_what_is_stored_estimates_the_mean_and_variance_of_all(positions: tuple[int, ...]) -> None:
    """Check the mean of the whole mini-batch and the unbiased variance within its parts."""
    norm = make("ghost", ghost_size=3, width=2000)
    cache = norm.forward(values(10, positions, width=2000), training=True)[1]
    found = norm.batch_statistics(cache)
    x = values(10, positions, width=2000)
    units = x.transpose(0, 1).flatten(1)
    torch.testing.assert_close(found["running_mean"], units.mean(1), **TIGHT)
    # The values have a standard deviation of 2, so their variance is 4.
    assert float(found["running_var"].mean()) == pytest.approx(4, rel=0.05)
    parts = x.tensor_split(3)
    within = torch.cat([part - part.mean((0, *range(2, x.ndim)), keepdim=True) for part in parts])
    total = (within**2).transpose(0, 1).flatten(1).sum(1)
    torch.testing.assert_close(found["running_var"], total / (units.shape[1] - 3), **TIGHT)


def test_parts_are_cut_anew_where_the_mini_batch_or_its_type_changes() -> None:
    norm = make("ghost", ghost_size=4)
    for size, dtype in ((20, torch.float64), (9, torch.float64), (9, torch.float32)):
        twin = make("ghost", ghost_size=4)
        x = values(size).to(dtype)
        assert norm.forward(x, training=True)[0].equal(twin.forward(x, training=True)[0])
