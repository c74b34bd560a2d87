"""Parts of a lesson's address that each button and link keeps or drops."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest

from bnviz.lessons import CURRICULUM, LESSONS
from bnviz.ui.browser_history import ARRIVED
from bnviz.words.texts import texts
from tests.lessons.made_by_hand import made
from tests.lessons.test_slow_start import HELD
from tests.ui.handed_over import answers, press_label, said
from tests.ui.lessons.reading import address, links, view

FRAME = texts("lessons")
OWN = {"lesson": "slow-start", "guess": "flat", "seed": "3", "lang": "en"}
RUN = "0123456789abcdef" * 2


def back_to(page, beat):
    page.button(key=f"lesson_show_{beat}").click().run()
    assert address(page)["beat"] == beat


def dots(page):
    """Return the query of each dot in the lesson's header, by lesson."""
    found = re.findall(r'<li data-lesson="([^"]*)"><a [^>]*?href="([^"]*)"', said(page))
    return {name: dict(parse_qsl(urlsplit(unescape(href)).query)) for name, href in found}


@pytest.fixture(scope="module")
def slow(lessons):
    """Lesson page opened at an address with a guess, a seed, a changed knob and a run."""
    page = lessons(**OWN, init_std="0.3", hide="", run=RUN, present="0")
    assert not page.exception
    return page


def test_what_starts_a_run_over_keeps_guess_seed_and_language_and_no_more(slow):
    slow.button(key="break_dying").click().run()
    own = {**OWN, "beat": "break"}
    assert address(slow) == {**own, "break": "dying"}, "neither the knob nor the run"
    slow.button(key="break_large-weights").click().run()
    assert address(slow) == {**own, "break": "large-weights"}
    slow.select_slider(key="lesson_knob_init_std_1.0").set_value(0.03).run()
    assert address(slow) == {**own, "init_std": "0.03"}, "no break any more"
    slow.segmented_control(key="lesson_knob_activation_sigmoid").set_value("tanh").run()
    assert address(slow) == {**own, "init_std": "0.03", "activation": "tanh"}, "one with the other"
    slow.select_slider(key="lesson_knob_init_std_0.03").set_value(0.1).run()
    assert address(slow) == {**own, "activation": "tanh"}, "as it is in the lesson"
    press_label(slow, FRAME["break"]["own"])
    assert address(slow) == {**OWN, "beat": "verdict"}
    assert not slow.exception


def test_a_browser_that_goes_on_naming_an_old_address_gives_no_command(lessons):
    """After Back, a browser keeps sending the old address. Only a new address is a command."""
    page, asked = lessons(lesson="slow-start"), {"lesson": "slow-start"}
    guess = texts("lessons/slow-start")["answers"]["flat"]
    page.button(key="lesson_to_predict").click().run()
    predicting = {**asked, "beat": "predict"}
    assert address(page) == predicting
    page.button(key="answer_flat").click().run()
    page.button(key="lesson_run").click().run()
    guessed = {**asked, "guess": "flat"}
    assert address(page) == guessed
    for heard in (asked, predicting, guessed, {**asked, "run": view(page)["run"]}, asked):
        page.query_params.clear()
        page.query_params.update(heard)
        page.run()
        (note,) = view(page)["block"]["notes"].values()
        assert guess in note
    page.session_state[ARRIVED] = True
    page.run()
    assert view(page)["block"]["notes"] == {}, "a visitor of an old address sees the notice again"
    page.query_params["lesson"] = "break-it"
    page.run()
    assert texts("lessons/break-it")["title"] in said(page)


def test_forward_leads_to_the_run_that_back_has_left(lessons, became):
    page, asked = lessons(lesson="slow-start", guess="flat"), {"lesson": "slow-start"}
    went = view(page)["run"]
    became(step=7)

    def led_to(**query):
        page.query_params.clear()
        page.query_params.update({**asked, **query})
        page.session_state[ARRIVED] = True
        page.run()
        return view(page)["run"]

    waits = led_to(beat="predict", run=went)
    assert waits != went, "before the guess, the result is hidden"
    assert led_to(guess="flat", run=went) == went
    page.query_params["run"] = waits
    page.run()
    assert view(page)["run"] == went, "an old name from a browser is not a command"


def test_links_for_a_class_keep_the_setting(lessons):
    found, teacher = links(lessons(**OWN, init_std="0.3", present="1")), FRAME["teacher"]
    asked = {**OWN, "init_std": "0.3"}
    assert found[teacher["present_off"]] == asked
    without = {name: value for name, value in asked.items() if name != "guess"}
    assert found[teacher["hide"]] == {**without, "present": "1", "hide": "answers"}


def test_links_of_a_lesson_keep_what_they_are_for(lessons):
    page = lessons(**OWN, run=RUN, init_std="0.3")
    found = links(page)
    following = {"lesson": "through-the-batch", "lang": "en"}
    assert found[FRAME["go"]["next"]] == following
    lab = found[FRAME["break"]["lab"]]
    assert lab["run"] == view(page)["run"]
    assert (lab["seed"], lab["init_std"], lab["activation"]) == ("3", "0.3", "sigmoid")
    assert not {"lesson", "guess"} & lab.keys()
    assert found[FRAME["all"]] == {"lang": "en"}
    numbered = CURRICULUM[1:]  # the tour, lesson 0, has no dot
    assert {name: {"lesson": name, "lang": "en"} for name in numbered} == dots(page)


def test_the_list_leads_to_every_lesson_and_keeps_the_language(lessons):
    page = lessons(lang="en")
    found = links(page)
    for name in LESSONS:
        asked = {"lesson": name, "lang": "en"}
        (label,) = [label for label, query in found.items() if query == asked]
        assert texts(f"lessons/{name}")["title"] in label
        assert texts(f"lessons/{name}")["short"] in label
    assert answers(page) == []
    page = lessons(guess="stays")
    assert answers(page) == [FRAME["notice"]["unknown"].format(names="'guess'")]


def test_other_weights_keep_all_else_and_another_guess_begins_with_the_lessons_own_run(
    lessons, became
):
    page = lessons(**OWN, init_std="0.3")
    became(made("slow-start", HELD).snapshots, step=300, status="paused", reason="plan")
    page.run()
    back_to(page, "verdict")
    page.button(key="other_seed").click().run()
    assert address(page) == {**OWN, "seed": "4", "init_std": "0.3", "beat": "verdict"}
    back_to(page, "predict")
    press_label(page, FRAME["predict"]["again"])
    again = {"lesson": "slow-start", "beat": "predict", "lang": "en"}
    assert address(page) == {**again, "seed": "5"}
    page.query_params.update({**OWN, "break": "dying"})
    page.run()
    press_label(page, FRAME["predict"]["again"])
    assert address(page) == {**again, "seed": "4"}


def test_a_stop_of_the_first_lesson_keeps_what_else_was_asked(lessons):
    page = lessons(lesson="read-the-charts", seed="3", hide="answers", lang="en", run=RUN)
    asked = {"lesson": "read-the-charts", "seed": "3", "hide": "answers", "lang": "en"}
    for at, _ in enumerate(texts("lessons/read-the-charts")["stops"]):
        page.button(key=f"lesson_next_{at}").click().run()
        assert address(page) == {**asked, "stop": str(at + 1)}, "where a reload finds it"
    assert [button.label for button in page.button] == [f"layer {n}" for n in range(1, 7)]
    assert all(button.disabled for button in page.button), "until the run has come to its end"


def test_what_the_browser_asks_with_the_address_from_before_takes_no_click_back(lessons):
    """A run that ends may rerun the script before the browser has received the new address."""
    page, asked = lessons(lesson="read-the-charts"), {"lesson": "read-the-charts"}
    for at in range(3):
        page.button(key=f"lesson_next_{at}").click().run()
    for stop in (2, 1, 3):
        page.query_params.clear()
        page.query_params.update({**asked, "stop": str(stop)})
        page.run()
        assert page.button(key="lesson_next_3"), stop


def test_a_wrong_address_is_answered(lessons):
    page = lessons(lesson="break-it", guess="<i>", depth="3")
    warned = " ".join(answers(page))
    assert "`guess`" in warned
    assert "'depth'" in warned
