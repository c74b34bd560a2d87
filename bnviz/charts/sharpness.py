"""Largest curvature of the loss over time, and the stability limit of the learning rate."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.grid import lay_out
from bnviz.charts.over_time import OverTime, PlotTrace, network_traces
from bnviz.charts.scale import log_axis
from bnviz.charts.theme import Attributes

PLOTS = (210, 290)
# A curvature of zero or less is drawn at the lower bound; the table contains its number.
CLIP = (1e-4, 1e8)
# Length of a dot in pixels.
DOT = 3
# Field of the stability limit. The limit depends only on knobs, so it is known at every step and
# constant until a knob changes.
LIMIT = "stability_limit"
# Fields and names of the table's columns, in this order.
VALUES = (
    ("sharpness.lambda_max", "lambda_max"), (LIMIT, "limit"), ("sharpness.lambda_min", "lambda_min")
)  # fmt: skip


def build(view: ChartView) -> Chart:
    """Build the chart of λ_max of each network, with the limit 2(1+β)/η of its learning rate."""
    texts = view.texts["sharpness"]
    # An Adam step is not the gradient times a rate, so there is no limit for the curvature.
    edge = view.config.optimizer == "sgd"
    limits = [
        PlotTrace(
            norm=norm, field=f"{norm}.{LIMIT}", width=1.6, shared=True,
            line_style={"dash": _dots(place, len(view.norms)), "shape": "hv"},
            label=texts["limit_short"] if place == 0 else "",
        )
        for place, norm in enumerate(view.norms) if edge
    ]  # fmt: skip
    lines = network_traces(view, "sharpness.lambda_max")
    panel = OverTime(lines=[*limits, *lines], axis=texts["axis"], clip=CLIP,
                     value_axis=_axis())  # fmt: skip
    arranged = lay_out(view, PLOTS, [[panel]])
    subtitle = texts["subtitle"]
    if edge:
        subtitle += texts["edge"] + (texts["batch"] if view.batch_norms() else "")
    columns = view.columns(
        *((texts[value], field) for field, value in VALUES if edge or field != LIMIT)
    )
    return Chart(subtitle=subtitle, table=Table(columns), **arranged)


def _axis() -> Attributes:
    """Return a log axis with additional lines at 2 and 5 times each power of ten."""
    axis = log_axis(-4, 8, include=(0.6, 1.4), labelled=1)
    between = [factor * 10.0**power for power in range(-4, 8) for factor in (2, 5)]
    words = [f"{value:g}" if 0.1 <= value < 1000 else "" for value in between]
    return {**axis, "tickvals": [*axis["tickvals"], *between],
            "ticktext": [*axis["ticktext"], *words]}  # fmt: skip


def _dots(place: int, count: int) -> str:
    """Return dots that fall between the other networks' dots, because limits may coincide."""
    return f"0px,{DOT * 2 * place}px,{DOT}px,{DOT * (2 * (count - place) - 1)}px"
