"""10th, 50th and 90th percentile of the singular values of each layer's Jacobian."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Line, Quantity, build_profile
from bnviz.charts.scale import factor_axis
from bnviz.charts.time_axis import end_labels

# Singular values beyond these bounds are drawn at the edge; the table contains them. Inactive ReLU
# units give singular values of exactly 0.
CLIP = (1e-2, 1e2)
TICKS = (0.01, 0.03, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 100)
# Percentiles and their columns; the median is last, thick and labelled.
COLUMNS = (("p10", 0), ("p90", 2), ("p50", 1))


def build(view: ChartView) -> Chart:
    texts, ends = view.texts["jacobian"], end_labels(view)
    # With more than two networks, there is no room to label all lines.
    outer = {key: texts[key] if len(view.norms) < 3 else "" for key, _ in COLUMNS}
    lines = [
        Line(norm, f"{norm}.jacobian.percentiles", ends[norm] if key == "p50" else outer[key],
             texts[key], column=column, thin=key != "p50")
        for norm in view.norms for key, column in COLUMNS
    ]  # fmt: skip
    axis = factor_axis(TICKS, include=(-0.75, 0.45), allowed=(-2.1, 2.1))
    values = Quantity(texts["axis"], axis, lines, clip=CLIP, levels=(1,), beyond=True)
    return build_profile(view, [values])
