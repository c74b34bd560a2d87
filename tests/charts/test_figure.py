"""`bnviz.figure` draws every chart of the registry with the measured values of snapshots."""

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
import pytest

import bnviz
from bnviz.charts import CHARTS
from bnviz.charts import binding as kinds
from bnviz.charts.theme import DARK, LIGHT
from bnviz.config import ConfigError, RunConfig
from bnviz.experiment import Experiment, run
from bnviz.records import Break, Change
from bnviz.words.texts import text
from tests.charts.conftest import PAIR, PLANE, make_chart, snapshots
from tests.charts.test_every_chart import config_for, networks_of
from tests.every_case import every_case


def taken_for(name):
    """Return snapshots of a run that the chart fits."""
    return snapshots(PLANE) if config_for(name) != PAIR else snapshots(PAIR, change=1.0)


@cache
def drawn(name):
    return bnviz.figure(name, taken_for(name))


def words_in(figure: go.Figure) -> str:
    return figure.to_json().replace("\\u003c", "<")


@every_case("name", CHARTS)
def test_every_chart_has_its_title_and_names_its_networks(name):
    figure = drawn(name)
    chart = make_chart(name, config_for(name))
    assert figure.layout.title.text == f"<b>{chart.title}</b>"
    assert figure.layout.title.subtitle.text
    assert "{" not in figure.layout.title.subtitle.text
    assert (figure.layout.width, figure.layout.paper_bgcolor) == (700, "#FFFFFF")
    words = words_in(figure)
    for norm, label in networks_of(name).items():
        assert label in words, f"{norm} is not named"


@every_case("name", CHARTS)
def test_every_chart_draws_measured_numbers(name):
    figure, chart = drawn(name), make_chart(name, config_for(name))
    for one in chart.bindings:
        # Without weight decay, there is no angle at which weights settle.
        measured = isinstance(one, kinds.MeasuredBinding) and not isinstance(one, kinds.Text)
        if measured and not one.field.endswith("weights.settled"):
            filled = "z" if isinstance(one, kinds.Heat) else getattr(one, "attr", "x")
            values = np.ravel(figure.data[one.trace][filled]).tolist()
            assert any(value is not None for value in values), one.field


def test_lines_have_the_losses_of_all_snapshots_and_profiles_the_probe_of_the_last():
    taken = snapshots(PAIR, change=1.0)
    lines = [trace for trace in bnviz.figure("loss", taken).data if trace.line.width == 2.4]
    for norm, line in zip(PAIR.norms, lines, strict=True):
        assert line.x == tuple(one.step for one in taken)
        assert line.y == tuple(one.networks[norm].test_loss for one in taken)
    profiles = bnviz.figure("jacobian", taken).data[:6]
    for place, (norm, column) in enumerate((n, c) for n in PAIR.norms for c in (0, 2, 1)):
        values = taken[-1].networks[norm].probes["jacobian"]["percentiles"][:, column]
        assert np.allclose(profiles[place].x, np.clip(values, 1e-2, 1e2))


def test_a_step_shows_its_own_values_and_marks_them_on_the_lines():
    taken = snapshots(PAIR, change=1.0)
    figure = bnviz.figure("jacobian", taken, step=1)
    values = taken[1].networks["none"].probes["jacobian"]["percentiles"][:, 1]
    assert np.allclose(figure.data[2].x, values)
    assert figure.layout.title.subtitle.text.startswith("step 1, ")
    assert [trace.x for trace in figure.data if trace.x == (1, 1)] == [(1, 1)]
    assert bnviz.figure("jacobian", taken[1]).data[2].x == figure.data[2].x


def test_an_option_selects_the_layer_the_unit_and_the_network():
    taken = snapshots(PAIR, change=1.0)
    first = taken[-1].networks["none"].probes["jacobian"]["percentiles"][0, 1]
    for layer in (1, "layer 1"):
        lines = bnviz.figure("jacobian", taken, layer=layer).data
        assert any(trace.y and trace.y[-1] == pytest.approx(first) for trace in lines)
    assert words_in(bnviz.figure("percentiles", taken, layer=2, unit=4)) != words_in(
        bnviz.figure("percentiles", taken, layer=2, unit=3)
    )
    assert "with BN" in bnviz.figure("hill", taken, norm="batch").layout.title.subtitle.text
    seconds = bnviz.figure("accuracy_by", taken, count="epochs")
    assert "epochs" in seconds.layout.xaxis.title.text
    assert seconds.data[0].x[-1] == pytest.approx(taken[-1].networks["none"].epochs)


def test_a_probe_measured_earlier_keeps_its_values_and_says_so():
    experiment = Experiment(RunConfig(depth=2, width=8))
    first = experiment.snapshot(("jacobian",))
    experiment.step()
    figure = bnviz.figure("jacobian", [first, experiment.snapshot(())])
    note = text("live.chart.older").format(probe=text("probes.jacobian.short"), step=0)
    assert note in figure.layout.title.subtitle.text
    assert figure.data[0].x == bnviz.figure("jacobian", first).data[0].x


def test_marks_say_what_changed_and_the_layer_that_broke_has_a_number():
    figure = bnviz.figure("loss", snapshots(PAIR, change=1.0))
    assert "rate 0.1 → 1" in [word.strip() for trace in figure.data for word in trace.text or ()]
    taken = snapshots(PAIR, change=1.0)[-1]
    broke = replace(taken.networks["none"], state="blown_up",
                    broke=Break.because(4, "layer 2", "saturated"))  # fmt: skip
    figure = bnviz.figure("hills", replace(taken, networks={**taken.networks, "none": broke}))
    discs = [shape for shape in figure.layout.shapes if shape.type == "circle"]
    assert [disc.label.text for disc in discs] == ["<b>2</b>"]
    assert discs[0].fillcolor == LIGHT.networks(PAIR.norms)["none"].text


def test_the_labels_of_lines_and_marks_do_not_overlap():
    config = RunConfig(depth=2, width=8, norms=("none", "batch", "layer", "rms"))
    changes = [Change(step, {"learning_rate": step / 10}) for step in (3, 4, 9, 30, 31)]
    taken = list(run(config, steps=40, every=4, probes=(), changes=changes))
    figure = bnviz.figure("accuracy", taken)
    labels = next(trace for trace in figure.data if trace.mode == "text")
    low, high = figure.layout.yaxis.range
    plot = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
    places = sorted((y - low) / (high - low) * plot for y in labels.y)
    assert all(b - a > labels.textfont.size for a, b in pairwise(places))
    marks = next(trace for trace in figure.data if "→" in str(trace.text))
    words = [(x, y) for x, y, word in zip(marks.x, marks.y, marks.text, strict=True) if "→" in word]
    assert len(words) == len(set(words)) >= 2
    # No label is over the title, which ends where the margin of the chart begins.
    chart = make_chart("accuracy", config)
    room = chart.figure.layout.margin.t
    assert all((y - 1) * plot <= room - marks.textfont.size for _, y in words)


def test_the_dark_theme_and_other_widths_are_those_of_the_app():
    taken = snapshots(PAIR, change=1.0)
    dark = words_in(bnviz.figure("hills", taken, dark=True))
    assert DARK.ink in dark
    assert LIGHT.ink not in dark
    compact, wide = (bnviz.figure("hills", taken, width=width) for width in (360, 1000))
    assert compact.layout.width == 360
    assert wide.layout.height < compact.layout.height


@every_case("field, message, name, given, options", [
    ("chart", "jacobian", "jacobain", (), {}),
    ("snapshots", "snapshots of one run", "loss", (), {}),
    ("snapshots", "snapshots of one run", "loss", (snapshots, 1), {}),
    ("step", "the nearest is 4", "loss", (snapshots,), {"step": 7}),
    ("width", "340", "loss", (snapshots,), {"width": 100}),
    ("width", "whole number", "loss", (snapshots,), {"width": "700"}),
    ("width", "whole number", "loss", (snapshots,), {"width": 700.5}),
    ("step", "whole number between 0 and 4", "loss", (snapshots,), {"step": "3"}),
    ("chart", "one of loss", ["loss"], (snapshots,), {}),
    ("chart", "one of loss", None, (snapshots,), {}),
    ("norm", "none, batch", "hill", (snapshots,), {"norm": None}),
    ("option", "no options", "loss", (snapshots,), {"layer": 1}),
    ("option", "one of layer", "jacobian", (snapshots,), {"unit": 1}),
    ("layer", "layer 1, layer 2", "jacobian", (snapshots,), {"layer": 9}),
    ("norm", "none, batch", "hill", (snapshots,), {"norm": "layer"}),
    ("dataset", "for the chart boundary", "boundary", (snapshots,), {}),
])  # fmt: skip
def test_an_error_names_the_argument_and_what_is_allowed(field, message, name, given, options):
    taken = [one for make in given if callable(make) for one in make(PAIR)]
    taken += [one for make in given if make == 1 for one in snapshots(PLANE)]
    with pytest.raises(ConfigError) as error:
        bnviz.figure(name, taken, **options)
    assert error.value.field == field
    assert message in str(error.value)


def test_anything_but_snapshots_is_an_error():
    for given in (None, 5, [None]):
        with pytest.raises(ConfigError, match="`snapshots` must be"):
            bnviz.figure("loss", given)


def test_a_missing_probe_is_named_with_the_call_that_measures_it():
    taken = list(run(PAIR, steps=1, probes="gradients"))
    wanted = {
        "jacobian": 'run(config, steps=100, probes=("jacobian",)), got gradients',
        "cut": "keep=(0, 50, 100)", "gradient_change": '("gradients", "before_change")',
    }  # fmt: skip
    for name, words in wanted.items():
        with pytest.raises(ConfigError, match="probes") as error:
            bnviz.figure(name, taken)
        assert words in str(error.value)


def test_a_network_that_stopped_leaves_gaps():
    linear = {"activation": "linear", "loss": "squared", "learning_rate": 10.0}
    config = RunConfig(depth=2, width=8, norms=("none",), **linear)
    taken = list(run(config, steps=12, probes=()))
    last = taken[-1].networks["none"]
    assert last.stopped is not None
    figure = bnviz.figure("loss", taken)
    line = next(trace for trace in figure.data if trace.line.width == 2.4)
    assert all(y is None or math.isfinite(y) for y in line.y)
    assert max(line.x) <= last.stopped


def test_rings_are_not_joined():
    config = RunConfig(depth=2, width=8, norms=("none",))
    changes = [Change(step, {"scale_weights": (0.7, None)}) for step in (2, 4)]
    taken = run(config, steps=6, keep=(2, 4), probes=("before_change",), changes=changes)
    figure = bnviz.figure("batch_loss", [*taken][:5])
    rings = next(trace for trace in figure.data if trace.marker.symbol == "circle-open")
    assert (list(rings.x), rings.mode) == ([2, 4], "markers")
