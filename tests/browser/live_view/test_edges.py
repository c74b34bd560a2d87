"""The local stability edge on the scale of the learning rate."""

import dataclasses
import math
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import ONE, PAIR, encoded, with_edges

PLACES = """all => all.map((mark) => {
  const scale = mark.parentElement.getBoundingClientRect();
  const at = mark.getBoundingClientRect();
  return (at.x + at.width / 2 - scale.x) / scale.width;
})"""


@pytest.fixture
def edged(open_tab, harness, taken):
    """Return a page with sidebar knobs and stability edges 0.1 and 0.55, measured at step 25."""
    shot = with_edges(taken[30][0], step=25, none=0.1, batch=0.55)
    data = {**page_data(PAIR, ONE), "sidebar": {"edges": True}}
    tab = open_tab(data, [(30, encoded(shot))])
    tab.drawn(0)
    harness.push(31, encoded(shot))
    tab.drawn(1)
    return tab


def marks(tab):
    return tab.page.locator("#sidebar .bnviz-edge-scale i")


def test_every_network_has_a_mark_where_its_edge_is_on_the_ladder(edged):
    expect(marks(edged)).to_have_count(2)
    between = 3 + math.log(0.55 / 0.3) / math.log(1 / 0.3)
    assert marks(edged).evaluate_all(PLACES) == pytest.approx([2 / 4, between / 4], abs=0.01)
    colours = marks(edged).evaluate_all(
        "all => all.map((e) => getComputedStyle(e).borderLeftColor)"
    )
    assert colours == ["rgb(213, 94, 0)", "rgb(0, 114, 178)"]
    words = edged.page.locator("#sidebar .bnviz-edge-words")
    expect(words).to_contain_text("local stability edge 2/λ, now")
    expect(words).to_contain_text("0.1 · 0.55 at step 25")


def test_on_the_stage_the_marks_are_named_as_well(open_tab, taken):
    shot = encoded(with_edges(taken[30][0], step=25, none=0.1, batch=0.55))
    data = {**page_data(PAIR, ONE), "present": True}
    tab = open_tab(data, [(30, shot)], viewport={"width": 1280, "height": 800})
    tab.drawn(0)
    words = tab.view.locator(".bnviz-stage-bar .bnviz-edge-words")
    expect(words).to_have_text(re.compile("local stability edge 2/λ: 0.1 · 0.55"))
    tab.page.set_viewport_size({"width": 1024, "height": 768})
    expect(words).to_be_visible()  # only the name fits in a narrow window
    tab.page.wait_for_function("words => words.innerText === 'local stability edge 2/λ'",
                               arg=words.element_handle())  # fmt: skip
    slider = tab.view.get_by_role("slider", name="Learning rate")
    expect(slider).to_have_attribute("aria-description", re.compile("without BN 0.1, measured at"))


def test_what_it_means_is_told_on_focus(edged):
    words = edged.page.locator("#sidebar .bnviz-edge-words")
    why = words.locator(".bnviz-edge-why")
    expect(why).to_be_hidden()
    words.focus()
    expect(why).to_be_visible()
    expect(why).to_contain_text("without BN 0.1, measured at step 25")
    expect(why).to_contain_text("not a threshold of divergence")


def test_networks_with_rates_of_their_own_have_their_own_edges(edged):
    edged.page.get_by_text("A rate for each network").click()
    tracks = edged.page.locator("#sidebar .bnviz-knob-track")
    expect(tracks).to_have_count(2)
    for track in tracks.all():
        expect(track.locator(".bnviz-edge-scale i")).to_have_count(1)
    expect(edged.page.locator("#sidebar .bnviz-edges").last).to_contain_text("0.55 at step 25")


def test_there_is_no_mark_without_an_edge_and_none_for_adam(edged, harness, taken):
    shot = with_edges(taken[30][0], none=math.nan, batch=0.3)
    edged.drawn(harness.push(32, encoded(shot)))
    expect(marks(edged)).to_have_count(1)
    edged.drawn(harness.push(33, encoded(with_edges(taken[30][0], none=-1.0, batch=math.inf))))
    expect(marks(edged)).to_have_count(0)
    edged.drawn(harness.push(34, encoded(shot)))
    expect(marks(edged)).to_have_count(1)
    harness.script("set_knobs", momentum=0.9)
    expect(edged.page.locator("#sidebar .bnviz-edges")).to_contain_text("2(1+β)/λ")
    harness.script("set_knobs", rate_factors=(10, 1, 1))  # layers now have different rates
    expect(marks(edged)).to_have_count(0)
    harness.script("set_knobs", rate_factors=(1, 1, 1))
    expect(marks(edged)).to_have_count(1)
    edged.page.evaluate(
        "window.mountAgain({ config: { ...window.data.config, optimizer: 'adam' } })"
    )
    expect(marks(edged)).to_have_count(0)


def test_a_network_that_no_longer_learns_has_no_edge(edged, harness, taken):
    shot = with_edges(taken[30][0], none=0.1, batch=0.55)
    for seq, state in enumerate(("stuck", "diverged"), start=32):
        ended = dataclasses.replace(shot.networks["none"], state=state)
        networks = {**shot.networks, "none": ended}
        edged.drawn(harness.push(seq, encoded(dataclasses.replace(shot, networks=networks))))
        expect(marks(edged)).to_have_count(1)
    record = shot.networks["none"]
    zeros = {name: np.zeros_like(values) for name, values in record.probes["gradients"].items()}
    dead = dataclasses.replace(record, probes={**record.probes, "gradients": zeros})
    networks = {**shot.networks, "none": dead}
    edged.drawn(harness.push(34, encoded(dataclasses.replace(shot, networks=networks))))
    expect(marks(edged)).to_have_count(1)


def test_an_old_edge_is_not_called_that_of_now(edged, harness, taken):
    words = edged.page.locator("#sidebar .bnviz-edge-words")
    shot = with_edges(taken[30][0], step=25, none=0.1, batch=0.55)
    edged.drawn(harness.push(40, encoded(dataclasses.replace(shot, step=40))))
    expect(words).to_contain_text("now")
    edged.drawn(harness.push(60, encoded(dataclasses.replace(shot, step=60))))
    expect(words).not_to_contain_text("now")
    expect(words).to_contain_text("at step 25")


def test_the_views_own_rate_has_the_marks_too(open_tab, taken):
    shot = with_edges(taken[30][0], none=0.03, batch=7.0)
    data = {**page_data(PAIR, ONE), "present": True}
    tab = open_tab(data, [(30, encoded(shot))])
    tab.drawn(0)
    own = tab.view.locator(".bnviz-rate .bnviz-edge-scale i")
    expect(own).to_have_count(2)
    assert own.evaluate_all(PLACES) == pytest.approx([1 / 4, 1], abs=0.01)
