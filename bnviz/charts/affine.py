"""Learned scale γ and shift β of the units of each layer."""

from __future__ import annotations

from collections.abc import Sequence

from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.grid import Panel, lay_out
from bnviz.charts.over_time import OverTime, PlotTrace
from bnviz.charts.percentiles import layer_selector, unit_selector
from bnviz.charts.profile import SHARE, Line, Profile, Quantity
from bnviz.charts.theme import Attributes
from bnviz.charts.time_axis import end_labels
from bnviz.norms import NORMS

PLOTS = (150, 164)
# Range that the axis of each parameter always shows, around the initial value.
LEAST = {"gamma": [0.5, 1.5], "beta": [-0.5, 0.5]}
# Values beyond these bounds are drawn at the edge; the table contains them.
CLIP = (-1e4, 1e4)
# Columns of the percentile field: the 10th, 50th and 90th percentile over the units.
LOW, MIDDLE, HIGH = 0, 1, 2
AROUND = ((LOW, "p10"), (HIGH, "p90"))


def build(view: ChartView) -> Chart:
    norms = [norm for norm in view.norms if NORMS[norm].affine]
    rows = [_row(view, name, norms, first=place == 0) for place, name in enumerate(LEAST)]
    arranged = lay_out(view, PLOTS, rows)
    return Chart(
        selectors=(layer_selector(view), unit_selector(view)),
        table=Table(_columns(view, norms), view.layer_names()), **arranged,
    )  # fmt: skip


def _row(view: ChartView, name: str, norms: Sequence[str], *, first: bool) -> list[Panel]:
    texts, axis = view.texts["affine"], _axis(name)
    lines = [line for norm in norms for line in _profile(view, name, norm)]
    quantity = Quantity(
        texts[f"axis_{name}"], axis, lines, heading=texts[f"heading_{name}"], clip=CLIP
    )
    return [
        Profile(heading=quantity.heading, quantity=quantity),
        OverTime(
            heading=view.text("over_time") if first else "", axis=quantity.axis,
            names_marks=first, value_axis=axis, clip=CLIP, share=1 - SHARE, marks=tuple(norms),
            lines=[line for norm in norms for line in _over_time(view, name, norm)],
        ),
    ]  # fmt: skip


def _axis(name: str) -> Attributes:
    return {"autorange": True, "autorangeoptions": {"include": LEAST[name]}, "nticks": 6}


def _profile(view: ChartView, name: str, norm: str) -> list[Line]:
    """Return a profile's lines: the units' 10th and 90th percentiles (thin), and their median."""
    texts, field = view.texts["affine"], f"{norm}.affine.{name}"
    around = [Line(norm, field, "", texts[f"{name}_{key}"], column=column, thin=True)
              for column, key in AROUND]  # fmt: skip
    return [*around, Line(norm, field, "", texts[f"{name}_p50"], column=MIDDLE)]


def _over_time(view: ChartView, name: str, norm: str) -> list[PlotTrace]:
    """Return traces over time: 10th to 90th percentile (band), median, and one unit (dotted)."""
    field, index = f"{norm}.affine.{name}", "$layer,{column}"
    return [
        PlotTrace(norm=norm, field=field, index=index.format(column=LOW), width=1.0),
        PlotTrace(norm=norm, field=field, index=index.format(column=HIGH), width=1.0, fill=0.14),
        PlotTrace(norm=norm, field=field, index=index.format(column=MIDDLE),
              label=end_labels(view)[norm]),
        PlotTrace(norm=norm, field=f"{field}_unit", index="$layer,$unit", width=1.3,
              line_style={"dash": "2px,2px"}),
    ]  # fmt: skip


def _columns(view: ChartView, norms: Sequence[str]) -> list[Column]:
    texts = view.texts["affine"]
    parts = (("p10", LOW), ("p50", MIDDLE), ("p90", HIGH))
    of = []
    for name in LEAST:
        field = f"affine.{name}"
        of += [(texts[f"{name}_{key}"], field, "number", f":,{column}") for key, column in parts]
        of.append((texts[f"{name}_unit"], f"{field}_unit", "number", ":,$unit"))
    return view.columns(*of, norms=norms)
