"""Weight gradients, layer by layer and over time."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Line, Quantity, build_profile
from bnviz.charts.scale import decades

CLIP = (1e-20, 1e10)


def build(view: ChartView) -> Chart:
    """The norm of each layer's weight gradient on a log axis wide enough for all of them."""
    texts = view.texts["gradients"]
    lines = [
        Line(norm, f"{norm}.gradients.grad_weight_norm", view.label(norm), texts["norm"])
        for norm in view.norms
    ]
    options = {"include": [-2, 0], "minallowed": -20, "maxallowed": 10}
    value_axis = {"type": "log", "autorange": True, "autorangeoptions": options, **decades(-20, 10)}
    quantity = Quantity(
        "gradients", texts["axis"], value_axis, ("gradients",), clip=CLIP, output=True
    )
    return build_profile(
        view, quantity, lines, title=texts["title"], subtitle=texts["subtitle"],
        panels=(texts["over_layers"], texts["over_time"]),
        source=view.texts["source"]["gradients"],
    )  # fmt: skip
