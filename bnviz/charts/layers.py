"""Layer chart: distributions, gradient norms and Jacobian singular values on one layer axis."""

from __future__ import annotations

import math

import plotly.graph_objects as go

from bnviz.charts import layer_columns as columns
from bnviz.charts.binding import Bindings, rows
from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.distribution_axis import (
    distribution_ticks,
    saturated_column,
    spread_title,
    zone_shapes,
    zone_words,
)
from bnviz.charts.distributions import NetworkPlace, callout, distribution
from bnviz.charts.layer_plan import (
    FORMS,
    LEAST_TYPE,
    LayerLayout,
    columns_hold_words,
    gutter,
    plan,
    row_height,
    rows_hold_words,
    zero_type,
    zone_line,
)
from bnviz.charts.panels import (
    Arrangement,
    arrange,
    axis_key,
    axis_name,
    first_fitting,
    flat,
    margins,
    text_width,
    widest,
)
from bnviz.charts.scale import REACH, decades, layer_ticks, log_range
from bnviz.charts.theme import Attributes

NORM_RANGE = (1e-9, 1e2)
SINGULAR_RANGE = (1e-6, 1e1)
# Axis ranges in powers of ten. They are slightly wider than the ranges above, so that marks at the
# edge fit. The gradient axis adapts to the measured norms, but always shows at least
# `GRADIENT_LEAST`.
GRADIENT_AXIS, GRADIENT_LEAST = (-9.4, 2.4), (-2.6, 0.4)
JACOBIAN_AXIS = (-6.3, 1.3)


def build(view: ChartView) -> Chart:
    outside = gutter(view) > 0
    figure, bindings = go.Figure(), Bindings()
    places = [NetworkPlace(view, norm, number) for number, norm in enumerate(view.norms)]
    for place in places:
        bindings += distribution(
            figure, place, outside=outside, shares=rows_hold_words(view),
            beyond=columns_hold_words(view),
        )  # fmt: skip
        bindings += columns.gradient(figure, place, NORM_RANGE)
        bindings += columns.singular_values(figure, place, SINGULAR_RANGE)
        bindings.append(callout(place))
    if zero_type(view) >= LEAST_TYPE:
        bindings += columns.zeros(figure, places, 10 ** JACOBIAN_AXIS[1])
    names = view.layer_names(output=True)
    bindings.append(rows("y", names))
    figure.layout = _layout(view, names)
    plans = [plan(view, form) for form in FORMS]
    arranged = arrange(
        figure, view,
        *(Arrangement(made.height, _placement(view, made), made.least(view)) for made in plans),
    )  # fmt: skip
    texts = view.texts["layers"]
    subtitle = texts["subtitle_heat" if places[0].heat else "subtitle"]
    if view.config.activation == "relu" and outside:
        subtitle = f"{subtitle}; {texts['shares_dead']}"
    return Chart(
        figure=figure, bindings=bindings, subtitle=subtitle, table=_table(view, names), **arranged,
    )  # fmt: skip


def _layout(view: ChartView, names: list[str]) -> Attributes:
    upward = {"range": [0.42, view.layers + 1.58], "fixedrange": True,
            **_layer_ticks(view, names[0])}  # fmt: skip
    axes: Attributes = {
        "yaxis": view.axis(**upward, showgrid=False, ticklabelstandoff=4),
        "yaxis2": view.axis(**upward, matches="y", anchor=columns.gradient_x(view)),
    }
    for place in range(len(view.norms)):
        axes[axis_key(axis_name("x", place))] = view.axis(
            range=[-REACH, REACH], anchor="y", matches=None if place == 0 else "x"
        )
    axes[axis_key(columns.gradient_x(view))] = view.axis(
        **log_range(*GRADIENT_AXIS, include=GRADIENT_LEAST), anchor="y2",
        tickfont={"color": view.theme.muted, "size": view.sizes.base - 2},
    )  # fmt: skip
    axes[axis_key(columns.jacobian_x(view))] = view.axis(
        type="log", anchor="y2", range=JACOBIAN_AXIS
    )
    return view.layout(**axes)


def _layer_ticks(view: ChartView, first: str) -> Attributes:
    out = view.text("out_tick")
    return layer_ticks(
        view.layers, first=first, output=out, row=0.85 * row_height(view), size=view.sizes.base
    )


def _placement(view: ChartView, plan: LayerLayout) -> Attributes:
    """Return layout changes (dotted keys) that place the columns and select texts that fit."""
    names = _layer_ticks(view, plan.first_tick)["ticktext"]
    patch: Attributes = {
        **flat("y", domain=plan.rows, ticktext=names),
        **flat("y2", domain=plan.right_rows, ticktext=names, showticklabels=plan.stacked),
        **margins(*plan.margin),
        **_right_columns(view, plan),
    }
    notes, ticks, top = [], distribution_ticks(view, plan.column), plan.rows[1]
    for place, (norm, domain) in enumerate(zip(view.norms, plan.distributions, strict=True)):
        title = spread_title(view, place, plan.pitch)
        patch |= flat(axis_name("x", place), domain=domain, title_text=title, **ticks)
        notes.append(
            view.heading(plan.headings[place], norm, plan.heading_size, x=domain[0],
                         y=top, yshift=2 + zone_line(view))
        )  # fmt: skip
        if zone_line(view):
            over = {"yref": "paper", "y": top, "yanchor": "bottom", "yshift": -1}
            notes += zone_words(view, place, plan.column, **over)
    patch["annotations"] = notes + _headings(view, plan)
    patch["shapes"] = _shapes(view, plan)
    return patch


def _right_columns(view: ChartView, plan: LayerLayout) -> Attributes:
    """Return domains, titles and ticks of the gradient and Jacobian columns."""
    texts, patch = view.texts["layers"], Attributes()
    word = 0.9 * text_width("10⁻⁶", view.sizes.base) + 0.5 * view.sizes.base
    low, high = JACOBIAN_AXIS
    decade = plan.right_width / (high - low)
    every = next((n for n in (1, 2, 3, 6) if n * decade >= word), 9)
    for name, axis, domain, ticks in (
        ("gradient", columns.gradient_x(view), plan.gradient,
         {"nticks": max(2, int(plan.right_width / word))}),
        ("jacobian", columns.jacobian_x(view), plan.jacobian,
         decades(math.ceil(low), 0, labelled=every)),
    ):  # fmt: skip
        tries = [texts[f"{name}_axis"], texts[f"{name}_axis_short"]]
        title = first_fitting(tries, view.sizes.small, plan.right_pitch - 8)
        patch |= flat(axis, domain=domain, title_text=title, **ticks)
    return patch


def _headings(view: ChartView, plan: LayerLayout) -> list[Attributes]:
    """Return the headings of the gradient and Jacobian columns, and of the shares of zeros."""
    texts, beside = view.texts["layers"], 0 if plan.stacked else zone_line(view)
    top = {"y": plan.right_rows[1], "yshift": 2 + beside}
    room, right = plan.right_pitch - 6, plan.margin[1]
    fits = [
        first_fitting([texts[what], texts[f"{what}_short"]], view.sizes.heading, room, bold=True)
        for what in ("gradient", "jacobian")
    ]
    wide = widest(fits, view.sizes.heading, bold=True)
    small = view.sizes.base if wide > room else None
    # The output has no singular values, so its row holds the heading of the shares. The heading is
    # above the row's grid line, which would cross it out.
    zero = view.note(
        texts["zeros"], view.theme.muted, zero_type(view), xref="paper", x=1, xanchor="right",
        yref="y2", y=view.layers + 1, yanchor="bottom", xshift=right - 1,
    )  # fmt: skip
    heads = [
        view.heading(words, None, small, x=column[0], **top)
        for words, column in zip(fits, (plan.gradient, plan.jacobian), strict=True)
    ]
    return [*heads, zero] if zero_type(view) >= LEAST_TYPE else heads


def _shapes(view: ChartView, plan: LayerLayout) -> list[Attributes]:
    """Return the saturated zone of each column, and the line at a singular value of 1."""
    shapes = [shape for place in range(len(view.norms))
              for shape in zone_shapes(view, place, plan.rows)]  # fmt: skip
    low, high = plan.right_rows
    line = {"color": view.theme.ink, "width": 1, "dash": "3px,3px"}
    one = view.level(xref=columns.jacobian_x(view), x0=1, x1=1, y0=low, y1=high, line=line)
    return [*shapes, one]


def _table(view: ChartView, names: list[str]) -> Table:
    texts = view.texts["layers"]
    columns = view.columns(
        *saturated_column(view),
        (texts["gradient_column"], "gradients.grad_weight_norm"),
        (texts["median_column"], "jacobian.percentiles", "number", ":,1"),
        (texts["zeros_column"], "jacobian.zeros", "percent0"),
    )
    return Table(columns, names, texts["title"])
