"""How far each layer's distribution has moved since step 0, before and after the norm."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Line, Quantity, build_profile
from bnviz.charts.scale import decades

# At step 0 the distance is exactly 0 and drawn on the lower bound.
CLIP = (1e-3, 1e4)


def build(view: ChartView) -> Chart:
    """Wasserstein-1 distance from step 0 in its standard deviations, on a log axis."""
    texts = view.texts["drift"]
    lines = []
    for norm in view.norms:
        field, label = f"{norm}.drift.w1_start", view.label(norm)
        if norm == "none" or view.config.norm_position == "after":
            lines.append(Line(norm, field, label, texts["w1"], row=1))
            continue
        lines.append(Line(norm, field, "", texts["before"], row=0, thin=True))
        lines.append(Line(norm, field, label, texts["after"], row=1))
    options = {"include": [-1.5, 0.5], "minallowed": -3, "maxallowed": 4}
    value_axis = {"type": "log", "autorange": True, "autorangeoptions": options,
                  **decades(-3, 4, labelled=1)}  # fmt: skip
    quantity = Quantity("drift", texts["axis"], value_axis, ("drift",), clip=CLIP)
    return build_profile(
        view, quantity, lines, title=texts["title"],
        subtitle=texts["subtitle"].format(probe=view.probe_words()),
        panels=(texts["over_layers"], texts["over_time"]), source=view.texts["source"]["drift"],
    )  # fmt: skip
