"""Loss on the test set and on mini-batches over time, and test accuracy over time."""

from __future__ import annotations

import math

import plotly.graph_objects as go

from bnviz.charts.binding import Bindings, Label
from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.panels import Arrangement, arrange, text_width, widest
from bnviz.charts.scale import decades, log_range, with_ends
from bnviz.charts.theme import Attributes
from bnviz.charts.time_axis import (
    add_labels,
    add_line,
    add_marks,
    add_rings,
    end_labels,
    marks_axis,
    marks_room,
    steps,
)
from bnviz.words.numbers import Format

Bounds = tuple[float, float]

# A loss beyond these bounds is drawn at the bound, with its number at the end of the line.
CLIP = (1e-4, 1e5)
# Bounds of the loss in the chart that shows only mini-batch losses. These losses hardly rise while
# a network learns.
BATCH_CLIP = (1e-3, 1e1)
# Height in pixels below which a figure has no axis titles, and height in pixels of the plot in such
# a figure.
LOW, LOW_PLOT = 190, 72


def build(view: ChartView) -> Chart:
    """Build the chart of test and mini-batch loss; the presentation view has only test loss."""
    return _build(view, "loss", "test_loss", 1.0, CLIP, thin=None if view.large_type else "loss")


def build_accuracy(view: ChartView) -> Chart:
    return _build(view, "accuracy", "test_accuracy", 100.0, None, thin=None)


def build_batch(view: ChartView) -> Chart:
    """Build the chart of the mini-batch loss, with rings at values just before an action."""
    return _build(view, "batch_loss", "loss", 1.0, BATCH_CLIP, thin=None, ring="before_change.loss")


def _build(
    view: ChartView, name: str, value: str, scale: float, clip: Bounds | None, thin: str | None,
    ring: str | None = None,
) -> Chart:  # fmt: skip
    texts = view.texts[name]
    squared = "_squared" if clip and view.config.loss == "squared" else ""
    axis, subtitle = texts[f"axis{squared}"], texts[f"subtitle{squared}"]
    figure, bindings = go.Figure(), Bindings()
    for norm in view.norms if thin else ():
        bindings.append(
            add_line(figure, view.styles[norm], field=f"{norm}.{thin}", clip=clip, width=1.2,
                     opacity=0.6, y="y2")
        )  # fmt: skip
    ends, labels = end_labels(view), list[Label]()
    for norm in view.norms:
        line: Attributes = {"field": f"{norm}.{value}", "clip": clip, "scale": scale}
        hover = f"{view.label(norm)} %{{y:.3g}}<extra></extra>"
        bindings.append(add_line(figure, view.styles[norm], hover=hover, y="y2", **line))
        labels.append(Label(text=ends[norm], **line))
    for norm in view.norms if ring else ():
        field = f"{norm}.{ring}"
        bindings.append(
            add_rings(figure, view.styles[norm], field=field, index="0", clip=clip, y="y2")
        )
    colours = [view.styles[norm].text for norm in view.norms]
    bindings.append(add_labels(figure, view, labels, colours, y="y2"))
    plot = 240 if view.large_type else 144
    bindings += add_marks(figure, view, y="y", plot=plot)
    # In the presentation view, the chart is low: its heading names the quantity, and its axes have
    # only numbers.
    above, top, bottom = (
        marks_room(view),
        6,
        round((1.6 if view.large_type else 3.2) * view.sizes.base),
    )
    left = view.left_margin(4) - (round(1.5 * view.sizes.small) if view.large_type else 0)
    step = "" if view.large_type else view.text("step")
    names = widest(ends.values(), view.sizes.base) + 14
    # If a loss is beyond the axis, its number follows the name in brackets. Add space for this
    # number.
    number = text_width(" (3e9)", view.sizes.base) if clip else 0.0
    upward = _value_axis(view, clip, "" if view.large_type else axis)
    figure.layout = view.layout(
        xaxis=view.axis(step, **steps()), yaxis2=upward, yaxis=marks_axis("x"),
        margin={"l": left, "t": top, "b": bottom},
        shapes=[view.chance(yref="y2")] if name == "accuracy" else [],
    )  # fmt: skip
    domain = [0, plot / (plot + above)]
    height = top + above + plot + bottom
    said = {
        "yaxis2.domain": domain, "yaxis2.title.text": upward["title"]["text"], "margin.l": left,
        "xaxis.title.text": step, "margin.b": bottom, "yaxis2.ticktext": upward.get("ticktext"),
    }  # fmt: skip
    arranged = arrange(
        figure, view,
        Arrangement(height, {"margin.r": round(names + number), "xaxis.nticks": 8, **said}),
        Arrangement(height, {"margin.r": round(names), "xaxis.nticks": 4, **said}),
    )  # fmt: skip
    style: Format = "number" if clip else "percent1"
    more = [(texts["batch"], thin)] if thin else [(texts["ring"], ring, style, "0")] if ring else []
    drawn = texts["batch" if value == "loss" else "test"]
    columns = view.columns((drawn, value, style), *more)
    fewer = _every_second(upward["ticktext"], clip) if clip else None
    low = {
        "yaxis2.domain": [0, LOW_PLOT / (LOW_PLOT + above)], "yaxis2.title.text": "",
        "margin.l": left - round(1.5 * view.sizes.small), "xaxis.title.text": "",
        "margin.b": round(1.7 * view.sizes.base), "yaxis2.ticktext": fewer,
    }  # fmt: skip
    switch = {"group": "loss", "label": texts["switch"]} if "switch" in texts else None
    return Chart(
        subtitle=subtitle, figure=figure, bindings=bindings, switch=switch, table=Table(columns),
        **arranged,
        low=None if view.large_type else {"layout": low, "below": LOW},
    )  # fmt: skip


def _value_axis(view: ChartView, clip: Bounds | None, title: str) -> Attributes:
    if clip is None:
        percents = [0, 50, 100] if view.large_type else [0, 25, 50, 75, 100]
        return view.axis(title, anchor="x", range=[0, 102], tickvals=percents)
    # The range is in powers of ten, as Plotly requires for log axes. It has at least two decades,
    # so that ticks are visible.
    low, high = _powers(clip)
    ticks = decades(low, high, labelled=1)
    words = with_ends(ticks["ticktext"])
    ticks["ticktext"] = _every_second(words, clip) if view.large_type else words
    size = view.sizes.base if view.large_type else round(view.sizes.base * 0.9)
    return view.axis(
        title, **log_range(low, high, include=(-1, 1)), **ticks, anchor="x",
        tickfont={"color": view.theme.muted, "size": size},
    )  # fmt: skip


def _powers(clip: Bounds) -> tuple[int, int]:
    return round(math.log10(clip[0])), round(math.log10(clip[1]))


def _every_second(words: list[str], clip: Bounds) -> list[str]:
    """Blank every second number for a low figure; keep 0.1, 10 and the ends of the axis."""
    low, last = _powers(clip)[0], len(words) - 1
    return [
        word if at in (0, last) or (1 < at < last - 1 and (low + at) % 2) else ""
        for at, word in enumerate(words)
    ]
