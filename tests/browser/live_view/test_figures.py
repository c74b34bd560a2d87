"""Figures for notebooks have the traces and axes of the charts in the app."""

import pytest

import bnviz
from bnviz.charts import binding as kinds
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import PAIR
from tests.charts.conftest import make_chart
from tests.charts.test_filling import same
from tests.every_case import every_case

NAMES = ("loss", "jacobian", "hills", "gradients", "network", "percentiles")
READ = """[...gd.data].map(({ x = null, y = null, z = null, text = null, marker }) =>
  ({ x, y, z, text, symbol: marker?.symbol ?? null }))"""
AXES = """Object.fromEntries(Object.entries(gd._fullLayout)
  .filter(([name, axis]) => /^[xy]axis\\d*$/.test(name) && axis.type !== 'category')
  .map(([name, { range }]) => [name, range]))"""


@pytest.fixture(scope="module")
def drawn(opening, frames):
    """Return {chart: (traces, ranges of the axes, width)} of charts in a page."""
    with opening() as open_tab:
        tab = open_tab(page_data(PAIR, NAMES), frames, viewport={"width": 1300, "height": 4000})
        tab.drawn(30)
        found = {}
        for name in NAMES:
            tab.filled(name)
            found[name] = [tab.plot(name, each) for each in (READ, AXES, "gd.clientWidth")]
        yield found


@every_case("name", NAMES)
def test_a_figure_has_the_traces_and_the_axes_of_the_app(drawn, taken, name):
    traces, axes, width = drawn[name]
    figure = bnviz.figure(name, [snapshot for snapshot, _ in taken], width=width)
    # Labels depend on the height of the figure, which the page chooses.
    labels = {one.trace for one in make_chart(name, PAIR).bindings
              if isinstance(one, kinds.Labels | kinds.Marks)}  # fmt: skip
    for place, theirs in enumerate(traces):
        ours = figure.data[place]
        assert same(ours.x, theirs["x"]), place
        if place not in labels:
            for attribute in ("y", "z", "text"):
                assert same(getattr(ours, attribute, None), theirs[attribute]), (place, attribute)
            if theirs["symbol"] is not None:
                assert same(ours.marker.symbol, theirs["symbol"]), place
        elif ours.mode == "text":
            assert same(ours.text, theirs["text"]), place
    for axis, theirs in axes.items():
        if figure.layout[axis].range is not None:
            assert figure.layout[axis].range == pytest.approx(theirs), axis
