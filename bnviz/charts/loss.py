"""Loss over time: the test set thick, the mini-batches thin."""

from __future__ import annotations

import math
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Binding, Clip, Label, Series
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.panels import arrange, text_width
from bnviz.charts.scale import decades
from bnviz.charts.time_axis import (
    add_labels,
    add_line,
    add_marks,
    end_labels,
    marks_axis,
    marks_room,
    step_axis,
)

# Beyond these bounds a loss is drawn on the bound, with its number at the end of the line.
CLIP = (1e-4, 1e5)
# A figure lower than this many pixels has its title alone to say what the axes are, and its plot
# this many.
LOW, LOW_PLOT = 190, 72


def build(view: ChartView) -> Chart:
    """Test loss and mini-batch loss of each network on one logarithmic axis."""
    return _build(view, "loss", "test_loss", 1.0, CLIP, thin="loss")


def build_accuracy(view: ChartView) -> Chart:
    """Test accuracy of each network, 0 to 100 %."""
    return _build(view, "accuracy", "test_accuracy", 100.0, None, thin=None)


def _build(
    view: ChartView, name: str, value: str, scale: float, clip: Clip | None, thin: str | None
) -> Chart:
    theme, sizes = themes.theme(view.dark), themes.type_sizes(large=view.large)
    styles, texts = theme.networks(view.norms), view.texts[name]
    squared = "_squared" if name == "loss" and view.config.loss == "squared" else ""
    axis, subtitle = texts[f"axis{squared}"], texts[f"subtitle{squared}"]
    figure, bindings = go.Figure(), list[Binding]()
    for norm in view.norms if thin else ():
        series = Series(trace=len(figure.data), field=f"{norm}.{thin}", clip=clip)
        bindings.append(add_line(figure, series, styles[norm], width=1.2, opacity=0.6, y="y2"))
    for norm in view.norms:
        series = Series(trace=len(figure.data), field=f"{norm}.{value}", clip=clip, scale=scale)
        hover = f"{view.label(norm)} %{{y:.3g}}<extra></extra>"
        bindings.append(add_line(figure, series, styles[norm], hover=hover, y="y2"))
    ends = end_labels(view)
    labels = [Label(field=f"{norm}.{value}", text=ends[norm], clip=clip, scale=scale)
              for norm in view.norms]  # fmt: skip
    colours = [styles[norm].text for norm in view.norms]
    bindings.append(add_labels(figure, view, sizes, labels, colours, y="y2"))
    plot = 240 if view.large else 144
    bindings += add_marks(figure, view, theme, sizes, styles, y="y", plot=plot)
    # On the stage the chart is low: its heading says what is drawn, the axes have numbers alone.
    above, top, bottom = marks_room(sizes), 6, round((1.6 if view.large else 3.2) * sizes.base)
    left = themes.left_margin(sizes, 4) - (round(1.5 * sizes.small) if view.large else 0)
    step = "" if view.large else view.texts["common"]["step"]
    widest = max(text_width(words, sizes.base) for words in ends.values()) + 14
    # Room for a number in brackets, of a loss beyond the axis.
    number = text_width(" (3e9)", sizes.base) if name == "loss" else 0.0
    upward = _value_axis(view, name, theme, sizes, "" if view.large else axis)
    figure.layout = themes.layout(
        theme, sizes,
        xaxis=step_axis(theme, sizes, step),
        yaxis2=upward,
        yaxis=marks_axis("x"),
        margin={"l": left, "t": top, "b": bottom},
        shapes=_chance(view, theme) if name == "accuracy" else [],
    )  # fmt: skip
    domain = [0, plot / (plot + above)]
    height = top + above + plot + bottom
    said = {
        "yaxis2.domain": domain, "yaxis2.title.text": upward["title"]["text"], "margin.l": left,
        "xaxis.title.text": step, "margin.b": bottom, "yaxis2.ticktext": upward.get("ticktext"),
    }  # fmt: skip
    arranged = arrange(
        figure, view,
        (height, {"margin.r": round(widest + number), "xaxis.nticks": 8, **said}),
        (height, {"margin.r": round(widest), "xaxis.nticks": 4, **said}),
    )  # fmt: skip
    fewer = _every_second(upward["ticktext"]) if name == "loss" else None
    low = {
        "yaxis2.domain": [0, LOW_PLOT / (LOW_PLOT + above)], "yaxis2.title.text": "",
        "margin.l": left - round(1.5 * sizes.small), "xaxis.title.text": "",
        "margin.b": round(1.7 * sizes.base), "yaxis2.ticktext": fewer,
    }  # fmt: skip
    return Chart(
        name=name, title=texts["title"], subtitle=subtitle, figure=figure, time=True,
        bindings=bindings, switch={"group": "loss", "label": texts["switch"]},
        table=_table(view, name, value, subtitle, thin), **arranged,
        low=None if view.large else {"layout": low, "below": LOW},
    )  # fmt: skip


def _value_axis(
    view: ChartView, name: str, theme: themes.Theme, sizes: themes.Type, title: str
) -> dict[str, Any]:
    if name == "accuracy":
        return themes.axis(
            theme, sizes, title, anchor="x", range=[0, 102],
            tickvals=[0, 50, 100] if view.large else [0, 25, 50, 75, 100],
        )  # fmt: skip
    # In powers of ten, as ranges of logarithmic axes are; two decades at least, for ticks to show.
    low, high = (math.log10(bound) for bound in CLIP)
    options = {"include": [-1, 1], "minallowed": low, "maxallowed": high}
    ticks = decades(round(low), round(high), labelled=1)
    ends = {0: "≤", -1: "≥"}
    for end, sign in ends.items():
        ticks["ticktext"][end] = sign + ticks["ticktext"][end]
    if view.large:
        ticks["ticktext"] = _every_second(ticks["ticktext"])
    font = {"color": theme.muted, "size": sizes.base if view.large else round(sizes.base * 0.9)}
    return themes.axis(theme, sizes, title, type="log", anchor="x", autorange=True, tickfont=font,
                       autorangeoptions=options, **ticks)  # fmt: skip


def _every_second(words: list[str]) -> list[str]:
    """The numbers of a low figure: 0.1 and 10 are always among them, and the ends of the axis."""
    low, last = round(math.log10(CLIP[0])), len(words) - 1
    return [
        word if at in (0, last) or (1 < at < last - 1 and (low + at) % 2) else ""
        for at, word in enumerate(words)
    ]


def _chance(view: ChartView, theme: themes.Theme) -> list[dict[str, Any]]:
    """A line at the accuracy of guessing."""
    chance = 100 / view.classes
    return [{
        "type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": "y2", "y0": chance, "y1": chance,
        "layer": "below", "line": {"color": theme.muted, "width": 1, "dash": "dot"},
    }]  # fmt: skip


def _table(view: ChartView, name: str, value: str, caption: str, thin: str | None) -> Table:
    texts, format_ = view.texts[name], view.texts["common"]["network_column"]
    columns = []
    for norm in view.norms:
        label = view.label(norm)
        style: Any = "percent1" if name == "accuracy" else "number"
        columns.append(Column(format_.format(network=label, what=texts["test"]),
                              f"{norm}.{value}", style))  # fmt: skip
        if thin:
            words = format_.format(network=label, what=texts["batch"])
            columns.append(Column(words, f"{norm}.{thin}"))
    return Table(caption, columns, row_names=view.texts["common"]["step"])
