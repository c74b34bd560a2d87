"""Distributions of one network, as outlines or heat strips; layer l is at y = l."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import plotly.graph_objects as go

from bnviz.charts.binding import (
    Bindings,
    Callout,
    Heat,
    Ridges,
    State,
    StateText,
    Text,
    grey,
)
from bnviz.charts.chart import ChartView
from bnviz.charts.layer_plan import MOST_RIDGES, share_type
from bnviz.charts.panels import add_trace, add_words, axis_name, text_width
from bnviz.charts.scale import BIN_WIDTH, HEAT_FULL, REACH
from bnviz.charts.theme import Attributes, NetworkStyle
from bnviz.networks.saturation_zones import FLAT_ZONES
from bnviz.probes.axis import BINS
from bnviz.words.numbers import NO_BREAK_SPACE

# Lower end of an outline, relative to the row's middle, and height of its highest bin, both in
# rows. Each outline is scaled to its own peak.
BASE, HEIGHT = -0.44, 0.86
# Text of a share with the largest width, for the space reserved beside the column.
WIDEST_SHARE = "100 %"
# Longest text of a share that fits beside a column. The word beside the row that broke is placed
# after a space for this text.
LONGEST_SHARE = "99.5 %"

# Last position on the axis of the distributions. Text that starts here is beside the column.
BESIDE = REACH * 0.999
# Positions of the text about values beyond the axis, as shares of the axis. In the presentation
# view, the text is farther from the share beside the column, so that the two do not read as one.
INSIDE, INSIDE_LARGE = 0.985, 0.92
BESIDE_TYPE = 13
FULL_COUNT = 65535
# Opacity of an outline's fill.
FILLED = 0.32
# Opacity of a heat strip, by the share of values in a bin. The square root makes thin tails
# visible.
HEAT = {share: round(share**0.5, 3) for share in (0, 0.02, 0.1, 0.25, 0.5, 1)}


@dataclass(frozen=True)
class NetworkPlace:
    """Place of one network in a chart.

    Attributes:
        number: index of the network.
        y: axis of the layers.
        flat: number printed for the flat zone of a ReLU: "dead" units, or the "share" of all
            values.
        above: distance in rows from the last layer up to the text about a stopped network, or None
            for no text.
        tall: whether a standard normal distribution nearly fills its row.
    """

    view: ChartView
    norm: str
    number: int
    y: str = "y"
    flat: Literal["dead", "share"] = "dead"
    above: float | None = 1.0
    tall: bool = False

    @property
    def style(self) -> NetworkStyle:
        return self.view.styles[self.norm]

    @property
    def heat(self) -> bool:
        """Return whether the rows are heat strips because they are too low for outlines."""
        return self.view.layers > MOST_RIDGES

    @property
    def axes(self) -> Attributes:
        return {"xaxis": axis_name("x", self.number), "yaxis": self.y}

    @property
    def depth(self) -> int:
        """Return the number of rows without the output: hidden layers, or time steps."""
        return self.view.layers

    def offset(self) -> float:
        """Return the y offset of this network's marks, so that networks do not hide each other."""
        count = len(self.view.norms)
        close = count == 2 and not self.heat
        reach = 0.0 if count == 1 else 0.19 if close else 0.26
        return reach - 2 * reach * self.number / max(count - 1, 1)

    def rows(self, count: int) -> list[float]:
        return [row + self.offset() for row in range(1, count + 1)]


def distribution(
    figure: go.Figure, place: NetworkPlace, *, outside: bool, shares: bool = True,
    beyond: bool = True,
) -> Bindings:  # fmt: skip
    """Add a network's column: current and step-0 outlines, or heat strips, with numbers.

    Args:
        outside: whether shares are beside the column (on its left for the flat zone of a ReLU).
        shares: whether rows have room for numbers.
        beyond: whether columns have room for the shares of values beyond the axis.
    """
    bindings = _heat(figure, place) if place.heat else _ridges(figure, place)
    lines = _lines(place, outside=outside) if shares else []
    lines = [line for line in lines if beyond or abs(line.x) == BESIDE]
    return bindings + _words(figure, place, lines, outside=outside)


def callout(place: NetworkPlace, *, word: bool = False) -> Callout:
    """Return the callout of a network; with `word`, the row that broke has a word beside it."""
    view = place.view
    share = round(text_width(LONGEST_SHARE, view.sizes.heading)) + 12
    return Callout(
        network=place.norm, field=f"{place.norm}.saturation.saturated",
        x=place.axes["xaxis"], y=place.y, base=BASE, rows=view.layer_names(),
        words=dict(view.texts["callout"]),
        first=view.texts["hills"]["first"] if word else "", beside=share,
    )  # fmt: skip


def _start_outlines(figure: go.Figure, place: NetworkPlace) -> Ridges:
    """Add the dotted outlines of step 0, behind all other outlines."""
    trace = add_trace(figure, go.Scatter(
        x=[], y=[], mode="lines", hoverinfo="skip", **place.axes,
        line={"color": place.view.theme.muted, "width": 1, "dash": "1px,2px", "simplify": False},
    ))  # fmt: skip
    return _outlines(place, trace, "start_histogram")


def _outlines(place: NetworkPlace, trace: int, probe: str) -> Ridges:
    return Ridges(
        trace=trace, field=f"{place.norm}.{probe}.nonlinearity_input", left=-REACH, right=REACH,
        base=[row + BASE for row in range(1, place.depth + 1)], height=HEIGHT,
        peaks=(f"{place.norm}.{probe}.nonlinearity_input",),
    )  # fmt: skip


def _ridges(figure: go.Figure, place: NetworkPlace) -> Bindings:
    start = _start_outlines(figure, place)
    state = add_filled(figure, place.view, place.norm, **place.axes)
    return [start, _outlines(place, state.trace, "histogram"), state]


def _heat(figure: go.Figure, place: NetworkPlace) -> Bindings:
    return add_heat(
        figure, place.view, place.norm, x0=-REACH + BIN_WIDTH / 2, dx=BIN_WIDTH, y0=1, dy=1,
        ygap=1, **place.axes,
    )  # fmt: skip


def add_filled(
    figure: go.Figure, view: ChartView, norm: str, *, width: float = 1.5, opacity: float = FILLED,
    **axes: str,
) -> State:  # fmt: skip
    """Add closed outlines in a network's colour; they turn grey once the network has diverged."""
    style = view.styles[norm]
    alive = {"line.color": style.line, "fillcolor": style.alpha(opacity)}
    trace = add_trace(figure, go.Scatter(
        x=[], y=[], mode="lines", fill="toself", fillcolor=alive["fillcolor"],
        line={"color": style.line, "width": width, "simplify": False}, hoverinfo="skip", **axes,
    ))  # fmt: skip
    dead = {"line.color": view.theme.dead, "fillcolor": "rgba(128,128,128,0.25)"}
    return grey(norm, trace, alive, dead)


def add_heat(figure: go.Figure, view: ChartView, norm: str, **more: Any) -> Bindings:
    """Add heat strips in a network's colour; they turn grey once the network has diverged."""
    alive, dead = heat_scales(view.styles[norm], HEAT)
    trace = add_trace(figure, go.Heatmap(
        z=[[0.0] * BINS] * view.layers, zmin=0, zmax=HEAT_FULL, colorscale=alive,
        showscale=False, hoverinfo="skip", **more,
    ))  # fmt: skip
    return [
        Heat(trace=trace, field=f"{norm}.histogram.nonlinearity_input", scale=1 / FULL_COUNT),
        grey(norm, trace, {"colorscale": alive}, {"colorscale": dead}),
    ]


def heat_scales(style: NetworkStyle, opacities: Mapping[float, float]) -> list[list[list[Any]]]:
    """Return two colour scales with these opacities, in the network's colour and in grey."""
    paints = style.alpha, lambda opacity: f"rgba(128,128,128,{opacity})"
    return [[[share, paint(at)] for share, at in opacities.items()] for paint in paints]


@dataclass(frozen=True)
class _Line:
    """Number that is printed in every row.

    Attributes:
        template: text around the number, or None.
        x: position on the axis of values. A number at an end of the axis is inside the column.
        up: distance above the row's middle, in rows.
        blank: whether zero is left out.
    """

    field: str
    template: str | None
    x: float
    up: float
    blank: bool = True

    @property
    def position(self) -> str:
        if self.x in (REACH, -BESIDE):
            return "middle left"
        return "middle center" if self.x == 0 else "middle right"


def _lines(place: NetworkPlace, *, outside: bool) -> list[_Line]:
    """Return the numbers of a row: saturated share or dead units, and shares beyond the axis."""
    texts, phi = place.view.texts["layers"], place.view.config.activation
    upper, lower = (0.0, 0.0) if place.heat else (0.27, -0.1)
    high, low, strange, side = lower, upper, lower, -REACH
    large_type = place.flat == "share" and outside and bool(place.view.large_type)
    lines = list[_Line]()
    if place.tall:
        beside = _Line("saturation.saturated", None, BESIDE, 0.0, False)
        lines += [beside] if phi in FLAT_ZONES else []
    elif phi in ("sigmoid", "tanh"):
        up = 0 if outside and not large_type else upper
        lines.append(_Line("saturation.saturated", None, BESIDE if outside else REACH, up, False))
    elif phi == "relu" and place.flat == "share":
        left = -BESIDE if outside else -REACH
        lines.append(_Line("saturation.saturated", None, left, upper, False))
        # The saturated share is at the left end of the axis, so the other numbers move away from
        # it.
        low, strange, side = lower, upper, REACH
    elif phi == "relu":
        words = None if outside else texts["dead"]
        up = 0 if outside else upper
        lines.append(_Line("saturation.dead", words, BESIDE if outside else REACH, up))
    if large_type:
        # In large type, a row has room for only one line of numbers: at the ends of the axis, and
        # in its middle.
        high, low, strange, side = upper, upper, upper, 0
    ends = (
        ("beyond_high_short", "beyond_low_short") if place.tall else ("beyond_high", "beyond_low")
    )
    lines.append(_Line("histogram.overflow", texts[ends[0]], REACH, high))
    lines.append(_Line("histogram.underflow", texts[ends[1]], -REACH, low))
    # A heat strip has room for one line only, so the share of non-finite values is in the middle.
    strange_at = 0 if place.heat else side
    lines.append(_Line("histogram.nonfinite", texts["nonfinite"], strange_at, strange))
    return lines


def _off_the_edge(place: NetworkPlace, line: _Line) -> str | None:
    """Return a line's template, with spaces that separate the number from the column's edge."""
    if place.tall and abs(line.x) == BESIDE:
        return f"{2 * NO_BREAK_SPACE}{{value}}"
    if abs(line.x) != BESIDE or not place.view.large_type:
        return line.template
    return f"{NO_BREAK_SPACE}{{value}}{NO_BREAK_SPACE}"


def _words(
    figure: go.Figure, place: NetworkPlace, lines: list[_Line], *, outside: bool
) -> Bindings:
    """Add one text trace with the numbers of all rows and the text about a stopped network."""
    norm, depth, x, y, position = place.norm, place.depth, [], [], []
    large_type = outside and place.flat == "share" and place.view.large_type
    inset = INSIDE_LARGE if large_type else INSIDE
    for line in lines:
        x += [line.x if abs(line.x) == BESIDE else line.x * inset] * depth
        y += [row + line.up for row in range(1, depth + 1)]
        position += [line.position] * depth
    if place.above is not None:
        x.append(-REACH * 0.985)
        y.append(depth + place.above)
        position.append("middle right")
    if not x:
        return []
    sizes = [share_type(place.view)] * len(x)
    # With normal type and many networks, numbers have less room inside columns than beside them.
    if outside and not place.view.large_type:
        inside = min(sizes[0], BESIDE_TYPE)
        beside = place.view.sizes.heading if place.tall else sizes[0]
        sizes = [beside if abs(at) == BESIDE else inside for at in x]
    weights = [600 if place.tall and abs(at) == BESIDE else 400 for at in x]
    trace = add_words(
        figure, x, y, **place.axes, textposition=position,
        textfont={"color": place.style.text, "size": sizes, "weight": weights},
    )  # fmt: skip
    bindings: Bindings = [
        Text(trace=trace, field=f"{norm}.{line.field}", format="percent0", at=at * depth,
             template=_off_the_edge(place, line), blank_zero=line.blank)
        for at, line in enumerate(lines)
    ]  # fmt: skip
    if place.above is not None:
        when = {"diverged": place.view.text("stopped")}
        bindings.append(StateText(trace=trace, network=norm, at=len(x) - 1, when=when))
    return bindings
