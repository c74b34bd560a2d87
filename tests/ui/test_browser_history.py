"""An address that the page did not write itself is a command to the lab."""

from urllib.parse import urlencode

import pytest

from bnviz.config import RunConfig
from bnviz.ui.commands import run_command
from bnviz.ui.knobs import format_number
from bnviz.ui.sitemap import PAGES
from tests.ui.handed_over import live_view

pytestmark = pytest.mark.usefixtures("one_chart")


def rerun(page):
    page.run()
    assert not page.exception
    return page.session_state["lab"]


@pytest.fixture
def page(open_lab):
    """Return the lab with its second run. The first run came from the opened address."""
    opened = open_lab(depth="3")
    lab = opened.session_state["lab"]
    lab.first = lab.run_id
    lab.set_knobs(width=32, learning_rate=0.3)
    rerun(opened)
    return opened


def test_its_own_address_and_its_mere_place_ask_for_nothing(page, live):
    lab = page.session_state["lab"]
    started = live.hub.viewers.status()["runs_started"]
    before = lab.to_query()
    for query in (before, {}, {"lang": "en"}, {**before, "lang": "en"}):
        lab.open_query(urlencode(query))
        assert lab.to_query() == before
    assert live.hub.viewers.status()["runs_started"] == started


def test_a_run_that_still_lives_is_shown_again_and_stays(page, live):
    lab = page.session_state["lab"]
    second = lab.run_id
    assert live.hub.registry.runs[lab.first].ends_at is not None
    lab.open_query(f"depth=3&run={lab.first}")
    assert live.hub.registry.runs[lab.first].ends_at is None
    assert live.hub.registry.runs[second].ends_at is not None
    assert (rerun(page).run_id, lab.config) == (lab.first, RunConfig(depth=3))
    assert lab.notices == []
    assert live_view(page)["address"] == {"depth": "3", "run": lab.first}


@pytest.mark.parametrize("said", [{"run": "0" * 32}, {}, {"run": "moon"}])
def test_what_is_over_starts_anew_with_the_addresss_knobs(page, live, said):
    lab = page.session_state["lab"]
    second = lab.run_id
    lab.open_query(urlencode({"preset": "spirals", "learning_rate": "0.03", **said}))
    assert lab.run_id not in (second, lab.first)
    assert lab.query.preset == "spirals"
    assert lab.config == RunConfig.from_query({**lab.config.to_query(), "learning_rate": "0.03"})
    assert live.hub.info(lab.run_id).config.dataset == "spirals"
    assert live.hub.registry.runs[second].ends_at is not None
    over = said.get("run") == "0" * 32
    assert [notice.key for notice in lab.notices] == ["lab.notice.expired"] * over
    assert [key for key, _ in lab.query.problems] == ["run"] * (said.get("run") == "moon")


def test_only_what_the_visitor_starts_over_is_a_step_to_go_back_from(page):
    lab = page.session_state["lab"]
    assert lab.history_entries == 1
    lab.set_knobs(learning_rate=1.0)
    lab.open_query("depth=2")
    assert rerun(page).history_entries == 1
    lab.open_preset("spirals")
    assert live_view(page)["entry"] == 1
    assert rerun(page).history_entries == live_view(page)["entry"] == 2


def test_what_a_browser_says_of_widgets_from_before_a_command_is_not_heard(page, live):
    lab = page.session_state["lab"]
    lab.open_preset("spirals")
    rerun(page)
    (noise,) = [s for s in page.select_slider if s.key.startswith("knob_noise")]
    noise.set_value(0.05)
    stale = page._tree.get_widget_states()
    run_command(lab, {"name": "visit", "query": "depth=3"})
    page._run(stale)  # these widget states were sent before the command arrived
    assert live_view(page)["run"] == lab.run_id
    assert lab.config == RunConfig(depth=3)
    assert live.hub.info(lab.run_id).initial_config == RunConfig(depth=3)
    assert live_view(page)["read"] == "depth=3"
    run_command(lab, {"name": "visit", "query": ["depth=4"]})
    assert lab.config.depth == 3


def test_nobody_keeps_a_run_of_somebody_else_alive(page, live):
    lab = page.session_state["lab"]
    live.hub.come_back("somebody else", lab.first)
    assert live.hub.registry.runs[lab.first].ends_at is not None
    live.hub.come_back(lab.owner, "0" * 32)


def test_a_browser_that_missed_the_first_drawing_shows_the_same_knobs(open_lab):
    """A widget must show its knob's value by itself, because a value sent once can be lost."""
    page = open_lab(depth="3", width="32", norms="batch,layer", activation="sigmoid", seed="5")
    for _ in range(2):
        assert len(page.select_slider) == 5
        for slider in page.select_slider:
            (place,) = slider.proto.default
            assert slider.options[int(place)] == format_number(slider.value)
        assert len(page.button_group) > 3
        for group in page.button_group:
            assert [group.options[place] for place in group.proto.default] == group.formatted_values
            assert group.formatted_values
        rerun(page)


def test_a_link_from_another_page_is_obeyed_once(page):
    lab = page.session_state["lab"]
    run = lab.run_id

    def move(to, **query):
        page.switch_page(str(to))
        for name in list(page.query_params):
            del page.query_params[name]
        for name, said in query.items():
            page.query_params[name] = said
        return rerun(page)

    move(PAGES["about"].script)
    assert move(PAGES["lab"].script).run_id == run
    move(PAGES["about"].script)
    assert move(PAGES["lab"].script, preset="spirals").config.dataset == "spirals"
    lab.set_knobs(depth=2)
    assert rerun(page).config.depth == 2
