"""Sections of a lesson: the open section, the folded sections and the buttons to other sections,
with hand-made runs.
"""

import pytest

from bnviz.lessons import LESSONS
from bnviz.live import current_hub
from bnviz.ui.lessons.open_lesson import SEEN, TRIED
from bnviz.ui.query_schema import BEATS
from bnviz.words.texts import texts
from tests.lessons.made_by_hand import made
from tests.lessons.test_break_it import HELD as BROKE
from tests.lessons.test_depth import HELD as FIFTY
from tests.lessons.test_slow_start import HELD
from tests.ui.handed_over import answers, components, press, said
from tests.ui.lessons.reading import address, captions, view, widget

FRAME = texts("lessons")
THE_END = {"step": 300, "status": "paused", "reason": "plan"}
DRAWN = "draw:95,10,90,60,90"


def buttons(page):
    return {button.key for button in page.button if button.key}


def beat(page):
    """Return the open section. Check that earlier sections are folded and later ones absent."""
    done = [name for name in BEATS if f"lesson_show_{name}" in buttons(page)]
    assert done == [*BEATS[: len(done)]]
    assert FRAME["fold"]["place"].format(place=len(done) + 1, count=5) in said(page)
    assert ("lesson_back" in buttons(page)) is bool(done)
    return BEATS[len(done)]


def modules(page):
    """The widgets on a page."""
    found = [data.get("module", "") for data in components(page)]
    return {name.partition("/")[2].removesuffix(".js") for name in found}


def drawn(lessons, name, guess=DRAWN):
    """Open a lesson with a drawn guess and a paused run."""
    page = lessons(lesson=name, beat="predict")
    page.query_params["guess"] = guess
    page.run()
    assert not page.exception
    return page


def ended(page, became):
    became(made("slow-start", HELD).snapshots, **THE_END)
    page.run()


def test_a_lesson_is_gone_through_beat_by_beat_and_back(lessons, became):
    page = lessons(lesson="slow-start")
    assert beat(page) == "question"
    press(page, "lesson_to_predict")
    assert (beat(page), address(page)["beat"]) == ("predict", "predict")
    run = FRAME["fold"]["run"]
    assert FRAME["predict"]["blocked"].format(run=run) in captions(page)
    assert page.button(key="lesson_run").disabled, "there is nothing to run yet"
    press(page, "answer_alike")
    assert (beat(page), address(page)["guess"]) == ("predict", "alike")
    assert FRAME["predict"]["chosen"].format(run=run) in captions(page)
    press(page, "answer_flat")
    assert (beat(page), address(page)["guess"]) == ("predict", "flat")
    press(page, "lesson_run")
    assert beat(page) == "verdict"
    assert f">{FRAME['beat']['watch']}<" in said(page)
    assert texts("lessons/slow-start")["answers"]["flat"] in said(page), "in its line"
    assert "lesson_to_why" not in buttons(page), "the run has no result yet"
    ended(page, became)
    assert (beat(page), "beat" in address(page)) == ("verdict", False)
    press(page, "lesson_to_why")
    assert (beat(page), address(page)["beat"]) == ("why", "why")
    assert FRAME["verdict"]["held"] in said(page)
    assert 'href="/scripts/slow-start.py" download' in said(page)
    assert 'href="/scripts/bnviz-digits.npz" download' in said(page)
    assert "def network(norm):" in said(page)
    press(page, "lesson_to_break")
    assert (beat(page), address(page)["beat"]) == ("break", "break")
    assert 'class="lesson-next"' in said(page)
    first, others = FRAME["break"]["first"], FRAME["break"]["others"]
    assert said(page).index(first) < said(page).index(others), "one of them is recommended"
    for before in ("why", "verdict", "predict", "question"):
        press(page, "lesson_back")
        assert (beat(page), address(page)["beat"]) == (before, before)
    press(page, "lesson_to_predict")
    press(page, "lesson_to_verdict")
    press(page, "lesson_to_why")
    press(page, "lesson_show_question")
    assert beat(page) == "question"
    assert address(page)["guess"] == "flat"


def test_a_lesson_that_was_finished_before_is_run_again_at_once_and_can_start_afresh(
    lessons, became
):
    page = lessons(lesson="slow-start", guess="flat", seed="3", again="1")
    assert beat(page) == "verdict"
    run = current_hub().info(view(page)["run"])
    assert (run.pace, run.config.seed, run.status) != ("plan", 3, "paused")
    assert FRAME["afresh"]["running"] in captions(page)
    ended(page, became)
    assert FRAME["afresh"]["shown"] in captions(page)
    press(page, "lesson_to_why")
    assert FRAME["afresh"]["shown"] in captions(page), "another beat is of the same run"
    press(page, "lesson_start_afresh")
    assert beat(page) == "question"
    assert address(page) == {"lesson": "slow-start", "beat": "question", "seed": "4"}


@pytest.mark.parametrize("asked", BEATS)
def test_a_beat_that_is_not_reached_yet_falls_back(lessons, asked):
    page = lessons(lesson="slow-start", beat=asked)
    assert beat(page) == ("question" if asked == "question" else "predict")
    page = lessons(lesson="slow-start", beat=asked, guess="flat")
    assert beat(page) == (asked if asked in ("question", "predict") else "verdict")
    assert answers(page) == []


def test_a_link_with_a_drawing_runs_as_one_with_an_answer_does(lessons):
    page = lessons(lesson="break-it", guess=DRAWN)
    assert beat(page) == "verdict"
    given = view(page)["block"]["drawing"]
    assert (given["points"], given["open"]) == ([95, 10, 90, 60, 90], False)


def test_a_beat_that_is_none_is_said_and_left_out(lessons):
    page = lessons(lesson="slow-start", beat="<b>")
    allowed = ", ".join(BEATS)
    assert answers(page) == [FRAME["notice"]["beat"].format(value="'<b>'", allowed=allowed)]
    assert beat(page) == "question"


@pytest.mark.parametrize("asked", [{"break": "dying"}, {"init_std": "0.3"}])
def test_a_link_to_another_setting_opens_where_that_setting_speaks_and_stays(
    lessons, became, asked
):
    page = lessons(lesson="slow-start", guess="flat", **asked)
    assert beat(page) == "break"
    became([], **THE_END)
    page.run()
    assert beat(page) == "break"


def test_a_link_to_another_setting_ticks_no_beat_that_nobody_has_gone_through(lessons):
    passed = 'class="lesson-done lesson-passed"'
    page = lessons(lesson="slow-start", **{"break": "dying"})
    assert said(page).count(passed) == len(BEATS) - 1
    assert passed not in said(lessons(lesson="slow-start", beat="predict"))


def test_what_the_lessons_own_run_said_is_not_said_of_another_one(lessons, became):
    page = lessons(lesson="slow-start", guess="flat")
    ended(page, became)
    press(page, "lesson_to_why")
    press(page, "lesson_to_break")
    assert f"<span>{FRAME['verdict']['held']}</span>" in said(page)
    press(page, "break_dying")
    for outcome in ("held", "not_in_this_run"):
        assert f"<span>{FRAME['verdict'][outcome]}</span>" not in said(page)


def test_what_is_drawn_over_a_chart_waits_for_the_run_and_stays_beside_it(lessons, became):
    page = drawn(lessons, "break-it")
    words, frame = texts("lessons/break-it"), FRAME["drawing"]
    assert beat(page) == "predict"
    answer = words["answers"]["learns_again"]
    assert frame["told"].format(answer=answer) in said(page)
    assert not any(key.startswith("answer_") for key in buttons(page))
    given = view(page)["block"]["drawing"]
    assert (given["on"], given["points"], given["open"]) == ("accuracy", [95, 10, 90, 60, 90], True)
    assert [mark["text"] for mark in given["marks"]] == ["one step", "ten steps"]
    assert given["gap"] is None
    assert view(page)["block"]["waits"] is True
    assert current_hub().info(view(page)["run"]).step == 0
    press(page, "lesson_run")
    assert beat(page) == "verdict"
    assert view(page)["block"]["drawing"]["open"] is False
    assert view(page)["block"]["waits"] is False
    changes = LESSONS["break-it"].resolve().plan.changes
    became(made("break-it", BROKE).snapshots, changes=changes, **THE_END)
    page.run()
    gap = view(page)["block"]["drawing"]["gap"]
    assert [curve[-1] for curve in gap["curves"]] == [[300, pytest.approx(12)]]
    assert gap["text"] == words["drawing"]["gap"].format(drawn="90\u00a0%", measured="12\u00a0%")
    assert frame["other_answer"].split("{")[0] in said(page)
    assert words["says"]["proportional"] in said(page)
    assert "percentage points from the measured curve" in said(page)
    report = view(page)["report"]
    (curve,) = report["drawn"]["curves"]
    assert [*map(list, curve["drawn"])] == [[100, 95], [140, 10], [200, 90], [230, 60], [300, 90]]
    assert curve["measured"] == gap["curves"][0]
    assert [text for _, text in report["drawn"]["marks"]] == ["one step", "ten steps"]
    assert report["drawn"]["text"] == gap["text"].replace("\n", " ")
    assert report["planned"] == [[each.step, dict(each.values)] for each in changes]
    assert "batch normalization" in report["question"][0]
    line = texts("glossary")["batch-normalization"]["line"]
    assert line not in " ".join(report["question"]), (
        "the text of a term's icon is not part of the line"
    )


def test_time_axes_end_where_the_plan_does_before_the_run_and_at_its_end(lessons, became):
    page = lessons(lesson="slow-start", beat="predict")
    last = LESSONS["slow-start"].resolve().plan.last_step
    assert view(page)["last_step"] == last
    press(page, "answer_flat")
    assert view(page)["last_step"] == last
    ended(page, became)
    assert view(page)["last_step"] == last


def test_nothing_can_be_run_before_something_was_drawn(lessons):
    page = lessons(lesson="break-it", beat="predict")
    assert FRAME["drawing"]["blocked"] in captions(page)
    assert page.button(key="lesson_run").disabled
    assert view(page)["block"]["drawing"]["points"] is None


def test_a_drawing_that_is_wrong_is_said_on_the_page(lessons):
    page = lessons(lesson="break-it", guess="draw:1,2,3")
    (sentence,) = answers(page)
    for part in ("`guess`", "'draw:1,2,3'", "5 whole numbers from 0 to 100"):
        assert part in sentence
    assert beat(page) == "question"
    assert view(page)["block"]["drawing"]["points"] is None


def test_a_drawing_between_the_answers_is_told_what_it_shows_and_the_nearest_one(lessons):
    page = drawn(lessons, "break-it", "draw:95,10,40,50,60")
    answer = LESSONS["break-it"].resolve().drawing.nearest((95, 10, 40, 50, 60))
    quoted = texts("lessons/break-it")["answers"][answer].removesuffix(".")
    first, last, low, high = (f"{value}\u00a0%" for value in (95, 60, 10, 95))
    frame = FRAME["drawing"]
    curve = frame["one"].format(begin=100, end=300, first=first, last=last, low=low, high=high)
    assert curve in said(page)
    assert frame["nearest"].format(answer=f"“{quoted}”") in said(page)
    assert not page.button(key="lesson_run").disabled


@pytest.mark.parametrize(
    ("points", "widest", "end"),
    [
        ("10,70,90,95,95,10,75,90,95,80", (200, 15, 0), None),
        ("10,70,90,95,95,10,75,80,90,95", (50, 10, 0), (0, 0)),
        ("10,50,70,90,90,10,80,90,95,95", (20, 30, 1), (5, 1)),
    ],
)
def test_of_two_drawn_curves_it_says_where_they_are_furthest_apart_and_how_they_end(
    lessons, points, widest, end
):
    page, frame = drawn(lessons, "two-modes", f"draw:{points}"), FRAME["drawing"]
    names = [f"“{each}”" for each in texts("lessons/two-modes")["drawing"]["curves"].values()]
    step, far, above = widest
    upper, lower = names[above], names[1 - above]
    assert frame["widest"].format(step=step, far=far, upper=upper, lower=lower) in said(page)
    if end is not None:
        far, above = end
        key = "end" if far else "end_level"
        assert frame[key].format(step=200, far=far, upper=names[above]) in said(page)


def test_a_drawing_stands_in_the_widget_where_the_lesson_is_about_that(lessons):
    page = drawn(lessons, "through-the-batch", "draw:10,20,30,40,50")
    assert view(page)["block"]["drawing"]["on"] == "outside_gradient", "no chart of the run"
    outside = widget(page, "outside_gradient")
    assert outside["drawing"]["points"] == [10, 20, 30, 40, 50]
    assert (outside["begun"], outside["drawing"]["open"]) == (False, True)
    own = texts("lessons/through-the-batch")["drawing"]["answers"]["grows"]
    assert FRAME["drawing"]["told"].format(answer=own) in said(page)
    press(page, "lesson_run")
    outside = widget(page, "outside_gradient")
    assert (outside["begun"], outside["drawing"]["open"]) == (True, False)


def test_what_is_to_be_tried_by_hand_comes_before_what_the_run_says(lessons, became):
    page = lessons(lesson="by-hand", guess="nearer")
    frame = FRAME["watch"]
    assert frame["try"] in captions(page)
    became([], step=100, status="paused", reason="plan")
    page.run()
    assert frame["try"] in captions(page)
    assert frame["measuring"] not in captions(page)
    page.session_state[TRIED] = {"by_hand"}
    page.run()
    assert frame["try"] not in captions(page)
    assert frame["measuring"] in captions(page), "the page waits for the result of the run"


def test_in_a_frame_nothing_is_asked_and_nothing_leads_on(lessons):
    page = lessons(lesson="break-it", embed="true")
    assert not {key for key in buttons(page) if key.startswith(("lesson_", "answer_"))}
    assert view(page)["block"]["drawing"] is None
    assert SEEN not in page.session_state or not page.session_state[SEEN]


def test_runs_that_set_a_question_up_are_offered_with_it_under_the_names_of_the_page(lessons):
    page, words = lessons(lesson="depth"), texts("lessons/depth")
    assert beat(page) == "question"
    assert words["sets_up"]["title"] in said(page)
    press(page, "series_run_ten-layers")
    assert f"Run 1 of 2 · {words['sets_up']['axis']}: {words['sets_up']['values']['sigmoid']}" in (
        said(page)
    )
    press(page, "series_stop_ten-layers")
    press(page, "lesson_to_predict")
    assert words["sets_up"]["title"] not in said(page)


def test_a_wide_widget_takes_the_place_of_the_charts_while_it_is_open(lessons, became):
    page = lessons(lesson="depth", guess="stays")
    became(made("depth", FIFTY).snapshots, step=150, status="paused", reason="plan")
    page.run()
    press(page, "lesson_to_why")
    hidden, common = ".st-key-lesson_live, .st-key-lesson_figure", texts("widgets")["common"]
    assert (hidden in said(page), "ellipse" in modules(page)) == (False, False)
    press(page, "lesson_open_ellipse")
    assert (hidden in said(page), "ellipse" in modules(page)) == (True, True)
    assert page.button(key="lesson_open_ellipse").label == common["close"]
    press(page, "lesson_close")
    assert (hidden in said(page), "ellipse" in modules(page)) == (False, False)
    press(page, "lesson_open_ellipse")
    press(page, "lesson_to_break")
    assert (hidden in said(page), "ellipse" in modules(page)) == (False, False)


def test_what_is_folded_with_the_formulas_may_have_widgets_and_a_chart_of_the_run(lessons, became):
    page = lessons(lesson="depth", guess="stays")
    became(made("depth", FIFTY).snapshots, step=150, status="paused", reason="plan")
    page.run()
    press(page, "lesson_to_why")
    blocks = [data["block"] for data in components(page) if "block" in data]
    assert len(blocks) == 2, "the run's own view, and the chart among the formulas"
    (among,) = [block for block in blocks if block["follows"]]
    assert [*among["sizes"]] == ["amplify"]
