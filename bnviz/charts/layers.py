"""Layer by layer: everything that is measured per layer, on one vertical axis, output on top.

A column of distributions per network, then gradient norms, then Jacobian singular values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import layer_columns as columns
from bnviz.charts import theme as themes
from bnviz.charts.binding import Binding, Rows
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.panels import arrange, axis_key, domains
from bnviz.charts.scale import REACH, asinh_ticks, decades, layer_ticks, zones

# Above this many layers a row is too low for an outline and becomes a strip of heat.
MOST_RIDGES = 10
NORM_RANGE = (1e-9, 1e2)
SINGULAR_RANGE = (1e-6, 1e1)
# Ranges of the axes in powers of ten: a little more than that, for the marks at the edge.
GRADIENT_AXIS = (-9.4, 2.4)
JACOBIAN_AXIS = (-6.3, 1.3)
# Labels on the distributions' axis for one to four networks: fewer as columns get narrower.
_ALL_TICKS: tuple[float, ...] = (-100, -10, -1, 0, 1, 10, 100)
TICKS = (_ALL_TICKS, _ALL_TICKS, (-100.0, -10.0, 0.0, 10.0, 100.0), (-100.0, 0.0, 100.0))


@dataclass(frozen=True)
class Plan:
    """Where the columns stand: x domains, y domains, height.

    Attributes:
        spread: x domain of each network's distributions.
        gradient, jacobian: x domains of the right-hand columns.
        rows: y domain of the distributions.
        beside: y domain of the gradient and Jacobian columns.
        height: of the whole figure in pixels.
        tight: columns are narrow for their words.
    """

    spread: tuple[tuple[float, float], ...]
    gradient: tuple[float, float]
    jacobian: tuple[float, float]
    rows: tuple[float, float]
    beside: tuple[float, float]
    height: int
    tight: bool = False

    @property
    def stacked(self) -> bool:
        """The right-hand columns stand below the distributions."""
        return self.rows != self.beside


def build(view: ChartView) -> Chart:
    """Distributions, gradient norms and Jacobian singular values of every layer."""
    theme, sizes = themes.theme(view.dark), themes.type_sizes(large=view.large)
    styles = theme.networks(view.norms)
    heat = view.config.depth > MOST_RIDGES
    figure, bindings = go.Figure(), list[Binding]()
    places = [columns.Place(view, theme, sizes, norm, styles[norm], number)
              for number, norm in enumerate(view.norms)]  # fmt: skip
    for place in places:
        bindings += columns.distribution(figure, place, heat=heat)
        bindings += columns.gradient(figure, place, NORM_RANGE)
        bindings += columns.singular_values(figure, place, SINGULAR_RANGE)
    bindings += columns.zeros(figure, places, 10 ** JACOBIAN_AXIS[1])
    names = [view.texts["common"]["layer_name"].format(number=layer)
             for layer in range(1, view.config.depth + 1)]  # fmt: skip
    names.append(view.texts["common"]["output"])
    centres = [float(layer) for layer in range(1, view.config.depth + 2)]
    bindings.append(Rows(axis="y", centres=centres, half=0.5, names=names))
    wide, compact = _wide(view, sizes), _compact(view, sizes)
    figure.update_layout(_layout(view, theme, sizes, names))
    medium = replace(wide, tight=True)
    arranged = arrange(
        figure, view, (wide.height, _placement(view, theme, sizes, wide)),
        (compact.height, _placement(view, theme, sizes, compact)),
        (medium.height, _placement(view, theme, sizes, medium)),
    )  # fmt: skip
    texts = view.texts["layers"]
    probe = view.probe_words()
    subtitle = texts["subtitle_heat" if heat else "subtitle"]
    return Chart(
        name="layers", title=texts["title"], figure=figure, bindings=bindings,
        subtitle=subtitle.replace("{probe}", probe).replace("{share}", columns.HEAT_FULL_WORDS),
        needs=("histogram", "saturation", "gradients", "jacobian"),
        source=view.texts["source"]["layers"], table=_table(view, names),
        **arranged,
    )  # fmt: skip


def _wide(view: ChartView, sizes: themes.Type) -> Plan:
    """All columns side by side."""
    count = len(view.norms)
    gradient, jacobian, gap = (0.15, 0.165, 0.02) if count < 4 else (0.13, 0.15, 0.015)
    left = 1 - gradient - jacobian - 0.03 - 0.035
    width = (left - gap * (count - 1)) / count
    spread = tuple((i * (width + gap), i * (width + gap) + width) for i in range(count))
    start = left + 0.03
    return Plan(
        spread, (start, start + gradient), (1 - jacobian, 1), (0, 1), (0, 1),
        _margins(sizes) + round(_row_height(view) * (view.config.depth + 1)),
        tight=view.large or count > 3,
    )  # fmt: skip


def _compact(view: ChartView, sizes: themes.Type) -> Plan:
    """For a phone: the distributions above, gradient and Jacobian below."""
    count, gap = len(view.norms), 0.03
    spread = tuple(domains(count, gap))
    inner = round(_row_height(view) * 0.85 * (view.config.depth + 1))
    between = _margins(sizes) + 8
    height = 2 * inner + between + _margins(sizes)
    plot = 2 * inner + between
    return Plan(
        spread, (0, 0.46), (0.54, 1), (1 - inner / plot, 1), (0, inner / plot), height,
    )  # fmt: skip


def _row_height(view: ChartView) -> float:
    rows = view.config.depth + 1
    if view.config.depth > MOST_RIDGES:
        return max(11.0, 420 / rows)
    return max(36.0, min(64.0, 300 / rows)) * (1.25 if view.large else 1)


def _margins(sizes: themes.Type) -> int:
    return round(2.2 * sizes.heading + 3.6 * sizes.base)


def _layout(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, names: list[str]
) -> dict[str, Any]:
    """Axes, without their places."""
    depth = view.config.depth
    ticks = layer_ticks(depth, first=names[0], output=view.texts["common"]["out_tick"])
    rows = {"range": [0.42, depth + 1.58], "fixedrange": True, **ticks}
    axes: dict[str, Any] = {
        "yaxis": themes.axis(theme, sizes, **rows, showgrid=False, ticklabelstandoff=4),
        "yaxis2": themes.axis(theme, sizes, **rows, matches="y", anchor=columns.gradient_x(view)),
    }
    for place in range(len(view.norms)):
        axes[axis_key(columns.spread_x(place))] = themes.axis(
            theme, sizes, range=[-REACH, REACH], anchor="y", matches=None if place == 0 else "x"
        )
    for name, reach in (
        (columns.gradient_x(view), GRADIENT_AXIS), (columns.jacobian_x(view), JACOBIAN_AXIS)
    ):  # fmt: skip
        axes[axis_key(name)] = themes.axis(theme, sizes, type="log", anchor="y2", range=list(reach))
    margin = {
        "l": round(4.2 * sizes.base), "r": round(3.4 * sizes.base),
        "t": round(2.2 * sizes.heading), "b": round(3.6 * sizes.base),
    }  # fmt: skip
    return themes.layout(theme, sizes, margin=margin, **axes)


def _spread_title(view: ChartView, place: int, plan: Plan) -> str:
    """The axis title of one network's column; three or four narrow ones share the second one's."""
    texts, phi = view.texts["layers"], view.config.activation
    count, given = len(view.norms), view.texts["phi"][phi]
    if plan.stacked:
        return "" if place else str(given)
    if count > 2 and place != 1:
        return ""
    if count == 2 and place == 1:
        return str(texts["axis_same"]).format(input=given)
    if (plan.tight and count == 2) or not zones(phi):
        return str(texts["axis"]).format(input=given)
    zone = texts["no_gradient" if phi == "relu" else "saturated"]
    return str(texts["axis_zone"]).format(input=given, zone=zone)


def _placement(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, plan: Plan
) -> dict[str, Any]:
    """Flat layout changes that put the columns in their places and give them fitting words."""
    styles, count = theme.networks(view.norms), len(view.norms)
    patch: dict[str, Any] = {
        "yaxis.domain": list(plan.rows),
        "yaxis2.domain": list(plan.beside),
        "yaxis2.showticklabels": plan.stacked,
        **_beside(view, plan),
    }
    # Narrow columns get smaller headings.
    small = replace(sizes, heading=sizes.base - (count > 3)) if plan.tight else sizes
    fewer = 2 * (plan.stacked or plan.tight)
    notes = []
    for place, (norm, domain) in enumerate(zip(view.norms, plan.spread, strict=True)):
        axis = axis_key(columns.spread_x(place))
        patch[f"{axis}.domain"] = list(domain)
        patch[f"{axis}.title.text"] = _spread_title(view, place, plan)
        marks = asinh_ticks(TICKS[min(count + fewer, 4) - 1])
        patch |= {f"{axis}.{name}": value for name, value in marks.items()}
        notes.append(themes.heading(view.label(norm), styles[norm], theme, small,
                                    x=domain[0], y=plan.rows[1], yshift=2))  # fmt: skip
    patch["annotations"] = notes + _headings(view, theme, sizes, small, plan)
    patch["shapes"] = _shapes(view, theme, plan)
    return patch


def _beside(view: ChartView, plan: Plan) -> dict[str, Any]:
    """Places, titles and ticks of the gradient and Jacobian columns."""
    texts, patch = view.texts["layers"], dict[str, Any]()
    short = "_short" if plan.stacked or plan.tight else ""
    for name, axis, domain, ticks in (
        ("gradient", columns.gradient_x(view), plan.gradient,
         decades(-9, 0, labelled=6 if plan.tight else 3)),
        ("jacobian", columns.jacobian_x(view), plan.jacobian,
         decades(-6, 0, labelled=3 if plan.tight else 2)),
    ):  # fmt: skip
        patch[f"{axis_key(axis)}.domain"] = list(domain)
        patch[f"{axis_key(axis)}.title.text"] = texts[f"{name}_axis{short}"]
        patch |= {f"{axis_key(axis)}.{key}": value for key, value in ticks.items()}
    return patch


def _headings(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, small: themes.Type, plan: Plan
) -> list[dict[str, Any]]:
    """Words over the right-hand columns, and under the shares of zeros."""
    texts, top = view.texts["layers"], {"y": plan.beside[1], "yshift": 2}
    zero = {
        "text": texts["zeros"], "showarrow": False, "xref": "paper", "x": 1, "xanchor": "left",
        "yref": "paper", "y": plan.beside[0], "yanchor": "top", "xshift": 3, "yshift": -3,
        "font": {"size": sizes.base, "color": theme.muted},
    }  # fmt: skip
    jacobian = texts["jacobian_short" if plan.tight or plan.stacked else "jacobian"]
    return [
        themes.heading(texts["gradient"], None, theme, small, x=plan.gradient[0], **top),
        themes.heading(jacobian, None, theme, small, x=plan.jacobian[0], **top),
        zero,
    ]


def _shapes(view: ChartView, theme: themes.Theme, plan: Plan) -> list[dict[str, Any]]:
    """The saturated zone of each column, and the line at a singular value of 1."""
    shapes: list[dict[str, Any]] = [
        {
            "type": "rect", "layer": "below", "xref": columns.spread_x(place), "x0": low,
            "x1": high, "yref": "paper", "y0": plan.rows[0], "y1": plan.rows[1],
            "fillcolor": theme.zone, "line": {"width": 0},
        }
        for place in range(len(view.norms))
        for low, high in zones(view.config.activation)
    ]  # fmt: skip
    shapes.append({
        "type": "line", "layer": "below", "xref": columns.jacobian_x(view), "x0": 1, "x1": 1,
        "yref": "paper", "y0": plan.beside[0], "y1": plan.beside[1],
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
