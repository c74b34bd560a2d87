"""Layer by layer: everything that is measured per layer, on one vertical axis, output on top.

A column of distributions per network, then gradient norms, then Jacobian singular values.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import layer_columns as columns
from bnviz.charts import theme as themes
from bnviz.charts.binding import Binding, Callout, Rows
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.distributions import HEAT_FULL_WORDS, NetworkPlace, distribution, start_outlines
from bnviz.charts.layer_plan import (
    LEAST_TYPE,
    MOST_RIDGES,
    LayerLayout,
    columns_hold_words,
    gutter,
    plan,
    row_height,
    rows_hold_words,
    zero_type,
)
from bnviz.charts.panels import arrange, axis_key, first_fitting, text_width
from bnviz.charts.scale import REACH, decades, layer_ticks, zones
from bnviz.charts.spread_axis import (
    spread_ticks,
    spread_title,
    spread_x,
    zone_shapes,
    zone_words,
)

NORM_RANGE = (1e-9, 1e2)
SINGULAR_RANGE = (1e-6, 1e1)
# Ranges of the axes in powers of ten: a little more than that, for the marks at the edge. Gradient
# norms are drawn on what is measured of theirs, and on at least these decades.
GRADIENT_AXIS, GRADIENT_LEAST = (-9.4, 2.4), (-2.6, 0.4)
JACOBIAN_AXIS = (-6.3, 1.3)
# Rows over the last layer: what the zones are called, and that a network has stopped.
ZONES_AT, STOPPED = 1.25, 0.8


def build(view: ChartView) -> Chart:
    """Distributions, gradient norms and Jacobian singular values of every layer."""
    theme, sizes = themes.theme(view.dark), themes.type_sizes(large=view.large)
    styles = theme.networks(view.norms)
    heat, outside = view.layers > MOST_RIDGES, gutter(view, sizes) > 0
    figure, bindings = go.Figure(), list[Binding]()
    places = [NetworkPlace(view, theme, sizes, norm, styles[norm], number, above=STOPPED)
              for number, norm in enumerate(view.norms)]  # fmt: skip
    for place in places:
        bindings += [] if heat else start_outlines(figure, place)
        bindings += distribution(
            figure, place, heat=heat, outside=outside, shares=rows_hold_words(view, sizes),
            beyond=columns_hold_words(view),
        )  # fmt: skip
        bindings += columns.gradient(figure, place, NORM_RANGE)
        bindings += columns.singular_values(figure, place, SINGULAR_RANGE)
        bindings.append(
            Callout(network=place.norm, field=f"{place.norm}.histogram.nonlinearity_input",
                    x=spread_x(place.number), y="y", rows=view.layer_names(),
                    words=dict(view.texts["callout"]))
        )  # fmt: skip
    if zero_type(view, sizes) >= LEAST_TYPE:
        bindings += columns.zeros(figure, places, 10 ** JACOBIAN_AXIS[1])
    names = view.layer_names(output=True)
    centres = [float(row) for row in range(1, len(names) + 1)]
    bindings.append(Rows(axis="y", centres=centres, half=0.5, names=names))
    figure.layout = _layout(view, theme, sizes, names)
    wide, compact, medium = (plan(view, sizes, form) for form in ("wide", "compact", "medium"))
    arranged = arrange(
        figure, view, (wide.height, _placement(view, theme, sizes, wide)),
        (compact.height, _placement(view, theme, sizes, compact)),
        (medium.height, _placement(view, theme, sizes, medium)),
    )  # fmt: skip
    for form, made in (("wide", wide), ("compact", compact), ("medium", medium)):
        arranged[form]["least"] = made.least(view, sizes)
    texts = view.texts["layers"]
    title = texts.get(f"title_{view.config.network}", texts["title"])
    probe = view.probe_text()
    subtitle = texts["subtitle_heat" if heat else "subtitle"]
    if view.config.activation == "relu" and outside:
        subtitle = f"{subtitle}; {texts['shares_dead']}"
    return Chart(
        name="layers", title=title, figure=figure, bindings=bindings,
        subtitle=subtitle.replace("{probe}", probe).replace("{share}", HEAT_FULL_WORDS),
        needs=("histogram", "start_histogram", "saturation", "gradients", "jacobian"),
        table=_table(view, names),
        **arranged,
    )  # fmt: skip


def _layout(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, names: list[str]
) -> dict[str, Any]:
    """Axes, without their places."""
    rows = {"range": [0.42, view.layers + 1.58], "fixedrange": True,
            **_layer_ticks(view, sizes, names[0])}  # fmt: skip
    axes: dict[str, Any] = {
        "yaxis": themes.axis(theme, sizes, **rows, showgrid=False, ticklabelstandoff=4),
        "yaxis2": themes.axis(theme, sizes, **rows, matches="y", anchor=columns.gradient_x(view)),
    }
    for place in range(len(view.norms)):
        axes[axis_key(spread_x(place))] = themes.axis(
            theme, sizes, range=[-REACH, REACH], anchor="y", matches=None if place == 0 else "x"
        )
    low, high = GRADIENT_AXIS
    right: dict[str, dict[str, Any]] = {
        columns.gradient_x(view): {
            "autorange": True, "tickfont": {"color": theme.muted, "size": sizes.base - 2},
            "autorangeoptions": {
                "include": list(GRADIENT_LEAST), "minallowed": low, "maxallowed": high
            },
        },
        columns.jacobian_x(view): {"range": list(JACOBIAN_AXIS)},
    }  # fmt: skip
    for name, reach in right.items():
        axes[axis_key(name)] = themes.axis(theme, sizes, type="log", anchor="y2", **reach)
    return themes.layout(theme, sizes, **axes)


def _layer_ticks(view: ChartView, sizes: themes.Type, first: str) -> dict[str, Any]:
    out = view.texts["common"]["out_tick"]
    return layer_ticks(
        view.layers, first=first, output=out, row=0.85 * row_height(view), size=sizes.base
    )


def _placement(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, plan: LayerLayout
) -> dict[str, Any]:
    """Flat layout changes that put the columns in their places and give them fitting words."""
    styles = theme.networks(view.norms)
    names = _layer_ticks(view, sizes, plan.first_tick)["ticktext"]
    patch: dict[str, Any] = {
        "yaxis.domain": list(plan.rows), "yaxis.ticktext": names,
        "yaxis2.domain": list(plan.right_rows), "yaxis2.ticktext": names,
        "yaxis2.showticklabels": plan.stacked,
        **{f"margin.{side}": size for side, size in zip("lrtb", plan.margin, strict=True)},
        **_right_columns(view, sizes, plan),
    }  # fmt: skip
    size = replace(sizes, heading=plan.heading_size)
    notes, ticks = [], spread_ticks(plan.column, sizes)
    for place, (norm, domain) in enumerate(zip(view.norms, plan.spread, strict=True)):
        axis = axis_key(spread_x(place))
        patch[f"{axis}.domain"] = list(domain)
        patch[f"{axis}.title.text"] = spread_title(view, sizes, place, plan.pitch)
        patch |= {f"{axis}.{name}": value for name, value in ticks.items()}
        notes.append(
            themes.heading(
                plan.headings[place],
                styles[norm],
                theme,
                size,
                x=domain[0],
                y=plan.rows[1],
                yshift=2,
            )
        )
        if not view.large and view.layers <= MOST_RIDGES:
            # In the row of the output, which is empty here.
            top = {"yref": "y", "y": view.layers + ZONES_AT, "yanchor": "middle"}
            notes += zone_words(view, theme, sizes, place, plan.column, **top)
    patch["annotations"] = notes + _headings(view, theme, sizes, plan)
    patch["shapes"] = _shapes(view, theme, plan)
    return patch


def _right_columns(view: ChartView, sizes: themes.Type, plan: LayerLayout) -> dict[str, Any]:
    """Places, titles and ticks of the gradient and Jacobian columns."""
    texts, patch = view.texts["layers"], dict[str, Any]()
    word = 0.9 * text_width("10⁻⁶", sizes.base) + 0.5 * sizes.base
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
        key = axis_key(axis)
        patch[f"{key}.domain"] = list(domain)
        patch[f"{key}.title.text"] = first_fitting(tries, sizes.small, plan.right_pitch - 8)
        patch |= {f"{key}.{attribute}": value for attribute, value in ticks.items()}
    return patch


def _headings(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, plan: LayerLayout
) -> list[dict[str, Any]]:
    """Words over the right-hand columns, and over the shares of zeros."""
    texts, top = view.texts["layers"], {"y": plan.right_rows[1], "yshift": 2}
    room, right = plan.right_pitch - 6, plan.margin[1]
    words = [[texts[what], texts[f"{what}_short"]] for what in ("gradient", "jacobian")]
    fits = [first_fitting(tries, sizes.heading, room, bold=True) for tries in words]
    widest = max(text_width(word, sizes.heading, bold=True) for word in fits)
    small = replace(sizes, heading=sizes.base) if widest > room else sizes
    # The row of the output is empty here: it heads the shares that stand to its right, on the
    # row's grid line, which would strike through words at the row's middle.
    zero = {
        "text": texts["zeros"], "showarrow": False, "xref": "paper", "x": 1, "xanchor": "right",
        "yref": "y2", "y": view.layers + 1, "yanchor": "bottom", "xshift": right - 1,
        "font": {"size": zero_type(view, sizes), "color": theme.muted},
    }  # fmt: skip
    return [
        themes.heading(fits[0], None, theme, small, x=plan.gradient[0], **top),
        themes.heading(fits[1], None, theme, small, x=plan.jacobian[0], **top),
        *([zero] if zero_type(view, sizes) >= LEAST_TYPE else []),
    ]


def _shapes(view: ChartView, theme: themes.Theme, plan: LayerLayout) -> list[dict[str, Any]]:
    """The saturated zone of each column, and the line at a singular value of 1."""
    shapes = [shape for place in range(len(view.norms))
              for shape in zone_shapes(view, theme, place, plan.rows)]  # fmt: skip
    shapes.append({
        "type": "line", "layer": "below", "xref": columns.jacobian_x(view), "x0": 1, "x1": 1,
        "yref": "paper", "y0": plan.right_rows[0], "y1": plan.right_rows[1],
        "line": {"color": theme.ink, "width": 1, "dash": "3px,3px"},
    })  # fmt: skip
    return shapes


def _table(view: ChartView, names: list[str]) -> Table:
    texts, cells = view.texts["layers"], list[Column]()
    say = view.texts["common"]["network_column"]
    for norm in view.norms:
        label = view.label(norm)
        if zones(view.config.activation):
            words = say.format(network=label, what=texts["saturated_column"])
            cells.append(Column(words, f"{norm}.saturation.saturated", "percent0"))
        for what, field, index in (
            ("gradient_column", "gradients.grad_weight_norm", None),
            ("median_column", "jacobian.percentiles", ":,1"),
        ):
            words = say.format(network=label, what=texts[what])
            cells.append(Column(words, f"{norm}.{field}", "number", index))
        words = say.format(network=label, what=texts["zeros_column"])
        cells.append(Column(words, f"{norm}.jacobian.zeros", "percent0"))
    return Table(texts["title"], cells, rows="vector", row_names=names)
