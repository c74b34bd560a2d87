"""Test accuracy over steps, examples, epochs or seconds of training, as the reader selects."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from bnviz.charts.binding import Across, Bindings, Label
from bnviz.charts.chart import Chart, ChartView, Selector, Table
from bnviz.charts.grid import Panel, Spot, lay_out
from bnviz.charts.panels import widest
from bnviz.charts.scale import from_zero, percents
from bnviz.charts.theme import Attributes
from bnviz.charts.time_axis import add_labels, add_line, end_labels

PLOTS = (190, 240)
# Options of the x axis: text key -> scalar field of the frame. An empty field means the step.
COUNTS = {
    "steps": "", "examples": "examples", "epochs": "epochs", "seconds": "training_seconds",
}  # fmt: skip
CHOICE = "count"


def build(view: ChartView) -> Chart:
    texts = view.texts["accuracy_by"]
    arranged = lay_out(view, PLOTS, [[Lines()]])
    names = [texts[name] for name in COUNTS]
    selector = Selector(
        CHOICE, texts["choice"], names, 0,
        layouts=[{"xaxis.title.text": texts[f"{name}_axis"]} for name in COUNTS],
    )  # fmt: skip
    columns = view.columns(
        (texts["accuracy"], "test_accuracy", "percent1"), (texts["epochs"], "epochs"),
        (texts["seconds"], "training_seconds"),
    )  # fmt: skip
    return Chart(selectors=(selector,), table=Table(columns), **arranged)


@dataclass(frozen=True, kw_only=True)
class Lines(Panel):
    """Panel with one accuracy line per network."""

    def left(self, view: ChartView) -> int:
        return view.left_margin(4)

    def right(self, view: ChartView) -> int:
        names = end_labels(view).values()
        return round(widest(names, view.sizes.base)) + 14

    def fill(self, figure: go.Figure, view: ChartView, spot: Spot) -> Bindings:
        names = end_labels(view)
        axes: Attributes = {"x": spot.x, "y": spot.y}
        bindings, labels = Bindings(), list[Label]()
        for norm in view.norms:
            line: Attributes = {
                "field": f"{norm}.test_accuracy", "scale": 100.0, "across": _across(norm),
            }  # fmt: skip
            hover = f"{view.label(norm)}: %{{y:.3g}} %, %{{x:.3g}}<extra></extra>"
            bindings.append(add_line(figure, view.styles[norm], hover=hover, **axes, **line))
            labels.append(Label(text=names[norm], **line))
        colours = [view.styles[norm].text for norm in view.norms]
        return [*bindings, add_labels(figure, view, labels, colours, **axes)]

    def axes(self, view: ChartView, spot: Spot) -> tuple[Attributes, Attributes]:
        return (
            {"title": view.texts["accuracy_by"]["steps_axis"], **from_zero()},
            {"title": view.texts["accuracy"]["axis"], **percents(0)},
        )

    def shapes(self, view: ChartView, spot: Spot) -> list[Attributes]:
        return [view.chance(xref=f"{spot.x} domain", yref=spot.y)]


def _across(norm: str) -> Across:
    """Return the fields of the x coordinates of a network's points, one per option."""
    fields = [f"{norm}.{scalar}" if scalar else "" for scalar in COUNTS.values()]
    return Across(by=f"${CHOICE}", fields=fields)
