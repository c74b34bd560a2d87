"""Factor by which the gradient grows from one layer to the layer below it."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Quantity, build_profile, network_lines
from bnviz.charts.scale import factor_axis

# Factors beyond these bounds are drawn at the edge; the table contains them.
CLIP = (1e-2, 1e2)
TICKS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
# Ticks that are still labelled in a narrow plot: the ticks around 1, where most factors are, and
# the outermost ticks.
FEW = (0.01, 0.1, 0.3, 1, 3, 10, 100)


def build(view: ChartView) -> Chart:
    texts = view.texts["growth"]
    lines = network_lines(view, "gradients.growth", texts["growth"])
    axis = factor_axis(TICKS, include=(-0.55, 0.55), allowed=(-2.1, 2.1))
    factor = Quantity(
        view.text("ratio_above"), axis, lines, clip=CLIP, levels=(1,), few=FEW, beyond=True
    )
    # Show a middle layer over time, because the factor of the last hidden layer compares layers of
    # different widths.
    return build_profile(view, [factor], layer=(view.layers - 1) // 2)
