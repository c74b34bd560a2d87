"""Charts of γ and β and of value distributions, filled with a real run."""

import numpy as np
import pytest

from bnviz.config import RunConfig
from tests.charts.conftest import make_chart, record
from tests.charts.real_module import apply

PARTS = RunConfig(
    dataset="moons", depth=2, width=8, norms=("none", "batch", "batch_scale", "batch_shift"),
)  # fmt: skip


def drawn(chart, figure, field, index):
    """Return the values drawn by the series or profile of one field and index."""
    (one,) = [each for each in chart.bindings
              if getattr(each, "field", "") == field and getattr(each, "index", "") == index
              and hasattr(each, "trace")]  # fmt: skip
    trace = figure.data[one.trace]
    return np.array(trace["x"] if index.startswith(":") else trace["y"], dtype=float)


@pytest.mark.parametrize("norm", ["batch", "batch_scale", "batch_shift"])
def test_gamma_and_beta_are_drawn_of_every_layer_and_over_time(norm):
    chart, frames = make_chart("affine", PARTS), record(PARTS)
    figure = apply(chart, frames)
    for name in ("gamma", "beta"):
        field = f"{norm}.affine.{name}"
        last = frames[-1].array(field)
        for column in range(3):
            np.testing.assert_allclose(
                drawn(chart, figure, field, f":,{column}"), last[:, column], rtol=1e-6
            )
            over_time = drawn(chart, figure, field, f"$layer,{column}")
            expected = [frame.array(field)[-1, column] for frame in frames]
            np.testing.assert_allclose(over_time[-len(expected) :], expected, rtol=1e-6)
        unit = drawn(chart, figure, f"{field}_unit", "$layer,$unit")
        units = [frame.array(f"{field}_unit")[-1, 4] for frame in frames]
        np.testing.assert_allclose(unit[-len(units) :], units, rtol=1e-6)


def test_a_network_that_normalizes_nothing_has_neither():
    chart = make_chart("affine", PARTS)
    assert not [one for one in chart.bindings if getattr(one, "field", "").startswith("none.")]
    assert not [each for each in chart.table.columns if each.field.startswith("none.")]


def test_the_shape_of_what_a_layer_gets_stands_beside_that_of_what_its_weights_make_of_it():
    chart, frames = make_chart("shape", PARTS), record(PARTS)
    figure = apply(chart, frames)
    for measure in ("distance", "zeros"):
        last = frames[-1].array(f"none.shape.{measure}")
        for column in (0, 1):
            found = drawn(chart, figure, f"none.shape.{measure}", f":,{column}")
            np.testing.assert_allclose(found, 100 * last[:, column], rtol=1e-6)
    named = {(each.field, each.index) for each in chart.table.columns}
    for measure in ("distance", "skewness", "kurtosis", "not_normal"):
        assert ("batch.shape." + measure, ":,2") in named, "x̂ is in the table"


def test_how_far_normal_samples_are_is_drawn_where_all_layers_have_as_many():
    flat, conv = (make_chart("shape", config) for config in (PARTS, RunConfig(network="conv")))
    assert len(flat.figure.layout.shapes) > 0
    assert "normal samples" in flat.subtitle
    assert len(conv.figure.layout.shapes) == 0
    assert "normal samples" not in conv.subtitle
