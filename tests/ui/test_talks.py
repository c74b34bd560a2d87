"""Talks: every stop opens, can be reached in both directions, and shows its position."""

from urllib.parse import urlencode

import pytest

from bnviz.charts import CHARTS
from bnviz.config import RunConfig
from bnviz.live import current_hub
from bnviz.own_talks.talk_cache import keep_talk
from bnviz.presets import PRESETS
from bnviz.talks.talk import TALKS
from bnviz.ui.commands import run_command
from bnviz.ui.lab_query import read_lab_query
from bnviz.words.texts import text, texts
from tests.every_case import every_case
from tests.ui.handed_over import live_view

pytestmark = pytest.mark.usefixtures("one_chart")

NAME = "first-five-minutes"
EVERY = [(name, number) for name, talk in TALKS.items() for number in range(1, len(talk) + 1)]


@every_case(("name", "number"), EVERY)
def test_every_stations_link_opens_a_run_with_its_past_and_has_words(name, number):
    talk = TALKS[name]
    page = read_lab_query({"talk": name, "station": str(number), "present": "1"})
    assert page.problems == []
    assert talk.stations[number - 1].chart in CHARTS
    opener = talk.stations[talk.opener(number) - 1]
    assert page.preset == opener.preset in PRESETS
    assert page.config == opener.config()
    assert (page.talk, page.station, page.from_step) == (
        name,
        number,
        talk.stations[number - 1].after,
    )
    said = texts("talks")["talk"][name]["station"]
    assert list(said) == [station.name for station in talk.stations]
    assert set(said[talk.stations[number - 1].name]) == {"title", "ask", "say", "notes"}
    # The address that the page writes is read back unchanged, with the present knobs.
    again = read_lab_query(page.to_query(RunConfig(depth=3), "0" * 32))
    assert (again.talk, again.station, again.config, again.from_step) == (
        name, number, RunConfig(depth=3), None,
    )  # fmt: skip


@every_case(("name", "number"), EVERY)
def test_what_a_station_asks_is_not_to_be_seen_there_yet(name, number):
    talk = TALKS[name]
    station = talk.stations[number - 1]
    if station.ask is None:  # no measurement answers this question
        return
    waits = station.paused and station.after == 0
    so_already = station.needs.items() <= talk.live_knobs(number).items()
    # If the question asks for a layer, the page hides the layer's name (`coversLayer` in
    # assets/live/view.js).
    assert waits or not so_already or (station.ask == "layer" and station.does != "show_break")


@every_case(
    ("query", "said"),
    [({"talk": "moon"}, "talk"), ({"talk": NAME, "station": "0"}, "station"),
     ({"talk": NAME, "station": "99"}, "station"), ({"talk": NAME, "station": "x"}, "station"),
     ({"station": "2"}, "station_alone")],
)  # fmt: skip
def test_what_is_wrong_is_answered(query, said):
    page = read_lab_query(query)
    assert [key for key, _ in page.problems] == [said]
    assert page.station == 1


@pytest.fixture
def page(open_lab):
    return open_lab(talk=NAME, station="1", present="1")


@pytest.fixture
def lab(page):
    return page.session_state["lab"]


def go(lab, number):
    run_command(lab, {"name": "station", "number": number})
    return lab.run_id


def view(page):
    page.run()
    assert not page.exception, page.exception[0].message
    return live_view(page)


def test_stations_that_change_knobs_act_on_the_run_and_others_open_theirs(lab, page, live):
    first, entry = lab.run_id, lab.history_entries
    assert live.hub.info(first).status == "paused"
    assert view(page)["talk"]["number"] == 1
    assert view(page)["question"]["kind"] == "breaks"
    assert view(page)["question"]["walks"]
    assert (view(page)["question"]["until"], view(page)["talk"]["until"]) == (3, 1)
    knobs = view(page)["knobs"]
    assert knobs["second"] == ["batch_size", "momentum", "weight_decay"]
    # a batch of one example has no variance to normalize by
    assert min(knobs["specs"]["batch_size"]["rungs"]) == 2
    assert go(lab, 2) == go(lab, 3) == first
    assert live.hub.info(first).config.learning_rate == 1.0
    assert lab.history_entries == entry
    assert view(page)["question"]["since"] is None
    data = view(page)
    assert (data["talk"]["number"], data["talk"]["does"]) == (3, "show_break")
    assert (data["address"]["station"], data["present"]) == ("3", True)
    # a shared link does not contain the talk
    assert data["query"] == {"learning_rate": "1", "present": "1"}
    two = go(lab, 5)
    assert two != first
    assert live.hub.info(first).status == "paused"
    assert lab.config == PRESETS["batch-of-two"].config()
    assert lab.history_entries == entry + 1
    # Going back shows the run of the previous stop as it was left.
    run_command(lab, {"name": "station", "number": 3})
    assert (lab.run_id, lab.query.station, lab.query.preset) == (first, 3, "raise-the-rate")
    assert go(lab, 5) == two


def test_a_station_that_is_reached_early_has_the_steps_that_it_speaks_of_taken_at_once(lab, live):
    run = live.hub.registry.runs[lab.run_id]
    for number in (2, 3, 4):
        assert go(lab, number) == run.id
        assert run.placement.arrives_at == TALKS[NAME].stations[number - 1].after > 0
    assert lab.visited_stations[NAME, 3][1] == 75


def test_a_station_goes_on_with_its_own_knobs_whatever_was_moved_before(lab, live):
    first = lab.run_id
    moved = {"momentum": 0.9, "batch_size": 8, "learning_rates": (0.3, 0.1)}
    live.hub.set_knobs(lab.owner, first, **moved)
    assert go(lab, 2) == first
    opened = TALKS[NAME].stations[0].config()
    assert live.hub.info(first).config == lab.config == opened.replace(learning_rate=1.0)
    # If the user has not moved a knob, no knob is set.
    live.hub.pause(lab.owner, first)
    assert go(lab, 3) == first
    assert live.hub.info(first).status == "paused"


@pytest.mark.parametrize(("knobs", "stays"), [({"seed": 5}, True), ({"depth": 3}, False)])
def test_a_station_goes_on_with_a_run_of_its_talk_alone(lab, live, knobs, stays):
    lab.start(lab.config.replace(**knobs))
    other = lab.run_id
    assert (go(lab, 2) == other) is stays
    assert live.hub.info(lab.run_id).config.depth == TALKS[NAME].stations[0].config().depth


def test_back_on_the_same_run_is_from_the_step_at_which_the_station_was_entered(lab, live):
    first = go(lab, 2)
    go(lab, 3)
    go(lab, 4)
    assert live.hub.info(first).config.learning_rate == 0.1
    again = go(lab, 3)
    assert again != first
    assert live.hub.info(again).config.learning_rate == lab.config.learning_rate == 1.0
    assert (go(lab, 4), lab.query.station) == (again, 4)
    # Stop 3 changes nothing, so going back from it keeps the run.
    assert go(lab, 3) != again
    third = lab.run_id
    assert (go(lab, 2), lab.query.station) == (third, 2)
    anew = go(lab, 1)
    info = live.hub.info(anew)
    assert (info.status, info.changes, info.config.learning_rate) == ("paused", (), 0.1)


def test_a_link_to_a_station_in_the_middle_has_the_changes_on_its_way(open_lab, live):
    lab = open_lab(talk=NAME, station="4").session_state["lab"]
    log = [(change.step, change.values) for change in live.hub.info(lab.run_id).changes]
    assert log == [(60, {"learning_rate": 1.0}), (130, {"learning_rate": 0.1})]
    assert live.hub.registry.runs[lab.run_id].placement.arrives_at == 130


def test_a_station_whose_run_is_gone_says_so_and_starts_its_own(open_lab, live):
    asked = {"talk": NAME, "station": "2", "present": "1"}
    page = open_lab(**asked, learning_rate="3", momentum="0.5", run="0" * 32)
    lab = page.session_state["lab"]

    def starts_its_own():
        assert [notice.key for notice in lab.notices] == ["series.gone"]
        assert (lab.query.talk, lab.query.station, lab.query.present) == (NAME, 2, True)
        info = live.hub.info(lab.run_id)
        log = [(change.step, change.values) for change in info.changes]
        assert log == [(60, {"learning_rate": 1.0})]
        assert info.initial_config == TALKS[NAME].stations[0].config()
        assert live.hub.registry.runs[lab.run_id].placement.arrives_at == 60

    starts_its_own()
    lab.set_knobs(momentum=0.5)
    live.empty()
    lab.open_query(urlencode({**asked, "learning_rate": "3", "run": "0" * 32}))
    starts_its_own()
    lab.set_knobs(momentum=0.5)
    lab.notices = []
    live.empty()
    page.run()
    starts_its_own()
    # The next station also starts its own run.
    live.empty()
    go(lab, 5)
    assert lab.config == PRESETS["batch-of-two"].config()


def test_a_station_that_there_is_not_is_refused(lab):
    run = lab.run_id
    for number in (0, 99, "2", True, None, 1.0):
        lab.notices.clear()
        run_command(lab, {"name": "station", "number": number})
        assert [notice.key for notice in lab.notices] == ["errors.must_be"], number
        assert (lab.run_id, lab.query.station) == (run, 1)


def test_a_preset_on_the_way_leaves_the_talk_where_it_is(lab):
    go(lab, 2)
    lab.open_preset("spirals")
    assert (lab.query.talk, lab.query.station) == (NAME, 2)
    assert current_hub().info(lab.run_id).changes == ()


@every_case(
    ("number", "needs", "until"),
    [(1, {"learning_rate": 1.0}, 3), (1, {}, 1), (2, {}, 3), (3, {"learning_rate": 0.1}, 4),
     (3, {}, 3), (5, {}, 5), (6, {}, 7), (8, {}, 8)],
)  # fmt: skip
def test_a_question_belongs_to_what_follows_on_its_run_and_changes_nothing_else(
    number, needs, until
):
    assert TALKS["first-five-minutes"].last_step_of(number, needs) == until


def test_a_station_whose_run_answers_its_own_question_waits_to_be_played(lab, page):
    data = [go(lab, number) and view(page) for number in (1, 5, 6, 7)]
    assert [each["talk"]["waits"] for each in data] == [0, 300, 100, 0]
    assert [each["question"]["since"] for each in data] == [None, 0, 0, None]


def test_the_steps_to_an_answer_are_taken_at_once_but_not_any_number(lab, live):
    go(lab, 5)
    run = live.hub.registry.runs[lab.run_id]
    run_command(lab, {"name": "advance", "step": 300})
    assert (lab.notices, run.placement.arrives_at) == ([], 300)
    assert live.hub.info(run.id).status == "paused"
    for step in (-1, 1_400, "300", True, None, 3.0):
        run_command(lab, {"name": "advance", "step": step})
        assert [notice.key for notice in lab.notices] == ["errors.must_be"], step
        assert run.placement.arrives_at == 300


def test_what_a_station_asks_about_its_own_change_is_answered_by_what_came_of_that(lab, page):
    # the change that the question assumes has not been made yet
    assert view(page)["question"]["since"] is None
    go(lab, 2)
    asked = view(page)["question"]
    assert (asked["kind"], asked["since"], asked["needs"]) == ("layer", 0, {"learning_rate": 1.0})
    assert text(asked["text_phrase"]["key"]) == asked["text"]
    assert not asked["walks"]


OWN = """title = "Mine"
[[station]]
title = "Guess <1"
say = "A sentence."
notes = "Only for me."
setting = { depth = 2, width = 8 }
paused = true
question = { text = "Which?", answers = ["this", "that"] }
[[station]]
title = "Raise"
change = { learning_rate = 1.0 }
after = 7
[[station]]
title = "Three layers"
setting = { depth = 3, width = 8 }
"""


def test_a_talk_of_ones_own_is_walked_as_the_others_are(open_lab, live):
    name = keep_talk(OWN)
    page = open_lab(talk=name, station="1", present="1")
    lab = page.session_state["lab"]
    data = view(page)
    assert data["notices"] == []
    assert data["talk"]["titles"] == ["Guess <1", "Raise", "Three layers"]
    assert (data["talk"]["notes"], data["talk"]["answers"]) == ("Only for me.", ["this", "that"])
    assert data["question"]["answers"] == ["this", "that"]
    assert data["question"]["text_phrase"] is None, "in its author's own words"
    assert not data["talk"]["recorded"]
    first = lab.run_id
    assert (lab.config.depth, live.hub.info(first).status) == (2, "paused")
    assert go(lab, 2) == first
    assert live.hub.registry.runs[first].placement.arrives_at == 7
    assert go(lab, 3) != first
    assert lab.config.depth == 3
    assert view(page)["question"]["answers"] is None


def test_a_talk_that_is_kept_no_longer_is_told_and_its_address_opens_the_lab(open_lab):
    name = "own-" + "0" * 32
    page = read_lab_query({"talk": name, "station": "2"})
    assert [key for key, _ in page.problems] == ["talk_gone"]
    assert page.talk is None
    lab = open_lab(talk=name, station="2", depth="2", run="0" * 32).session_state["lab"]
    assert "talk" not in lab.to_query()
    assert (lab.config.depth, lab.info().status) == (2, "paused"), "not the answer of the talk"


def test_a_talk_that_is_forgotten_on_the_way_leaves_the_run_alone(open_lab, live, monkeypatch):
    page = open_lab(talk=keep_talk(OWN), station="1")
    lab = page.session_state["lab"]
    run = lab.run_id
    monkeypatch.setattr("bnviz.ui.lab_query.find_talk", lambda name: None)
    assert go(lab, 2) == run
    assert lab.query.talk is None
    assert [notice.key for notice in lab.notices] == ["lab.notice.talk_gone"]
    assert "talk" not in view(page)
