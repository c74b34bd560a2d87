"""Chart of a covariance matrix's eigenvalues, and the count printed on it."""

import numpy as np

from bnviz.charts import binding as kinds
from tests.charts.conftest import PAIR, make_chart
from tests.charts.real_module import apply


def test_a_layers_eigenvalues_are_drawn_and_its_zeros_are_counted(pair):
    chart = make_chart("spectrum", PAIR)
    (selector,) = chart.selectors
    assert (selector.name, len(selector.options)) == ("layer", PAIR.depth)
    for layer in (0, PAIR.depth - 1):
        figure = apply(chart, pair, selected={"layer": layer})
        for one in chart.bindings:
            drawn, of = figure.data[one.trace], pair[-1].array(one.field)[layer]
            if isinstance(one, kinds.Array):
                np.testing.assert_allclose(drawn.y, np.clip(of, 1e-12, 1), rtol=1e-6)
                assert list(drawn.x) == list(range(1, PAIR.width + 1))
            else:
                assert f"{of:.0f} of {PAIR.width} are zero" in drawn.text[one.at]
    assert {one.field.partition(".")[0] for one in chart.bindings} == set(PAIR.norms)
