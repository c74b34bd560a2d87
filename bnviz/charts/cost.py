"""How long a training step of each network takes, and how many times a plain network's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Array, Binding, Text
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.grid import Page, Panel, Spot, lay_out
from bnviz.charts.over_time import OverTime, Trace
from bnviz.charts.panels import text_width
from bnviz.charts.time_axis import end_labels

PLOT, PLOT_LARGE = 150, 210
# The network that the others are compared with.
PLAIN = "none"
MILLI = 1000.0


def build(view: ChartView) -> Chart:
    """Seconds per step as bars at the step shown, and over time."""
    texts, page, figure = view.texts["cost"], Page.of(view, PLOT, PLOT_LARGE), go.Figure()
    ends, plain = end_labels(view), _compared(view)
    bars = Bars(heading=texts["heading_ratio" if plain else "heading_now"], share=0.36)
    lines = [Trace(norm=norm, field=_field(norm), label=ends[norm]) for norm in view.norms]
    over_time = OverTime(
        heading=texts["heading_time"], lines=lines, axis=texts["axis"], scale=MILLI, share=0.64,
        value_axis={"autorange": True, "rangemode": "tozero",
                    "autorangeoptions": {"include": [0, 0.1], "minallowed": 0}},
    )  # fmt: skip
    bindings, arranged = lay_out(figure, page, [[bars, over_time]])
    say, columns = view.texts["common"]["network_column"], list[Column]()
    for norm in view.norms:
        words = say.format(network=view.label(norm), what=texts["seconds"])
        columns.append(Column(words, _field(norm)))
        if plain and norm != PLAIN:
            words = say.format(network=view.label(norm), what=texts["ratio"])
            columns.append(Column(words, _field(norm), over=_field(PLAIN)))
    return Chart(
        name="cost", title=texts["title"], subtitle=texts["subtitle"], figure=figure, time=True,
        bindings=bindings, table=Table(texts["subtitle"], columns, "vector", [texts["row"]]),
        **arranged,
    )  # fmt: skip


def _field(norm: str) -> str:
    return f"{norm}.seconds_per_step"


@dataclass(frozen=True, kw_only=True)
class Bars(Panel):
    """A bar for each network: its time ÷ the plain network's, or its time where there is none."""

    tall = True

    def left(self, page: Page) -> int:
        """Room for the names of the networks."""
        widest = max(text_width(word, page.sizes.base) for word in end_labels(page.view).values())
        return round(widest) + 10

    def right(self, page: Page) -> int:
        """Room for the number at the end of the longest bar."""
        return round(text_width("000 ms", page.sizes.base))

    def fill(self, figure: go.Figure, page: Page, spot: Spot) -> list[Binding]:
        """Add the bars, the first network's on top, and their numbers."""
        bindings: list[Binding] = []
        norms, texts = page.view.norms, page.view.texts["cost"]
        over = _field(PLAIN) if _compared(page.view) else None
        scale, words = (1.0, texts["times"]) if over else (MILLI, texts["time"])
        for place, norm in enumerate(norms):
            trace, style = len(figure.data), page.styles[norm]
            figure.add_trace(
                go.Bar(
                    x=[None], y=[len(norms) - place], orientation="h", width=0.56, text=[""],
                    textposition="outside", cliponaxis=False, constraintext="none",
                    marker={"color": style.alpha(0.5), "line": {"color": style.line, "width": 1.5}},
                    textfont={"color": style.text, "size": page.sizes.base},
                    hoverinfo="skip", xaxis=spot.x, yaxis=spot.y,
                )
            )  # fmt: skip
            bindings.append(
                Array(trace=trace, attr="x", field=_field(norm), scale=scale, over=over)
            )
            bindings.append(
                Text(trace=trace, field=_field(norm), format="number", scale=scale, over=over,
                     template=words)
            )  # fmt: skip
        return bindings

    def axes(self, page: Page, spot: Spot) -> tuple[dict[str, Any], dict[str, Any]]:
        """From zero, so that lengths compare; the networks' names, without lines."""
        view, texts = page.view, page.view.texts["cost"]
        count, names = len(view.norms), end_labels(view)
        title = texts["axis_ratio" if _compared(view) else "axis"]
        return (
            themes.axis(
                page.theme, page.sizes, title, anchor=spot.y, autorange=True, nticks=5,
                rangemode="tozero",
                autorangeoptions={"include": [0, 1 if _compared(view) else 0.1], "minallowed": 0},
            ),
            themes.axis(
                page.theme, page.sizes, anchor=spot.x, range=[0.4, count + 0.6], fixedrange=True,
                showgrid=False, tickmode="array", tickvals=list(range(count, 0, -1)),
                ticktext=[names[norm] for norm in view.norms],
            ),
        )  # fmt: skip

    def shapes(self, page: Page, spot: Spot) -> list[dict[str, Any]]:
        """A line at the plain network's time."""
        if not _compared(page.view):
            return []
        line = {"color": page.theme.muted, "width": 1, "dash": "3px,3px"}
        return [{"type": "line", "layer": "below", "yref": f"{spot.y} domain", "y0": 0, "y1": 1,
                 "xref": spot.x, "x0": 1, "x1": 1, "line": line}]  # fmt: skip


def _compared(view: ChartView) -> bool:
    return PLAIN in view.norms and len(view.norms) > 1
