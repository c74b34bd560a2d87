"""The headline of a map is computed from its cells."""

from __future__ import annotations

import pytest

from tests.browser.widgets.map_by_hand import ask, plan
from tests.browser.widgets.test_map_drawing import ALL, grid

NOTHING = "bbbb bbbb bbbb"


@pytest.mark.parametrize(
    ("plain", "batch", "key", "said"),
    [
        ("lbbb lbbb lbbb", "llbb lllb lllb", "gain_batch",
         "Batch normalization allows learning rates 10 to 100 times as large as without it."),
        ("lbbb lbbb lbbb", "llbb llbb llbb", "gain_batch_one",
         "learning rates 10 times as large as without it."),
        ("lbbb lbbb lbbb", "llbb llll llbb", "gain_batch_least",
         "learning rates at least 10 times as large as without it."),
        # A row in which one network never learns has no ratio.
        ("bbbb lbbb lbbb", "llbb llbb llbb", "gain_batch_one",
         "learning rates 10 times as large as without it."),
        ("llbb lbbb lbbb", "lbbb llbb llbb", "gain", "0.1 to 10 times as large with BN as without"),
        ("llbb llbb llbb", "lbbb lbbb lbbb", "gain_one", "10 times as large without BN as with BN"),
        ("llbb llbb llbb", "llbb llbb llbb", "level", "learning rates work without BN and with"),
        ("bllb bllb bllb", "lllb lllb lllb", "lower_one", "10 times as large without BN as with"),
        (ALL, ALL, "level", "The same learning rates work"),
        (NOTHING, "llbb llbb llbb", "only", "On this map, networks learn only with BN."),
        ("lbbb bbbb bbbb", "bbbb llbb llbb", "elsewhere", "at most one of the networks"),
        (NOTHING, NOTHING, "nobody", "No network learns on this map."),
        ("llll", "llll", "drawing", "Which of these settings learn?"),
    ],
)  # fmt: skip
def test_two_networks(blank, plain, batch, key, said):
    found = ask(blank, "headline", data=plan(), rows=grid(plain, batch))
    assert found[0] == key
    assert said in found[1]


@pytest.mark.parametrize(
    ("cells", "key", "said"),
    [
        ("llbb lllb lbbb", "reach", "with BN, the largest learning rate that works is 0.01 to 1."),
        ("llbb llbb llbb", "reach_one", "the largest learning rate that works is 0.1."),
        (NOTHING, "nobody_one", "does not learn"),
    ],
)
def test_one_network(blank, cells, key, said):
    found = ask(blank, "headline", data=plan("batch"), rows=grid(cells))
    assert found[0] == key
    assert said in found[1]


def test_of_several_networks_the_one_that_goes_furthest_is_named(blank):
    data = plan("none", "batch", "layer")
    rows = grid("lbbb lbbb lbbb", "llbb llbb llbb", "lllb lllb lllb")
    key, said = ask(blank, "headline", data=data, rows=rows)
    assert (key, "100 times as large with layer norm as without BN" in said) == ("gain_one", True)


def test_other_axes_than_the_learning_rate(blank):
    cells = grid("lbbb lbbb lbbb", "llbb lllb lllb")
    up = {**plan()["across"], "rungs": [0.01, 0.1, 1]}
    turned = plan(across={**plan()["up"], "rungs": [4, 8, 16, 64]}, up=up)
    # Along the vertical axis, both networks learn up to the last rate.
    assert ask(blank, "headline", data=turned, rows=cells)[0] == "level"
    other = plan(across={**plan()["across"], "knob": "init_std"})
    assert ask(blank, "headline", data=other, rows=cells)[1] == (
        "In 5 of 12 settings, networks learn only with BN."
    )
