import numpy as np

from bnviz.charts import binding as kinds
from tests.charts.conftest import PAIR, make_chart
from tests.charts.real_module import apply


def test_the_cut_network_shows_what_the_probe_found(pair):
    chart = make_chart("cut", PAIR)
    figure = apply(chart, pair, selected={"cut": 1})
    for one in chart.bindings:
        if isinstance(one, kinds.Heat):
            norm, trace = one.field.partition(".")[0], figure.data[one.trace]
            shares = pair[-1].array(f"{norm}.cut.accuracy")[1]
            np.testing.assert_allclose([list(row) for row in trace.z], shares)
            assert list(trace.x) == list(trace.y) == [0, 2]
    (selector,) = chart.selectors
    assert list(selector.options) == ["layer 1", "layer 2"]
