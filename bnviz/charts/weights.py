"""How large each layer's weights are, and how far a step moves them for their size."""

from __future__ import annotations

import plotly.graph_objects as go

from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.grid import Page, lay_out
from bnviz.charts.over_time import OverTime, Trace
from bnviz.charts.profile import Quantity, build_profile, network_lines
from bnviz.charts.scale import log_axis
from bnviz.charts.time_axis import end_words

CLIP = {"norm": (1e-2, 1e6), "rate": (1e-12, 1e2)}
FIELDS = {"norm": "weights.norm", "rate": "weights.effective_rate"}
PLOT, PLOT_LARGE = 180, 250


def build(view: ChartView) -> Chart:
    """‖W‖ and the effective rate η/‖W‖², layer by layer and over time."""
    if view.config.network == "recurrent":
        return _build_shared(view)
    texts = view.texts["weights"]
    quantities = [
        Quantity(
            texts[f"axis_{what}"], _axis(what), network_lines(view, field, texts[what]),
            heading=texts[f"heading_{what}"], clip=CLIP[what], output=True,
        )
        for what, field in FIELDS.items()
    ]  # fmt: skip
    return build_profile(
        view, "weights", quantities, needs=("weights",), subtitle=texts["subtitle"],
        more=_columns(view, {"update": "weights.update_ratio"}, index=None),
    )  # fmt: skip


def _axis(what: str) -> dict[str, object]:
    if what == "norm":
        return {**log_axis(-2, 6, include=(0.9, 1.1)), **_norm_ticks()}
    return log_axis(-12, 2, include=(-4, -2))


def _norm_ticks() -> dict[str, object]:
    """Powers of ten, and three times those where most norms lie."""
    ticks = [0.01, 0.1, 0.3, 1, 3, 6, 8, 10, 12, 15, 30, 100, 300, 1000, 1e4, 1e5, 1e6]
    words = {1e4: "10⁴", 1e5: "10⁵", 1e6: "10⁶"}
    return {"tickvals": ticks, "ticktext": [words.get(tick, f"{tick:g}") for tick in ticks]}


def _columns(view: ChartView, fields: dict[str, str], index: str | None) -> list[Column]:
    texts, say = view.texts["weights"], view.texts["common"]["network_column"]
    return [
        Column(say.format(network=view.label(norm), what=texts[what]), f"{norm}.{field}",
               index=index)
        for norm in view.norms for what, field in fields.items()
    ]  # fmt: skip


def _build_shared(view: ChartView) -> Chart:
    """The weights of a recurrent network, which are the same at every time step, over time only."""
    texts, figure = view.texts["weights"], go.Figure()
    panels = [
        OverTime(
            heading=texts[f"heading_{what}"], lines=_shared_lines(view, field), clip=CLIP[what],
            axis=texts[f"axis_{what}"], value_axis=_axis(what),
        )
        for what, field in FIELDS.items()
    ]  # fmt: skip
    bindings, arranged = lay_out(figure, Page.of(view, PLOT, PLOT_LARGE), [panels])
    columns = _columns(view, {**FIELDS, "update": "weights.update_ratio"}, index="0")
    return Chart(
        name="weights", title=texts["title"], subtitle=texts["subtitle_shared"], figure=figure,
        time=True, bindings=bindings, needs=("weights",), source=view.texts["source"]["weights"],
        table=Table(texts["subtitle_shared"], columns, row_names=view.texts["common"]["step"]),
        **arranged,
    )  # fmt: skip


def _shared_lines(view: ChartView, field: str) -> list[Trace]:
    """Those of the time steps, named, and the output's, thin."""
    ends = end_words(view)
    return [
        *(Trace(norm=norm, field=f"{norm}.{field}", index="-1", width=1.1, opacity=0.55)
          for norm in view.norms),
        *(Trace(norm=norm, field=f"{norm}.{field}", index="0", label=ends[norm])
          for norm in view.norms),
    ]  # fmt: skip
