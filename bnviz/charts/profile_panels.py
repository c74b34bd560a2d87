"""The panels of a profile chart: what is drawn in them, and where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Array, Binding, Label, Rows, Series
from bnviz.charts.chart import ChartView
from bnviz.charts.panels import Block, arrange, axis_key, axis_name, narrowest, pile, text_width
from bnviz.charts.scale import layer_ticks
from bnviz.charts.time_axis import (
    add_labels,
    add_line,
    add_marks,
    marks_axis,
    marks_room,
    step_axis,
)

if TYPE_CHECKING:
    from bnviz.charts.profile import Line, Quantity

# Share of the width that profiles take, beside the panels over time.
PROFILE = 0.3
# Above this many layers, markers are small.
MOST_MARKERS = 24


class _Axes:
    """Names of the axes of one quantity's two panels.

    The axis of the marks comes before that of the values, so that the pointer finds the latter.
    """

    def __init__(self, place: int) -> None:
        self.value_x, self.step = axis_name("x", 2 * place), axis_name("x", 2 * place + 1)
        self.layer, self.marks, self.value_y = (
            axis_name("y", 3 * place + number) for number in range(3)
        )


def fill(figure: go.Figure, view: ChartView, quantities: Sequence[Quantity]) -> list[Binding]:
    """Add the traces of all panels, and their axes to the layout."""
    theme, sizes = themes.theme(view.dark), themes.type_sizes(large=view.large)
    styles, bindings = theme.networks(view.norms), list[Binding]()
    axes: dict[str, Any] = {}
    for place, quantity in enumerate(quantities):
        names = _Axes(place)
        for line in quantity.lines:
            bindings.append(_profile(figure, view, quantity, line, styles, theme, names))
        rows = view.layer_names(output=quantity.output)
        centres = [float(row) for row in range(1, len(rows) + 1)]
        bindings.append(Rows(axis=names.layer, centres=centres, half=0.5, names=rows))
        bindings += _over_time(figure, view, quantity, styles, theme, names)
        # Only the first panel over time names the marks; the lines go through all of them.
        bindings += add_marks(
            figure, view, theme, sizes, styles, x=names.step, y=names.marks, words=place == 0,
            plot=_panel(view, len(quantities)),
        )  # fmt: skip
        axes |= _axes(view, theme, sizes, quantity, names, len(quantities))
    first = _Axes(0).step
    for place in range(1, len(quantities)):
        axes[axis_key(_Axes(place).step)]["matches"] = first
    figure.update_layout(
        themes.layout(theme, sizes, margin=_margin(view, sizes, quantities), **axes)
    )
    return bindings


def _profile(
    figure: go.Figure, view: ChartView, quantity: Quantity, line: Line,
    styles: dict[str, themes.NetworkStyle], theme: themes.Theme, names: _Axes,
) -> Binding:  # fmt: skip
    style = _style(line, styles, theme)
    rows = list(range(1, view.layers + quantity.output + 1))
    small = line.thin or view.layers > MOST_MARKERS
    edges = {"low": "triangle-left", "inside": style.symbol, "high": "triangle-right"}
    figure.add_trace(
        go.Scatter(
            x=[None] * len(rows), y=rows, mode="lines" if line.expected else "lines+markers",
            xaxis=names.value_x, yaxis=names.layer, opacity=0.55 if line.thin else 1,
            hovertemplate="%{x:.3~g}<extra></extra>",
            line={"color": style.line, "width": 1 if line.thin else 1.8, "dash": style.dash},
            marker={"color": style.line, "size": 4 if small else 7, "symbol": style.symbol},
        )
    )  # fmt: skip
    return Array(
        trace=len(figure.data) - 1, attr="x", field=line.field, index=line.index(":"),
        scale=quantity.scale, clip=quantity.clip, edges=None if line.expected else edges,
    )  # fmt: skip


def _style(
    line: Line, styles: dict[str, themes.NetworkStyle], theme: themes.Theme
) -> themes.NetworkStyle:
    if line.expected:
        return themes.NetworkStyle(theme.muted, theme.muted, "3px,3px", "circle")
    return styles[line.norm]


def _over_time(
    figure: go.Figure, view: ChartView, quantity: Quantity,
    styles: dict[str, themes.NetworkStyle], theme: themes.Theme, names: _Axes,
) -> list[Binding]:  # fmt: skip
    bindings: list[Binding] = []
    sizes, axes = themes.type_sizes(large=view.large), {"x": names.step, "y": names.value_y}
    for line in quantity.lines:
        series = Series(trace=len(figure.data), field=line.field, index=line.index("$layer"),
                        scale=quantity.scale, clip=quantity.clip)  # fmt: skip
        width = 1.1 if line.thin else 1.8 if line.expected else 2.4
        bindings.append(
            add_line(figure, series, _style(line, styles, theme), width=width,
                     opacity=0.55 if line.thin else 1, **axes)
        )  # fmt: skip
    ends = [line for line in quantity.lines if line.label]
    labels = [Label(field=line.field, index=line.index("$layer"), text=line.label,
                    scale=quantity.scale, clip=quantity.clip) for line in ends]  # fmt: skip
    colours = [_style(line, styles, theme).text for line in ends]
    return [*bindings, add_labels(figure, view, sizes, labels, colours, **axes)]


def _axes(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, quantity: Quantity, names: _Axes,
    count: int,
) -> dict[str, Any]:  # fmt: skip
    rows = view.layer_names(output=quantity.output)
    ticks = layer_ticks(
        view.layers, first=rows[0], size=sizes.base, row=_panel(view, count) / len(rows),
        output=view.texts["common"]["out_tick"] if quantity.output else None,
    )  # fmt: skip
    value = quantity.value_axis
    return {
        axis_key(names.value_x): themes.axis(theme, sizes, quantity.axis, anchor=names.layer,
                                             **value),
        axis_key(names.layer): themes.axis(
            theme, sizes, range=[0.5, len(rows) + 0.5], fixedrange=True, anchor=names.value_x,
            **ticks,
        ),
        axis_key(names.step): step_axis(theme, sizes, view.texts["common"]["step"],
                                        anchor=names.value_y),
        axis_key(names.value_y): themes.axis(theme, sizes, quantity.axis, anchor=names.step,
                                             **value),
        axis_key(names.marks): marks_axis(names.step),
    }  # fmt: skip


def _margin(view: ChartView, sizes: themes.Type, quantities: Sequence[Quantity]) -> dict[str, int]:
    labels = [line.label for quantity in quantities for line in quantity.lines]
    return {
        "l": round(text_width(view.layer_names()[0], sizes.base)) + 12,
        "r": round(max(text_width(label, sizes.base) for label in labels)) + 14,
        "t": _heading(sizes), "b": _bottom(sizes),
    }  # fmt: skip


def _heading(sizes: themes.Type) -> int:
    return round(1.7 * sizes.heading)


def _bottom(sizes: themes.Type) -> int:
    return round(3.2 * sizes.base)


def _panel(view: ChartView, count: int) -> int:
    """Height of a panel in pixels; lower where there are several quantities."""
    if count > 1:
        return 210 if view.large else 165
    return 280 if view.large else 200


def place(figure: go.Figure, view: ChartView, quantities: Sequence[Quantity]) -> dict[str, Any]:
    """Panels side by side, or one above the other on a phone: as `arrange` returns it."""
    wide = _placement(view, quantities, stacked=False)
    arranged = arrange(figure, view, wide, _placement(view, quantities, stacked=True))
    count = len(quantities)
    if count > 1:
        arranged["wide"]["least"] = wide[0] - round(0.4 * _panel(view, count)) * count
    return arranged


def _placement(
    view: ChartView, quantities: Sequence[Quantity], *, stacked: bool
) -> tuple[int, dict[str, Any]]:
    """Height and flat layout changes."""
    theme, sizes = themes.theme(view.dark), themes.type_sizes(large=view.large)
    count, heading, bottom = len(quantities), _heading(sizes), _bottom(sizes)
    panel, marks = _panel(view, count), marks_room(sizes)
    blocks = []
    for number in range(count):
        above = heading + (marks if number == 0 else 0)
        blocks += [Block(heading, panel, bottom)] if stacked else []
        blocks.append(Block(above, panel, bottom))
    height, domains = pile(blocks, heading, bottom)
    plot = height - heading - bottom
    left, right = (0.0, PROFILE), (PROFILE + _between(view, sizes), 1.0)
    if stacked:
        left = right = (0.0, 1.0)
    patch: dict[str, Any] = {}
    notes, shapes = [], []
    for number, quantity in enumerate(quantities):
        names = _Axes(number)
        profile, over_time = (domains[2 * number : 2 * number + 2] if stacked
                              else [domains[number]] * 2)  # fmt: skip
        top = min(over_time[1] + marks / plot, 1.0) if number == 0 else over_time[1]
        patch |= {
            f"{axis_key(names.value_x)}.domain": left, f"{axis_key(names.layer)}.domain": profile,
            f"{axis_key(names.step)}.domain": right,
            f"{axis_key(names.value_y)}.domain": over_time,
            f"{axis_key(names.marks)}.domain": (over_time[0], top),
            f"{axis_key(names.step)}.nticks": 4 if stacked or view.large else 8,
        }  # fmt: skip
        headings = _headings(view, quantity, number)
        spots = [(left[0], profile[1]), (right[0], top)]
        notes += [themes.heading(word, None, theme, sizes, x=x, y=y, yshift=2)
                  for word, (x, y) in zip(headings, spots, strict=True) if word]  # fmt: skip
        shapes += _level(quantity, theme, names)
    return height, {**patch, "annotations": notes, "shapes": shapes}


def _between(view: ChartView, sizes: themes.Type) -> float:
    """Between the panels there has to be room for an axis with its title."""
    return themes.left_margin(sizes, 5) / (0.72 * narrowest(view, "wide"))


def _headings(view: ChartView, quantity: Quantity, place: int) -> tuple[str, str]:
    if not quantity.heading:
        return view.word("over_layers"), view.word("over_time")
    return quantity.heading, view.word("over_time") if place == 0 else ""


def _level(quantity: Quantity, theme: themes.Theme, names: _Axes) -> list[dict[str, Any]]:
    """A value to compare with, across both panels."""
    if quantity.level is None:
        return []
    line = {"type": "line", "layer": "below",
            "line": {"color": theme.ink, "width": 1, "dash": "3px,3px"}}  # fmt: skip
    level = {"0": quantity.level, "1": quantity.level}
    across = {"0": 0, "1": 1}
    return [
        {**line, "xref": names.value_x, "yref": f"{names.layer} domain",
         **{f"x{end}": value for end, value in level.items()},
         **{f"y{end}": value for end, value in across.items()}},
        {**line, "xref": f"{names.step} domain", "yref": names.value_y,
         **{f"x{end}": value for end, value in across.items()},
         **{f"y{end}": value for end, value in level.items()}},
    ]  # fmt: skip
