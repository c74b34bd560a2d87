"""Common parts of charts over time: step axis, marks of changes and breaks, and cursor."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import plotly.graph_objects as go

from bnviz.charts.binding import Bindings, Cursor, Label, Labels, Marks, Series
from bnviz.charts.chart import ChartView
from bnviz.charts.panels import add_trace, add_words, narrowest, widest
from bnviz.charts.scale import from_zero
from bnviz.charts.theme import Attributes, NetworkStyle

# Smallest end of the step axis, so that the axis does not jump during the first steps.
LEAST_STEPS = 20
# Maximum share of a narrow chart's width for the labels at the ends of lines.
MOST_END = 0.36


def steps() -> Attributes:
    """Return the step axis, from 0 to the newest step."""
    return {**from_zero(LEAST_STEPS, nticks=8), "tickformat": "d"}


def marks_axis(x: str) -> Attributes:
    """Return the hidden axis of the marks, from 0 to 1, which includes space for their labels.

    It is added before the axis of values, so that the pointer selects values and not marks.
    """
    return {
        "anchor": x, "range": [0, 1], "fixedrange": True, "visible": False, "showgrid": False,
        "zeroline": False,
    }  # fmt: skip


def marks_room(view: ChartView) -> int:
    """Return the pixels above a panel for labels of marks: one row each for changes and breaks."""
    return 2 * (view.sizes.small + 3)


def end_labels(view: ChartView) -> dict[str, str]:
    """Return the labels of lines, by network; short if names are long or type is large."""
    room, names = MOST_END * narrowest(view, "compact"), map(view.label, view.norms)
    if widest(names, view.sizes.base) > room or (view.large_type and len(view.norms) > 2):
        return {norm: view.short_label(norm) for norm in view.norms}
    return {norm: view.label(norm) for norm in view.norms}


def add_line(
    figure: go.Figure, style: NetworkStyle, *, width: float = 2.4, opacity: float = 1.0,
    hover: str | None = None, x: str = "x", y: str = "y", line_style: Attributes | None = None,
    **drawn: Any,
) -> Series:  # fmt: skip
    """Add an empty line; `drawn` are the fields of its `Series`."""
    line = style.stroke(width) | ({} if width > 1.5 else {"dash": "solid"}) | (line_style or {})
    trace = add_trace(figure, go.Scatter(
        x=[], y=[], mode="lines", opacity=opacity, xaxis=x, yaxis=y, line=line,
        connectgaps=False, hoverinfo="skip" if hover is None else None,
        hovertemplate=hover, name="",
    ))  # fmt: skip
    return Series(trace=trace, **drawn)


def add_rings(
    figure: go.Figure, style: NetworkStyle, *, x: str = "x", y: str = "y", **drawn: Any
) -> Series:
    """Add rings, still without data, at the steps at which a series was measured."""
    trace = add_trace(figure, go.Scatter(
        x=[], y=[], mode="markers", xaxis=x, yaxis=y, hoverinfo="skip", name="", cliponaxis=False,
        marker={"symbol": "circle-open", "size": 13, "color": style.line, "line": {"width": 2}},
    ))  # fmt: skip
    return Series(trace=trace, joined=False, **drawn)


def add_labels(
    figure: go.Figure, view: ChartView, of: list[Label], colours: list[str],
    *, x: str = "x", y: str = "y",
) -> Labels:  # fmt: skip
    """Add labels at the ends of lines. The page moves apart labels that would overlap."""
    end = view.text("line_end")
    of = [replace(label, text=end.format(text=label.text)) for label in of]
    trace = add_words(
        figure, [None] * len(of), [None] * len(of), text=[label.text for label in of],
        textposition="middle right", textfont={"color": colours, "size": view.sizes.base},
        xaxis=x, yaxis=y,
    )  # fmt: skip
    words = view.texts["common"]
    return Labels(
        trace=trace, of=of, lost=words["lost"], lost_short=words["lost_short"],
        gap=view.sizes.base + 3.0,
    )  # fmt: skip


def add_marks(
    figure: go.Figure, view: ChartView, *, networks: tuple[str, ...] | None = None,
    x: str = "x", y: str = "y2", plot: float = 150.0, names_marks: bool = True,
) -> Bindings:  # fmt: skip
    """Add lines at live changes and at breaks of `networks`, and the cursor, on the marks axis.

    `plot` is the height of the panel in pixels. Labels are above the panel, with changes above
    breaks. Without `names_marks` there are no labels, and the marks axis is as high as the panel.
    """
    texts, new = dict(view.texts["marks"]), dict(view.texts["marks_new"])
    room = marks_room(view)
    line = room / 2 / (plot + room)
    if not names_marks:
        texts, new, line = {}, {}, 0.0
    names = {norm: view.label(norm) for norm in view.norms}
    bindings: Bindings = []

    def add(colour: str, dash: str, position: str, width: float) -> int:
        return add_trace(figure, go.Scatter(
            x=[None], y=[None], text=[], mode="lines+text", textposition=position,
            line={"color": colour, "width": width, "dash": dash}, cliponaxis=False,
            textfont={"color": colour, "size": view.sizes.small}, hoverinfo="skip", xaxis=x,
            yaxis=y,
        ))  # fmt: skip

    trace = add(view.theme.ink, "solid", "top left", 1.2)
    bindings.append(
        Marks(trace=trace, of="changes", labels=texts, labels_new=new, networks=names,
              top=1 - line)
    )  # fmt: skip
    for norm in view.norms if networks is None else networks:
        trace = add(view.styles[norm].text, "2px,2px", "top right", 1.5)
        bindings.append(Marks(trace=trace, of=norm, labels=texts, top=1 - 2 * line))
    trace = add_trace(figure, go.Scatter(
        x=[None, None], y=[0, 1], mode="lines", line={"color": view.theme.cursor, "width": 1},
        hoverinfo="skip", cliponaxis=False, xaxis=x, yaxis=y,
    ))  # fmt: skip
    bindings.append(Cursor(trace=trace))
    return bindings
