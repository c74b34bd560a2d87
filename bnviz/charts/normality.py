"""Distance of values from a normal distribution, before and after multiplication by the weights."""

from __future__ import annotations

import math

from bnviz.charts.chart import Chart, ChartView, Column
from bnviz.charts.profile import Line, Quantity, build_profile
from bnviz.charts.scale import from_zero
from bnviz.charts.time_axis import end_labels
from bnviz.probes.axis import probe_examples
from bnviz.words.numbers import Format

# Critical value × √n of a test of normality at the 5 % level (Lilliefors 1967). For n samples of a
# normal distribution, √n × the distance exceeds this value in 5 % of cases.
CRITICAL = 0.886
# Columns of the probe: input of a layer, product of this input and the layer's weights, and output
# of the layer's norm.
PLACES = {"u": 0, "wu": 1, "normalized": 2}
# Values of u, Wu and x̂ that only the table shows.
MORE = ("skewness", "kurtosis", "not_normal")
FORMATS: dict[str, Format] = {"distance": "percent1", "not_normal": "percent0"}


def build(view: ChartView) -> Chart:
    """Build the chart of distances and shares of zeros; thin lines show u, thick lines Wu."""
    texts = view.texts["shape"]
    # In a feature map, every position is a sample. Layers then differ in the number of samples, so
    # no single critical value is right for all layers.
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
    """Return the columns that only the table shows.

    They include x̂'s distance from a normal distribution. With BN, it equals Wu's distance.
    """
    texts = view.texts["shape"]
    named = [("distance", "normalized"), *((name, place) for name in MORE for place in PLACES)]
    return view.columns(*(
        (texts[f"{name}_{place}"], f"shape.{name}", FORMATS.get(name, "number"),
         f":,{PLACES[place]}")
        for name, place in named
    ))  # fmt: skip
