"""Percentiles of pre-activations over time, per network (Ioffe & Szegedy 2015, Fig. 1 b, c)."""

from __future__ import annotations

import math

from bnviz.charts.chart import Chart, ChartView, Selector, Table
from bnviz.charts.grid import in_rows, lay_out
from bnviz.charts.over_time import OverTime, PlotTrace
from bnviz.charts.scale import REACH, asinh_ticks, zones
from bnviz.probes.axis import units

TICKS = (-1000.0, -300, -100, -30, -10, -3, -1, 0, 1, 3, 10, 30, 100, 300, 1000)
# Percentiles and their columns, in drawing order. The band is between the first two percentiles.
NAMES = (("p15", 0), ("p85", 2), ("p50", 1))
# Indices of `NAMES` from the top down, for ordering the labels of lines that coincide.
TOP_DOWN = (1, 2, 0)
PLOTS = (180, 225)
# Plot heights in pixels for panels in two rows, with normal and with large type.
PLOTS_LOW = (150, 150)
MOST_ACROSS, THREE = 2, 3


def build(view: ChartView) -> Chart:
    """Build the chart of the 15th, 50th and 85th percentile of one unit's pre-activation."""
    selectors = (layer_selector(view), unit_selector(view))
    return _build(view, "percentiles", "unit", "$layer,$unit", selectors)


def build_layer(view: ChartView) -> Chart:
    """Build the chart of the 15th, 50th and 85th percentile over all units of a layer."""
    return _build(view, "percentiles_layer", "layer", "$layer", (layer_selector(view),))


def layer_selector(view: ChartView) -> Selector:
    """Return a selector for the hidden layer; its default is the last layer."""
    return Selector("layer", view.text("layer"), view.layer_names(), view.layers - 1)


def unit_selector(view: ChartView) -> Selector:
    """Return a selector of one of the eight measured units of a layer."""
    name = view.text("unit_name")
    names = [name.format(number=unit + 1) for unit in units(view.config.width)]
    return Selector("unit", view.text("unit"), names, len(names) // 2)


def _build(
    view: ChartView, name: str, value: str, index: str, selectors: tuple[Selector, ...]
) -> Chart:
    texts, count = view.texts[name], len(view.norms)
    # Put three panels in one row if there is room, for easy comparison.
    across = count if count == THREE and not view.large_type else MOST_ACROSS
    panels = [
        _panel(view, norm, f"{norm}.percentiles.{value}", index, numbered=place % across == 0)
        for place, norm in enumerate(view.norms)
    ]
    arranged = lay_out(
        view, PLOTS if count <= MOST_ACROSS else PLOTS_LOW, in_rows(panels, across),
        in_rows(panels, MOST_ACROSS),
    )  # fmt: skip
    zone = view.config.activation in ("tanh", "sigmoid")
    return Chart(
        subtitle=texts["subtitle_zone" if zone else "subtitle"], selectors=selectors,
        table=_table(view, value, index), **arranged,
    )  # fmt: skip


def _panel(view: ChartView, norm: str, field: str, index: str, *, numbered: bool) -> OverTime:
    """Return the panel of one network: band, median, and lines at the limits of saturation."""
    texts = view.texts["percentiles"]
    lines = [
        PlotTrace(norm=norm, field=field, index=f"{index},{column}", label=texts[key],
              width=2.4 if key == "p50" else 1.0, fill=0.14 if key == "p85" else 0.0)
        for key, column in NAMES
    ]  # fmt: skip
    # Draw lines, not shaded zones: an area that extends to the limit of the axis would keep the
    # axis that wide.
    edges = {edge for zone in zones(view.config.activation) for edge in zone if abs(edge) < REACH}
    options = {"include": [-math.asinh(3), math.asinh(3)]}
    return OverTime(
        heading=view.label(norm), norm=norm, lines=lines, ends=TOP_DOWN, marks=(norm,),
        axis=view.phi, levels=sorted(edges),
        value_axis={"autorange": True, "autorangeoptions": options, **asinh_ticks(TICKS)},
        transform="asinh", clip=(-REACH, REACH), shares="values", numbered=numbered,
    )  # fmt: skip


def _table(view: ChartView, value: str, index: str) -> Table:
    texts, ordered = view.texts["percentiles"], sorted(NAMES, key=lambda name: name[1])
    return Table(view.columns(*(
        (texts[key], f"percentiles.{value}", "number", f"{index},{column}")
        for key, column in ordered
    )))  # fmt: skip
