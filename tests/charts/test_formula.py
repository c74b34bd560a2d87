"""Batch normalization by numbers: the values at the nodes agree with each other."""

import pytest
import torch

from bnviz.charts import binding as kinds
from bnviz.norms.batch import batch_norm_forward
from bnviz.words.numbers import write
from tests.charts.conftest import PAIR, make_chart
from tests.charts.real_module import apply

CHOSEN = {"layer": 2, "unit": 5}


def at_nodes(chart, frames):
    """Return the text at each node, keyed by the name of its value."""
    figure = apply(chart, frames, selected=CHOSEN)
    return {one.field.rpartition(".")[2]: figure.data[one.trace].text[one.at]
            for one in chart.bindings if isinstance(one, kinds.Text)}  # fmt: skip


def test_the_numbers_at_the_nodes_are_those_of_algorithm_1(pair):
    frame, words = pair[-1], at_nodes(make_chart("formula", PAIR), pair)
    given = {name: frame.array(f"batch.unit_batch.{name}")[2, 5]
             for name in ("x", "mean", "var", "gamma", "beta")}  # fmt: skip
    # The array may be longer than the mini-batch of 60 and then repeats its examples.
    x = torch.tensor(given["x"][: PAIR.batch_size], dtype=torch.float64)[:, None]
    gamma, beta = (torch.tensor([given[name]], dtype=torch.float64) for name in ("gamma", "beta"))
    y, cache = batch_norm_forward(x, gamma, beta, PAIR.norm_eps)
    expected = {
        "x": x[0], "centred": x[0] - cache.mean, "normalized": cache.normalized[0], "y": y[0],
        "mean": cache.mean, "var": cache.var, "factor": cache.inverse_std, "gamma": gamma,
        "beta": beta,
    }  # fmt: skip
    for name, value in expected.items():
        shown = float(words[name].replace("\N{MINUS SIGN}", "-"))
        assert shown == pytest.approx(float(value), rel=6e-3, abs=1e-6), name
    hat = (given["x"][0] - given["mean"]) / (given["var"] + PAIR.norm_eps) ** 0.5
    assert words["normalized"] == write(hat, "number3")


def test_stored_statistics_stand_under_those_of_the_batch(pair):
    words = at_nodes(make_chart("formula", PAIR), pair)
    for name in ("running_mean", "running_var"):
        value = pair[-1].array(f"batch.unit_batch.{name}")[2, 5]
        assert words[name] == f"running<br>avg. {write(float(value), 'number3')}"


def test_three_strips_on_one_scale_with_the_first_example_marked(pair):
    chart = make_chart("formula", PAIR)
    figure = apply(chart, pair, selected=CHOSEN)
    strips = [one for one in chart.bindings if isinstance(one, kinds.Array)]
    assert {figure.data[one.trace].xaxis for one in strips} == {"x2"}
    for every, first in zip(strips[::2], strips[1::2], strict=True):
        values = pair[-1].array(every.field)[2, 5]
        assert figure.data[every.trace].x == pytest.approx(values.clip(-4, 4))
        assert figure.data[first.trace].x == pytest.approx([values[0].clip(-4, 4)])


def test_no_figure_is_so_low_that_its_words_meet():
    """The labels above and below the boxes do not shrink with the figure."""
    drawn = make_chart("formula", PAIR).to_json()
    assert all(drawn[form]["least"] == drawn[form]["height"] for form in ("wide", "compact"))
