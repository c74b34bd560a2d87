"""Accuracy over what it took: steps, examples, epochs, or seconds of training, as the reader asks.

Networks that take the same steps are apart in seconds, where a step of one takes longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Across, Binding, Label, Series
from bnviz.charts.chart import Chart, ChartView, Column, Selector, Table
from bnviz.charts.grid import Page, Panel, Spot, lay_out
from bnviz.charts.panels import text_width
from bnviz.charts.time_axis import add_labels, add_line, end_labels

PLOT, PLOT_LARGE = 190, 240
# By the key of its words, the scalar of a frame that tells how much it took; "": steps.
COUNTS = {
    "steps": "", "examples": "examples", "epochs": "epochs", "seconds": "training_seconds",
}  # fmt: skip
CHOICE = "count"


def build(view: ChartView) -> Chart:
    """One panel, whose axis across is chosen."""
    texts, page, figure = view.texts["accuracy_by"], Page.of(view, PLOT, PLOT_LARGE), go.Figure()
    bindings, arranged = lay_out(figure, page, [[Lines()]])
    names = [texts[name] for name in COUNTS]
    selector = Selector(
        CHOICE, texts["choice"], names, 0,
        layouts=[{"xaxis.title.text": texts[f"{name}_axis"]} for name in COUNTS],
    )  # fmt: skip
    say, columns = view.texts["common"]["network_column"], list[Column]()
    for norm in view.norms:
        for value, what, style in (
            ("test_accuracy", "accuracy", "percent1"), ("epochs", "epochs", "number"),
            ("training_seconds", "seconds", "number"),
        ):  # fmt: skip
            label = say.format(network=view.label(norm), what=texts[what])
            columns.append(Column(label, f"{norm}.{value}", style))  # type: ignore[arg-type]
    return Chart(
        name="accuracy_by", title=texts["title"], subtitle=texts["subtitle"], figure=figure,
        bindings=bindings, selectors=(selector,),
        table=Table(texts["subtitle"], columns, row_names=view.texts["common"]["step"]), **arranged,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Lines(Panel):
    """A line a network, over what was chosen."""

    def left(self, page: Page) -> int:
        """Room for percentages and the title."""
        return themes.left_margin(page.sizes, 4)

    def right(self, page: Page) -> int:
        """Room for the names at the ends of the lines."""
        names = end_labels(page.view).values()
        return round(max(text_width(name, page.sizes.base) for name in names)) + 14

    def fill(self, figure: go.Figure, page: Page, spot: Spot) -> list[Binding]:
        """Add the lines and their names."""
        view, names = page.view, end_labels(page.view)
        bindings: list[Binding] = []
        labels = []
        for norm in view.norms:
            line: dict[str, Any] = {
                "field": f"{norm}.test_accuracy", "scale": 100.0, "across": _across(norm),
            }  # fmt: skip
            hover = f"{view.label(norm)}: %{{y:.3g}} %, %{{x:.3g}}<extra></extra>"
            series = Series(trace=len(figure.data), **line)
            bindings.append(
                add_line(figure, series, page.styles[norm], hover=hover, x=spot.x, y=spot.y)
            )
            labels.append(Label(text=names[norm], **line))
        colours = [page.styles[norm].text for norm in view.norms]
        return [
            *bindings, add_labels(figure, view, page.sizes, labels, colours, x=spot.x, y=spot.y)
        ]  # fmt: skip

    def axes(self, page: Page, spot: Spot) -> tuple[dict[str, Any], dict[str, Any]]:
        """From zero on, so that lengths compare; and all accuracies."""
        texts, view = page.view.texts["accuracy_by"], page.view
        return (
            themes.axis(
                page.theme, page.sizes, texts["steps_axis"], anchor=spot.y, autorange=True,
                rangemode="tozero", autorangeoptions={"include": [0], "minallowed": 0}, nticks=6,
            ),
            themes.axis(
                page.theme, page.sizes, view.texts["accuracy"]["axis"], anchor=spot.x,
                range=[0, 102], tickvals=[0, 25, 50, 75, 100],
            ),
        )  # fmt: skip

    def shapes(self, page: Page, spot: Spot) -> list[dict[str, Any]]:
        """A line at the accuracy of guessing."""
        chance = 100 / page.view.classes
        line = {"color": page.theme.muted, "width": 1, "dash": "dot"}
        return [{"type": "line", "layer": "below", "xref": f"{spot.x} domain", "x0": 0, "x1": 1,
                 "yref": spot.y, "y0": chance, "y1": chance, "line": line}]  # fmt: skip


def _across(norm: str) -> Across:
    """What the points of a network stand over."""
    fields = [f"{norm}.{scalar}" if scalar else "" for scalar in COUNTS.values()]
    return Across(by=f"${CHOICE}", fields=fields)
