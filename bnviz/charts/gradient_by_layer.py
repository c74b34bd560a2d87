"""The size of the gradient in every layer: how much it grows or shrinks on its whole way down."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Quantity, build_profile, network_lines
from bnviz.charts.scale import log_axis

LOW, HIGH = -20, 10
CLIP = (10.0**LOW, 10.0**HIGH)
# Powers of ten that keep their number in a narrow plot.
FEW = tuple(10.0**power for power in range(LOW, HIGH + 1, 2))


def build(view: ChartView) -> Chart:
    """The root mean square of ∂loss/∂(W h + b) on a log axis wide enough for all layers."""
    texts = view.texts["gradient_by_layer"]
    lines = network_lines(view, "gradients.grad_pre_activation_rms", texts["size"])
    axis = log_axis(LOW, HIGH, include=(-3, 0))
    size = Quantity(texts["axis"], axis, lines, clip=CLIP, few=FEW, output=True)
    # Over time: layer 2, the lowest whose factor does not depend on how inputs are scaled.
    return build_profile(view, [size], layer=min(1, view.layers - 1))
