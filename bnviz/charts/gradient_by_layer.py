"""Root mean square of ∂loss/∂(W h + b) by layer: growth or decay of the gradient."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Quantity, build_profile, network_lines
from bnviz.charts.scale import log_axis

LOW, HIGH = -20, 10
CLIP = (10.0**LOW, 10.0**HIGH)
# Powers of ten that are still labelled in a narrow plot.
FEW = tuple(10.0**power for power in range(LOW, HIGH + 1, 2))


def build(view: ChartView) -> Chart:
    texts = view.texts["gradient_by_layer"]
    lines = network_lines(view, "gradients.grad_pre_activation_rms", texts["size"])
    axis = log_axis(LOW, HIGH, include=(-3, 0))
    size = Quantity(texts["axis"], axis, lines, clip=CLIP, few=FEW, output=True)
    # Show layer 2 over time, because it is the lowest layer whose gradient does not depend on the
    # scale of the inputs.
    return build_profile(view, [size], layer=min(1, view.layers - 1))
