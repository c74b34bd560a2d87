"""Norm of each layer's weights, and how fast the weights turn relative to their norm.

With gradient descent, the chart shows the effective learning rate, and the angle per step next to
its equilibrium with weight decay, √(2ηλ/(1 + β)). Adam has no effective rate, so the chart shows
the length of the next update ÷ the length of the weights.
"""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.grid import lay_out
from bnviz.charts.over_time import OverTime, PlotTrace, network_traces
from bnviz.charts.profile import Line, Quantity, build_profile, network_lines
from bnviz.charts.scale import log_axis
from bnviz.charts.theme import Attributes

CLIP = {"norm": (1e-2, 1e6), "rate": (1e-12, 1e2), "turn": (1e-12, 1e2), "turned": (1e-9, 10)}
FIELDS = {
    "norm": "weights.norm", "rate": "weights.effective_rate", "turn": "weights.update_ratio",
    "turned": "weights.turned",
}  # fmt: skip
PLOTS = (180, 250)
# Ticks of the norms: powers of ten, and additional ticks where most norms are.
NORMS = [0.01, 0.1, 0.3, 1, 3, 6, 10, 15, 30, 100, 300, 1000, 1e4, 1e5, 1e6]
POWERS = {1e4: "10⁴", 1e5: "10⁵", 1e6: "10⁶"}
AXES: dict[str, Attributes] = {
    "norm": {
        **log_axis(-2, 6, include=(0.9, 1.1)), "tickvals": NORMS,
        "ticktext": [POWERS.get(tick, f"{tick:g}") for tick in NORMS],
    },
    # The range does not have to include a fixed power of ten, because changes are small: if a norm
    # grows by an eighth, the rate falls by a fifth. Numbers like 0.00096 would not fit, so numbers
    # on the axis have exponents.
    "rate": {
        "type": "log", "autorange": True, "nticks": 6, "tickformat": "~e",
        "autorangeoptions": {"minallowed": -12, "maxallowed": 2},
    },
    "turn": log_axis(-12, 2, include=(-3, -1)),
    "turned": log_axis(-9, 1, include=(-3, -1)),
}  # fmt: skip


def build(view: ChartView) -> Chart:
    if view.config.network == "recurrent":
        return _build_shared(view)
    texts, turning = view.texts["weights"], _turning(view)
    quantities = [
        Quantity(
            texts[f"axis_{what}"], AXES[what],
            [*network_lines(view, field, texts[what]), *_expected(view, what)],
            heading=texts[f"heading_{what}"], clip=CLIP[what], output=True,
        )
        for what, field in _drawn(view).items()
    ]  # fmt: skip
    return build_profile(view, quantities, title=texts[f"title_{turning}"],
        subtitle=texts[f"subtitle_{turning}"], more=_columns(view, _table_only(view), index=None),
    )  # fmt: skip


def build_length(view: ChartView) -> Chart:
    lines = network_lines(view, FIELDS["norm"], view.texts["weights"]["norm"])
    axis = view.texts["weights"]["axis_norm"]
    length = Quantity(axis, AXES["norm"], lines, clip=CLIP["norm"], output=True)
    return build_profile(view, [length], layer=0)


def _turning(view: ChartView) -> str:
    return "rate" if view.config.optimizer == "sgd" else "turn"


def _drawn(view: ChartView) -> dict[str, str]:
    quantities = ("norm", "rate", "turned") if _turning(view) == "rate" else ("norm", "turn")
    return {what: FIELDS[what] for what in quantities}


def _expected(view: ChartView, what: str) -> list[Line]:
    """Return the line of the equilibrium angle (for layers with a norm), or [] if there is none."""
    normalized = [norm for norm in view.norms if norm != "none"]
    if what != "turned" or not normalized:
        return []
    words = view.texts["weights"]["settled"]
    return [Line(None, f"{normalized[0]}.weights.settled", words, words)]


def _table_only(view: ChartView) -> dict[str, str]:
    """Return the field of the relative update for the table, or {} if the chart draws it."""
    return {} if "turn" in _drawn(view) else {"turn": FIELDS["turn"]}


def _columns(view: ChartView, fields: dict[str, str], index: str | None) -> list[Column]:
    texts = view.texts["weights"]
    return view.columns(*((texts[what], field, "number", index) for what, field in fields.items()))


def _build_shared(view: ChartView) -> Chart:
    """Build the chart of a recurrent network, whose weights are the same at every time step."""
    texts, turning = view.texts["weights"], _turning(view)
    panels = [
        OverTime(
            heading=texts[f"heading_{what}"], lines=_shared_lines(view, field), clip=CLIP[what],
            axis=texts[f"axis_{what}"], value_axis=AXES[what],
        )
        for what, field in _drawn(view).items()
    ]  # fmt: skip
    subtitle = texts[f"subtitle_{turning}_shared"]
    arranged = lay_out(view, PLOTS, [panels])
    columns = _columns(view, {**_drawn(view), **_table_only(view)}, index="0")
    return Chart(
        title=texts[f"title_{turning}"], subtitle=subtitle, table=Table(columns),
        **arranged,
    )  # fmt: skip


def _shared_lines(view: ChartView, field: str) -> list[PlotTrace]:
    """Return labelled lines of the recurrent weights, and thin lines of the output weights."""
    thin = [
        PlotTrace(norm=norm, field=f"{norm}.{field}", index="-1", width=1.1, opacity=0.55)
        for norm in view.norms
    ]
    return [*thin, *network_traces(view, field, index="0")]
