"""Functions of the live view's modules: numbers, slices, thinning, ranges."""

import numpy as np
import pytest

from bnviz.charts.binding import write
from tests.browser.live_view.harness import ASSETS


@pytest.mark.parametrize("style", ["number", "percent0", "percent1", "count"])
def test_numbers_are_written_as_in_python(module, style):
    values = [0, 1, 0.104, 0.0049, 0.9987, 0.99999, 1e-5, 0.21, 3.14, 12.3, 420, 6e-8, 2.5e15, -0.3]
    written = module("format", "a[0].map((x) => m.format(x, a[1]))", [values, style])
    assert written == [write(float(value), style) for value in values]


def test_numbers_that_are_not_finite_are_written_out(module):
    assert module("format", "['NaN', 'Infinity', '-Infinity'].map((x) => m.format(x))") == [
        write(float(value), "number") for value in ("nan", "inf", "-inf")
    ]


def test_thinning_keeps_ends_and_extremes(module):
    rng = np.random.default_rng(0)
    values = rng.normal(size=5000).tolist()
    values[777], values[1234] = 99.0, -99.0
    kept = module("series", "m.thin([...a.keys()], a, 400)", values)
    assert len(kept["steps"]) <= 400
    assert kept["steps"] == sorted(set(kept["steps"]))
    assert {0, 777, 1234, 4999} <= set(kept["steps"])


def test_slices_of_arrays_agree_with_numpy(module):
    array = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    for index, expected in [
        ("1,:", array[1]), (":,2", array[:, 2]), ("$layer,$unit,1", array[1, 2, 1]),
        ("-1,0,:", array[-1, 0]), (":,:,3", array[:, :, 3]),
    ]:  # fmt: skip
        taken = module(
            "typed",
            "(() => { const { data, shape } = m.take({ data: a[0], shape: [2, 3, 4] },"
            " m.parseIndex(a[1], { layer: 1, unit: 2 })); return [[...data], shape]; })()",
            [array.ravel().tolist(), index],
        )
        assert taken == [np.ravel(expected).tolist(), list(np.shape(expected))]


def test_labels_are_pushed_apart_around_their_centre(module):
    assert module("bindings_time", "m.pushApart([10, 11, 100], 14)") == [3.5, 17.5, 100]


def test_a_range_stays_while_the_data_fit_and_grows_when_they_do_not(module):
    axis = {"range": [0, 100], "autorange": False}
    ask = "m.bestRange(a[0], a[1], { rangemode: 'tozero' })"
    assert module("ranges", ask, [[0, 90], axis]) is None
    low, high = module("ranges", ask, [[0, 101], axis])
    assert low == 0
    assert 101 < high < 130


def test_every_module_is_asked_for_at_once():
    listed = (ASSETS / "live_view.js").read_text().split("MODULES = [")[1].split("]")[0]
    names = {part.strip(' \n"') for part in listed.split(",")} - {""}
    assert names | {"plotly"} == {path.stem for path in (ASSETS / "live").glob("*.js")}
