"""Wasserstein-1 distance of a layer's values from its step-0 values, before and after the norm."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Line, Quantity, build_profile
from bnviz.charts.scale import log_axis
from bnviz.charts.time_axis import end_labels
from bnviz.norms import NORMS

# Bounds of the axis. The distance at step 0 is exactly 0 and is drawn at the lower bound.
CLIP = (1e-3, 1e4)


def build(view: ChartView) -> Chart:
    texts, ends = view.texts["drift"], end_labels(view)
    lines = []
    for norm in view.norms:
        field, label = f"{norm}.drift.w1_start", ends[norm]
        if norm == "none" or not NORMS[norm].stands_first(view.config.norm_position):
            lines.append(Line(norm, field, label, texts["w1"], row=1))
            continue
        lines.append(Line(norm, field, "", texts["before"], row=0, thin=True))
        lines.append(Line(norm, field, label, texts["after"], row=1))
    axis = log_axis(-3, 4, include=(-1.5, 0.5), labelled=1)
    distance = Quantity(texts["axis"], axis, lines, clip=CLIP)
    return build_profile(view, [distance])
