"""The page of a lesson in Streamlit's own harness; its run stands at step 0."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import streamlit

from bnviz.lessons import LESSONS
from bnviz.live import current_hub
from bnviz.records import NetworkRecord, Snapshot
from bnviz.texts import texts
from bnviz.ui.lessons.beats import SEEN
from bnviz.ui.places import PAGES
from tests.ui.handed_over import components


@pytest.fixture
def lessons(open_page):
    return partial(open_page, PAGES["lessons"].script)


def said(page):
    return " ".join(part.value for part in page.get("html"))


def view(page):
    """What the live view was given."""
    (data,) = [data for data in components(page) if "block" in data]
    return data


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_opens_with_its_title_and_question(lessons, name):
    page, words = lessons(lesson=name), texts(f"lessons/{name}")
    assert f"<h1>{words['title']}</h1>" in said(page)
    if not LESSONS[name].written:
        assert texts("lessons")["later"]["text"] in said(page)
        assert not page.button


def test_before_a_guess_nothing_can_be_played_and_after_it_the_run_plays(lessons):
    page = lessons(lesson="break-it")
    assert view(page)["block"]["waits"] is True
    run = current_hub().info(view(page)["run"])
    assert (run.status, run.step) == ("paused", 0)
    assert run.plan == LESSONS["break-it"].resolve().plan
    page.button(key="answer_stays").click().run()
    assert not page.exception
    assert page.query_params["guess"] == "stays"
    assert view(page)["block"]["waits"] is False
    assert "transport" in view(page)["block"]["parts"]
    assert view(page)["run"] == run.id, "the same run goes on"
    (note,) = view(page)["block"]["notes"].values()
    assert texts("lessons/break-it")["answers"]["stays"] in note


@pytest.fixture
def became(monkeypatch):
    """Makes the hub say something else of every run than it knows."""

    def say(**changes):
        known = current_hub().info
        monkeypatch.setattr(
            type(current_hub()), "info",
            lambda _self, run: (info := known(run)) and replace(info, **changes),
        )  # fmt: skip

    return say


def test_a_paused_run_says_so_and_offers_to_go_on(lessons, became):
    page = lessons(lesson="break-it", guess="stays")
    became(step=40, status="paused", reason=None)
    page.run()
    captions = " ".join(each.value for each in page.caption)
    assert "paused at step 40" in captions
    assert "at work" not in captions
    page.button(key="lesson_go_on").click().run()
    assert not page.exception


STOPPED = NetworkRecord(
    loss=math.nan, test_loss=math.nan, test_accuracy=math.nan, state="diverged", broke=None,
    probes={}, stopped=17,
)  # fmt: skip


@pytest.mark.parametrize("of", [{}, {"break": "not-put-back"}])
def test_a_run_that_goes_no_further_is_not_waited_for(lessons, became, monkeypatch, of):
    page = lessons(lesson="break-it", guess="stays", **of)
    last = Snapshot(40, {"none": STOPPED, "batch": STOPPED})
    monkeypatch.setattr(type(current_hub()), "snapshots", lambda _self, run: [last])
    became(step=40, status="paused", reason="diverged")
    page.run()
    assert not page.exception
    assert "at work" not in " ".join(each.value for each in page.caption)
    if not of:
        assert texts("lessons")["verdict"]["not_in_this_run"] in said(page)
    assert said(page).count("it stopped at step 17") == 2


def test_what_another_setting_says_stands_below_the_button_that_set_it(lessons, became):
    page = lessons(lesson="break-it", guess="stays")
    page.session_state[SEEN] = {"break-it"}
    page.run()
    page.button(key="break_rate-ten").click().run()
    became(step=40, status="paused", reason=None)
    page.run()
    assert not page.exception
    asked, button = page.button(key="break_relu"), page.button(key="lesson_go_on")
    drawn = [each.key for each in page.button]
    assert drawn.index(asked.key) < drawn.index(button.key)


def test_another_setting_in_the_address_is_another_run(lessons):
    page = lessons(lesson="through-the-batch", guess="grows")
    first = view(page)["run"]
    page.query_params["activation"] = "tanh"
    page.run()
    assert view(page)["run"] != first
    assert current_hub().info(view(page)["run"]).initial_config.activation == "tanh"
    second = view(page)["run"]
    page.run()
    assert view(page)["run"] == second, "and stays"


def test_a_wrong_address_is_answered(lessons):
    page = lessons(lesson="break-it", guess="<i>", depth="3")
    warned = " ".join(warning.value for warning in page.warning)
    assert "`guess`" in warned
    assert "'depth'" in warned


def test_a_link_can_hide_what_the_run_says_and_whom_it_is_for(lessons):
    page = lessons(lesson="break-it", hide="answers")
    sentence = texts("lessons/break-it")["teacher"]["say"]
    assert sentence not in said(page)
    assert sentence in said(lessons(lesson="break-it"))


def test_the_first_lesson_goes_from_stop_to_stop(lessons):
    page = lessons()
    words = texts("lessons/read-the-charts")
    for at, _ in enumerate(words["stops"]):
        page.button(key=f"lesson_next_{at}").click().run()
        assert page.query_params["stop"] == str(at + 1), "where a reload finds it"
    assert [button.label for button in page.button] == [f"layer {n}" for n in range(1, 7)]
    assert all(button.disabled for button in page.button), "until the run has come to its end"


def test_the_first_lesson_looks_again_until_its_question_can_be_answered(
    lessons, became, monkeypatch
):
    page = lessons(stop="6")
    last = LESSONS["read-the-charts"].resolve().plan.last_step
    became(step=last, status="paused", reason="plan")
    learning = replace(STOPPED, state="learning", stopped=None)
    kept = [Snapshot(last, {"none": learning, "batch": learning})]
    monkeypatch.setattr(type(current_hub()), "snapshots", lambda _self, run: kept)
    page.run()
    looks = []
    monkeypatch.setattr(streamlit, "fragment", lambda run_every: looks.append(run_every) or call)
    page.button(key="layer_2").click().run()
    assert texts("lessons")["watch"]["measuring"] in [each.value for each in page.caption]
    assert looks == [1], "every second"
    shares = {"saturation": {"saturated": np.array([0.3, 0.1, 0.1, 0.1, 0.1, 0.1])}}
    kept[0] = Snapshot(last, dict.fromkeys(kept[0].networks, replace(learning, probes=shares)))
    page.run()
    assert "it is layer 1" in said(page)


def call(function):
    return function


def test_an_old_address_that_a_browser_goes_on_naming_is_no_command(lessons):
    """As it does after Back, whatever the page has written since; a new one is."""
    page = lessons(lesson="through-the-batch")
    page.button(key="answer_grows").click().run()
    del page.query_params["guess"]
    page.run()
    assert view(page)["block"]["notes"] == {}, "the guess is about the widget, and stands there"
    captions = " ".join(each.value for each in page.caption)
    assert texts("lessons/through-the-batch")["answers"]["grows"] in captions
    page.query_params["lesson"] = "break-it"
    page.run()
    assert view(page)["block"]["notes"] == {}


def test_another_browsers_run_is_looked_at_but_never_waited_for(lessons):
    """Whoever is to play a run gets one of their own; an address may have been passed on."""
    theirs = view(lessons(lesson="by-hand"))["run"]
    assert view(lessons(lesson="by-hand", run=theirs))["run"] != theirs
    assert view(lessons(lesson="by-hand", run=theirs, guess="nearer"))["run"] != theirs
    assert view(lessons(lesson="by-hand", run=theirs, embed="1"))["run"] == theirs


def test_a_run_of_the_same_knobs_that_follows_another_schedule_is_not_taken(lessons):
    theirs = view(lessons(lesson="break-it"))["run"]
    frame = lessons(lesson="break-it", run=theirs, embed="1", **{"break": "not-put-back"})
    assert view(frame)["run"] != theirs
