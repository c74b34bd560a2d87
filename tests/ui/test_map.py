"""The map's page: its address, the controls in the sidebar, and the card of a cell."""

import dataclasses
import re
from functools import partial

import pytest

from bnviz.live import current_hub
from bnviz.sweeps.cells import Cell
from bnviz.sweeps.setting import LADDERS, USUAL, MapSetting, Span
from bnviz.ui.map.card import _title_of
from bnviz.ui.map.query import MapQuery, read_map_query
from bnviz.ui.sitemap import PAGES
from tests.every_case import every_case
from tests.sweeps.test_survey import BROKEN, LEARNED
from tests.ui.handed_over import answers, said


@pytest.fixture
def open_map(open_page):
    """Return a function that opens the map at an address."""
    return partial(open_page, PAGES["map"].script)


def shown(page) -> MapQuery:
    return page.session_state["tab_map"].query


def test_the_page_opens_on_the_usual_map_and_has_it_drawn(open_map):
    page = open_map()
    assert shown(page) == MapQuery()
    assert current_hub().maps.setting(USUAL.key) == USUAL
    assert 'class="bnviz-answer"' not in said(page)
    assert page.query_params == {}


def test_an_address_is_the_map_that_it_says(open_map):
    page = open_map(across="init_std", up="depth", norms="none,batch,layer", colour="accuracy")
    assert (shown(page).setting.across.knob, shown(page).setting.up.knob) == ("init_std", "depth")
    assert shown(page).setting.config.norms == ("none", "batch", "layer")
    assert shown(page).colour == "accuracy"
    assert current_hub().maps.setting(shown(page).setting.key)


@every_case(
    ("query", "name"),
    [
        ({"across": "width"}, "across"),
        ({"across": "learning_rate,1,0.1,5"}, "learning_rate"),
        ({"steps": "-1"}, "steps"),
        ({"cell": "0.1"}, "cell"),
        ({"cell": "1e99,4"}, "learning_rate"),
        ({"cell": "nan,nan"}, "cell"),
        ({"colour": "red"}, "colour"),
        ({"zooms": "learning_rate"}, "zooms"),
        ({"zooms": "depth~batch_size"}, "zooms"),
        ({"present": "yes"}, "present"),
        ({"width": "9999"}, "width"),
        ({"surprise": "<b>"}, "surprise"),
    ],
)
def test_what_is_wrong_is_answered_and_left_out(query, name):
    visit = read_map_query(query)
    assert visit == MapQuery()
    assert len(visit.problems) == 1
    assert f"`{name}" in visit.problems[0]


def test_of_parts_that_do_not_go_together_the_last_is_left_out():
    visit = read_map_query({"width": "512", "depth": "50"})
    assert (visit.setting.config.width, visit.setting.config.depth) == (512, 6)
    assert "depth × width²" in visit.problems[0]
    assert visit.problems[0].endswith("Used instead: depth = 6.")


@every_case("query, used", [
    ({"steps": "-1"}, "Used instead: 200."), ({"width": "9999"}, "Used instead: 64."),
    ({"colour": "red"}, "Used instead: outcome."), ({"cell": "0.1"}, "This value is ignored."),
    ({"across": "learning_rate,1,0.1,5"}, "Used instead: across = learning_rate."),
    ({"surprise": "1"}, "This page does not know `surprise` and ignores it."),
    ({"color": "loss"}, "Did you mean `colour`?"),
])  # fmt: skip
def test_what_is_used_instead_is_told(query, used):
    assert read_map_query(query).problems[0].endswith(used)


def test_what_is_right_beside_it_stays(open_map):
    page = open_map(steps="50", seeds="99", width="32")
    assert shown(page).setting == USUAL.replace(steps=50, config=USUAL.config.replace(width=32))
    assert "`seeds` must be a whole number between 1 and 20" in answers(page)[0]


def test_zooms_lead_back_and_survive_the_address():
    inner = MapQuery(colour="loss").zoom((0.1, 1.0), (8, 64)).zoom((0.3, 0.4), (16, 32))
    assert len(inner.zooms) == 2
    assert inner.setting.across == Span("learning_rate", 0.3, 0.4, 16)
    assert inner.setting.up.rungs[0] == 16
    assert read_map_query(inner.to_query()) == inner
    assert inner.back(1).setting.across == Span("learning_rate", 0.1, 1.0, 16)
    assert inner.back(0) == MapQuery(colour="loss")


def test_a_rectangle_cannot_leave_its_map():
    across = MapQuery().zoom((1e-5, 1.0), (1, 9999)).setting.across
    assert (across.low, across.high) == (0.01, 1.0)


def test_knobs_of_the_sidebar_ask_for_another_map(open_map):
    page = open_map()
    page.segmented_control(key="knob_activation-map").set_value("relu").run()
    assert shown(page).setting.config.activation == "relu"
    assert page.query_params["activation"] == "relu"
    page.select_slider(key="map_steps-map").set_value(100).run()
    page.segmented_control(key="map_equal-map").set_value("data").run()
    assert (shown(page).setting.steps, shown(page).setting.equal) == (100, "data")
    key = shown(page).setting.key
    assert MapSetting.from_query(
        {name: page.query_params[name] for name in ("activation", "steps", "equal")}
    ).key == key  # fmt: skip


def test_who_follows_a_class_has_nothing_drawn_until_they_look_at_another_map(open_map):
    page = open_map(steps="21", follow="1")
    tab_map, maps = page.session_state["tab_map"], current_hub().maps
    assert shown(page).problems == ()
    assert maps.poll(tab_map.key, None, 0, wanted=False).plain()["status"] == "paused"
    tab_map.set_steps(True)
    tab_map.set_steps(2.5)
    assert tab_map.setting.steps == 21
    assert "`steps` must be a whole number between 1 and 2000" in tab_map.notices[0].text()
    tab_map.set_steps(22)
    assert (tab_map.setting.steps, tab_map.follows) == (22, False)


def test_axes_give_way_to_each_other(open_map):
    page = open_map()
    page.segmented_control(key="map_across-map").set_value("batch_size").run()
    assert (shown(page).setting.across, shown(page).setting.up) == (
        LADDERS["batch_size"], LADDERS["learning_rate"],
    )  # fmt: skip
    page.segmented_control(key="map_up-map-1").set_value("depth").run()
    setting = shown(page).setting
    assert (setting.up, setting.config.learning_rate) == (LADDERS["depth"], 0.1)
    with pytest.raises(KeyError):
        page.select_slider(key="knob_depth-map")
    assert page.select_slider(key="knob_learning_rate-map").value == 0.1


def test_skips_are_an_axis_or_a_knob_where_there_can_be_some(open_map):
    page = open_map(steps="1")
    assert page.select_slider(key="knob_skip-map").value == 0
    with pytest.raises(KeyError):
        page.select_slider(key="knob_branch_start-map")
    page.segmented_control(key="map_up-map").set_value("skip").run()
    assert shown(page).setting.up == LADDERS["skip"]
    assert page.select_slider(key="knob_branch_start-map").value == 1
    with pytest.raises(KeyError):
        page.select_slider(key="knob_skip-map")
    with pytest.raises(KeyError):
        open_map(norms="none,dropout", steps="1").select_slider(key="knob_skip-map")


def test_a_map_that_cannot_be_is_answered_and_the_one_there_is_stays(open_map):
    page = open_map(depth="20", width="256", steps="200")
    before = shown(page).setting
    page.select_slider(key="map_seeds-map").set_value(20).run()
    assert shown(page).setting == before
    assert "`networks × steps` must be at most" in said(page)


def test_what_the_browser_asks_with_an_address_from_before_takes_no_knob_back(open_map):
    """While the page's new address is on its way, the browser still sends the previous one."""
    page = open_map(steps="50")
    for steps in (100, 200):
        page.select_slider(key="map_steps-map").set_value(steps).run()
    page.query_params["steps"] = "100"
    page.run()
    assert shown(page).setting.steps == 200


def test_back_brings_the_map_before(open_map):
    page = open_map(steps="50")
    page.select_slider(key="map_steps-map").set_value(100).run()
    page.query_params["steps"] = "50"
    page.run()
    page.query_params.clear()
    page.query_params["steps"] = "20"
    page.run()
    assert shown(page).setting.steps == 20


def test_a_card_names_the_setting_of_its_run(open_map):
    assert "Learning rate 0.1, batch size 34" in said(open_map(steps="20", cell="0.1,33.5"))


def test_the_card_of_a_cell_says_what_became_of_it_and_leads_to_its_run(open_map):
    setting = USUAL.replace(steps=60)
    key = current_hub().maps.open("somebody", setting)
    config = setting.at(0.316, 32)
    survey = current_hub().maps._maps[key].survey
    plain, batch = (Cell(config.replace(norms=(norm,)), 60) for norm in ("none", "batch"))
    survey.take([(plain, BROKEN), (batch, LEARNED)])
    page = open_map(steps="60", cell="0.316,32")
    text = said(page)
    assert "Learning rate 0.316, batch size 32" in text
    assert "Without BN: broke at step 3, now stuck." in text
    assert "First to break: layer 1, over 90 % of its values saturated." in text
    assert "With BN: learning." in text
    assert "10 % test accuracy after 60 steps." in text
    assert "90 % test accuracy after 60 steps." in text
    # The links open the step just before the break, or the last step if there was no break.
    assert re.findall(r"/lab\?[^\"]*?at=(\d+)", text) == ["2", "60"]
    run = page.session_state["page_runs"].popitem()[1]
    assert run.config == config
    page.button(key="map_close").click().run()
    assert shown(page).cell is None
    assert "cell" not in page.query_params


@every_case(
    ("outcome", "title"),
    [
        (LEARNED, "learning."), (BROKEN, "broke at step 3, now stuck."), (None, ""),
        (dataclasses.replace(LEARNED, test_accuracy=0.1), "not learned yet."),
        (dataclasses.replace(BROKEN, state="diverged", stopped=17),
         "diverged at step 17 and stopped."),
        (dataclasses.replace(BROKEN, state="recovered", test_accuracy=0.7),
         "broke at step 3, recovered."),
        (dataclasses.replace(BROKEN, state="recovered"), "not learned yet."),
        (dataclasses.replace(BROKEN, state="learning", test_accuracy=0.7),
         "broke at step 3; now learning, test accuracy 70 %."),
        (dataclasses.replace(LEARNED, state="stuck"), "stuck at chance level."),
        (dataclasses.replace(LEARNED, state="paused"), "waiting."),
    ],
)  # fmt: skip
def test_states_are_said_in_the_labs_words(outcome, title):
    assert _title_of("with BN", outcome) == (f"With BN: {title}" if title else "With BN.")


def test_without_a_cookie_no_map_is_drawn_and_the_page_says_why(open_page):
    page = open_page(PAGES["map"].script, "")
    assert "Cookies are needed" in said(page)


def test_a_widget_that_says_what_is_shown_changes_nothing(open_map):
    page = open_map(across="learning_rate,0.1,10.0,8", steps="50")
    tab_map = page.session_state["tab_map"]
    before, tab_map.shown = tab_map.query, {"as": "it was"}
    tab_map.set_axis("across", "learning_rate")
    tab_map.set_setting(steps=50)
    tab_map.set_knobs(activation="tanh")
    assert tab_map.query == before
    assert tab_map.shown == {"as": "it was"}
