"""Content of a lesson's page after its run has ended, with hand-made runs."""

import math
from dataclasses import replace

import pytest
import streamlit

from bnviz.lessons import LESSONS
from bnviz.records import NetworkRecord, Snapshot
from bnviz.ui.lessons.open_lesson import SAID, SEEN
from bnviz.words.texts import texts
from tests.lessons.made_by_hand import but, made
from tests.lessons.test_slow_start import HELD
from tests.ui.handed_over import press_label, said
from tests.ui.lessons.reading import captions, view, widget

FRAME = texts("lessons")
THE_END = {"step": 300, "status": "paused", "reason": "plan"}
STOPPED = NetworkRecord(
    loss=math.nan, test_loss=math.nan, test_accuracy=math.nan, state="diverged", broke=None,
    probes={}, stopped=17,
)  # fmt: skip


def test_a_run_at_its_end_gives_its_verdict_and_the_class_its_answer(lessons, became):
    page = lessons(lesson="slow-start", guess="flat")
    waiting = view(page)["question"]
    assert waiting["happened"] is None
    assert (waiting["run"], len(waiting["answers"])) == (view(page)["run"], 3)
    short = "Few values in flat zones; the signal has faded."
    assert waiting["answers"][1] == short, "room on a phone"
    became(made("slow-start", HELD).snapshots, **THE_END)
    page.run()
    words = texts("lessons/slow-start")
    assert FRAME["verdict"]["held"] in said(page)
    assert "14\u00a0%" in said(page)
    assert words["ideas"]["flat"] in said(page), "beside the guess"
    press_label(page, FRAME["fold"]["to_why"])
    assert f">{FRAME['beat']['why']}<" in said(page)
    assert FRAME["verdict"]["held"] in said(page), "in the line of finished steps"
    asked = view(page)["question"]
    assert {**asked, "happened": None} == waiting
    assert asked["happened"]["answers"] == [1]
    assert asked["happened"]["sentence"] == words["says"]["alike"].replace("{setting:asked}", "25")
    assert asked["happened"]["sentence_phrases"] == [
        {"key": "lessons/slow-start.says.alike", "values": {"asked": 25}}
    ]
    assert asked["answer_phrases"][1]["key"] == "lessons/slow-start.class.alike", "for phones, too"
    none = but(HELD, 25, "none", **{"saturation.saturated": (0.3, 0.3, 0.3)})
    became(made("slow-start", none).snapshots, **THE_END)
    press_label(page, FRAME["fold"]["back"])
    assert FRAME["verdict"]["held"] in said(page), "stated once, regardless of its networks"
    page.session_state[SAID] = {}
    page.run()
    assert FRAME["verdict"]["did_not_hold"] in said(page)
    assert view(page)["question"]["happened"] is None, "none of the answers was right"


def test_a_link_that_hides_what_the_run_says_says_that_it_does(lessons, became):
    page = lessons(lesson="slow-start", guess="flat", hide="answers")
    sentence = texts("lessons/slow-start")["teacher"]["say"]
    assert sentence not in said(page)
    became(made("slow-start", HELD).snapshots, **THE_END)
    page.run()
    assert FRAME["verdict"]["hidden"] in captions(page)
    assert FRAME["verdict"]["held"] not in said(page)
    assert f">{FRAME['beat']['why']}<" not in said(page)
    assert FRAME["fold"]["to_why"] not in [each.label for each in page.button]
    page.query_params["beat"] = "why"
    page.run()
    assert f">{FRAME['beat']['why']}<" not in said(page), "nor by its address"


@pytest.mark.parametrize("of", [{}, {"break": "not-put-back"}])
def test_a_run_that_goes_no_further_is_not_waited_for(lessons, became, of):
    page = lessons(lesson="break-it", guess="stays", **of)
    last = Snapshot(40, {"none": STOPPED, "batch": STOPPED})
    became([last], step=40, status="paused", reason="diverged")
    page.run()
    assert not page.exception
    assert "at work" not in captions(page)
    if not of:
        assert FRAME["verdict"]["not_in_this_run"] in said(page)
    assert said(page).count("stopped at step 17") == 2


def test_a_paused_run_says_so_and_offers_to_go_on(lessons, became):
    page = lessons(lesson="break-it", guess="stays")
    became(step=40, status="paused", reason=None)
    page.run()
    assert "paused at step 40" in captions(page)
    assert "at work" not in captions(page)
    page.button(key="lesson_go_on").click().run()
    assert not page.exception


def test_what_another_setting_says_stands_below_the_button_that_set_it(lessons, became):
    became([])
    page = lessons(lesson="moving-targets", guess="better")
    page.button(key="lesson_open_cut_network").click().run()
    assert widget(page, "cut_network")["start"]["cut"] == 3
    assert widget(page, "cut_network")["start"]["t"] == 20, "the half that was frozen"
    page.session_state[SEEN] = {"moving-targets"}
    page.query_params["beat"] = "break"
    page.run()
    page.button(key="break_raised").click().run()
    page.button(key="lesson_show_verdict").click().run()
    assert widget(page, "cut_network")["start"]["t"] == 100, "the last step but one"
    assert widget(page, "cut_network")["keep"] == [0, 100, 104]
    for following in ("why", "break"):
        page.button(key=f"lesson_to_{following}").click().run()
    became(step=40, status="paused", reason=None)
    page.run()
    assert not page.exception
    drawn = [each.key for each in page.button]
    assert drawn[drawn.index("break_raised") + 1] == "lesson_go_on"


def test_the_first_lesson_looks_again_until_its_question_can_be_answered(
    lessons, became, monkeypatch
):
    page = lessons(lesson="read-the-charts", stop="6")
    last = LESSONS["read-the-charts"].resolve().plan.last_step
    learning = replace(STOPPED, state="learning", stopped=None)
    kept = [Snapshot(last, {"none": learning, "batch": learning})]
    became(kept, step=last, status="paused", reason="plan")
    page.run()
    looks = []
    monkeypatch.setattr(streamlit, "fragment", lambda run_every: looks.append(run_every) or call)
    page.button(key="layer_2").click().run()
    assert FRAME["watch"]["measuring"] in [each.value for each in page.caption]
    assert looks == [1], "every second"
    shares = (0.3, 0.1, 0.1, 0.1, 0.1, 0.1)
    told = {(last, "none"): {"saturation.saturated": shares}}
    kept[:] = made("read-the-charts", told).snapshots
    page.run()
    assert "it is layer 1: 30\u00a0%" in said(page)
    assert FRAME["check"]["yours"].format(layer=2) in said(page)


def call(function):
    return function
