"""Variation of μ_B and σ_B over mini-batches, in units of σ: measured, and expected by chance."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Line, Quantity, build_profile
from bnviz.charts.scale import factor_axis
from bnviz.charts.time_axis import end_labels

CLIP = (1e-3, 1e1)
TICKS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)
# Ticks that are still labelled in a narrow plot: the two ends of the axis, and its middle, where
# most values are.
FEW = (0.001, 0.03, 0.1, 0.3, 10)


def build(view: ChartView) -> Chart:
    texts = view.texts["batch_noise"]
    quantities = [_quantity(view, statistic) for statistic in ("mean", "std")]
    subtitle = view.say(texts["subtitle"], each=view.own(texts, "each"))
    # Show layer 1 first: in higher layers, BN has already removed the mini-batch's own mean, so
    # little variation is left.
    return build_profile(view, quantities, subtitle=subtitle, layer=0)


def _quantity(view: ChartView, statistic: str) -> Quantity:
    texts, ends = view.texts["batch_noise"], end_labels(view)
    # The expected value depends only on the batch size, so one line serves all networks. The line
    # shows the values of a network that is unlikely to break.
    norm = (*view.batch_norms(), *view.norms)[0]
    lines = [
        Line(None, f"{norm}.batch_noise.{statistic}_expected",
             view.own(texts, "expected"),
             texts[f"expected_{statistic}"]),
        *(Line(norm, f"{norm}.batch_noise.{statistic}", ends[norm], texts[statistic])
          for norm in view.norms),
    ]  # fmt: skip
    axis = factor_axis(TICKS, include=(-1.6, -0.45), allowed=(-3.1, 1.1))
    return Quantity(texts[f"axis_{statistic}"], axis, lines,
                    heading=texts[f"heading_{statistic}"], clip=CLIP, few=FEW)  # fmt: skip
