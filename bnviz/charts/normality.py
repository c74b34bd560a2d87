"""How far what passes through each layer is from normal, before the weights and after them."""

from __future__ import annotations

import math

from bnviz.charts.chart import Chart, ChartView, Column
from bnviz.charts.profile import Line, Quantity, build_profile
from bnviz.charts.scale import from_zero
from bnviz.charts.time_axis import end_labels
from bnviz.probes.axis import probe_examples
from bnviz.words.numbers import Format

# Lilliefors 1967, 5 %: normal samples are seldom further from normal than this share of 1/√n.
CRITICAL = 0.886
# Columns of the probe: what a layer gets, what its weights make of it, what its norm gives.
PLACES = {"u": 0, "wu": 1, "normalized": 2}
# What stands in the table only, besides x̂.
MORE = ("skewness", "kurtosis", "not_normal")
FORMATS: dict[str, Format] = {"distance": "percent1", "not_normal": "percent0"}


def build(view: ChartView) -> Chart:
    """Distance from the normal distribution and share of zeros: u thin, Wu thick."""
    texts = view.texts["shape"]
    # Of feature maps each place is a sample, so layers differ in their number.
    flat = view.config.network == "mlp"
    level = 100 * CRITICAL / math.sqrt(probe_examples(view.config))
    quantities = [
        Quantity(
            texts["axis_distance"], from_zero(30),
            _lines(view, "distance"), heading=texts["heading_distance"], scale=100.0,
            levels=(level,) if flat else (), style="percent1",
        ),
        Quantity(
            texts["axis_zeros"], {"range": [-3, 103], "tickvals": [0, 25, 50, 75, 100]},
            _lines(view, "zeros"), heading=texts["heading_zeros"], scale=100.0, style="percent1",
        ),
    ]  # fmt: skip
    subtitle = texts["subtitle"] + (texts["level"] if flat else "")
    return build_profile(view, quantities, subtitle=subtitle, more=_more(view))


def _lines(view: ChartView, measure: str) -> list[Line]:
    texts, ends, lines = view.texts["shape"], end_labels(view), list[Line]()
    for norm in view.norms:
        field = f"{norm}.shape.{measure}"
        lines += [
            Line(norm, field, "", texts[f"{measure}_u"], column=PLACES["u"], thin=True),
            Line(norm, field, ends[norm], texts[f"{measure}_wu"], column=PLACES["wu"]),
        ]
    return lines


def _more(view: ChartView) -> list[Column]:
    """The rest, by place: x̂ is drawn nowhere, since a norm over the batch keeps a unit's shape."""
    texts = view.texts["shape"]
    named = [("distance", "normalized"), *((name, place) for name in MORE for place in PLACES)]
    return view.columns(*(
        (texts[f"{name}_{place}"], f"shape.{name}", FORMATS.get(name, "number"),
         f":,{PLACES[place]}")
        for name, place in named
    ))  # fmt: skip
