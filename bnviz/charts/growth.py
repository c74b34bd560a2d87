"""By how much the gradient grows from one layer to the one below it."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Quantity, build_profile, network_lines
from bnviz.charts.scale import factor_axis

# Beyond these factors values are marked at the edge; the table has them.
CLIP = (1e-2, 1e2)
TICKS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
# In a narrow plot: those around 1, where most factors lie, and the ends.
FEW = (0.01, 0.1, 0.3, 1, 3, 10, 100)


def build(view: ChartView) -> Chart:
    """The factor of each layer on a log axis, with a line at 1: the gradient keeps its size."""
    texts = view.texts["growth"]
    lines = network_lines(view, "gradients.growth", texts["growth"])
    axis = factor_axis(TICKS, include=(-0.55, 0.55), allowed=(-2.1, 2.1))
    factor = Quantity(
        view.text("ratio_above"), axis, lines, clip=CLIP, levels=(1,), few=FEW, beyond=True
    )
    # The last hidden layer's is a step between layers of different widths.
    return build_profile(view, [factor], layer=(view.layers - 1) // 2)
