"""Widget *What you can say now*: answers survive a reload, and can be exported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from bnviz.ui.lessons.own_words import POINTS, own_words_questions
from bnviz.ui.lessons.words import lesson_words
from bnviz.words.texts import texts
from tests.browser.widgets.conftest import ORIGIN, taking

SAYS, ALONG = texts("lessons")["say"], texts("lessons")["along"]
PAGE = "what-you-can-say"
WORDS = lesson_words(PAGE, None)
QUESTIONS = own_words_questions(WORDS)
DATA = {
    "base": "", "version": "v1", "module": "own_words.js", "lesson": PAGE, "questions": QUESTIONS,
    "texts": {"say": dict(SAYS), "along": {**ALONG, "allowed": dict(ALONG["allowed"])}},
}  # fmt: skip
NAMES = [each["name"] for each in QUESTIONS]
GOOD = {"bnviz": "course", "version": 1, "lessons": {}, "looked": [], "words": {}}


@pytest.fixture(scope="module")
def page(pages):
    with taking(pages) as take:
        yield take(900, 1000)


@pytest.fixture(autouse=True)
def empty(page):
    page.evaluate("leave()")
    mount(page)


def mount(page):
    page.evaluate(
        "(data) => window.mountWidget('own_words.js', data)", json.loads(json.dumps(DATA))
    )


def open_again(page):
    page.goto(ORIGIN + "/")
    mount(page)


def question(page, name):
    return page.locator(f"[data-say={name}]")


def write(page, name, text):
    question(page, name).locator("textarea").fill(text)


def compare(page, name):
    question(page, name).get_by_role("button", name=SAYS["compare"]).click()


def stored(page):
    return page.evaluate("JSON.parse(localStorage.getItem('bnviz-own-words'))")


def read_in(page, text):
    page.evaluate("document.querySelector('.lesson-along [role=status]').textContent = ''")
    page.locator("input[type=file]").set_input_files(
        {"name": "course.json", "mimeType": "application/json", "buffer": text.encode()}
    )
    status = page.locator(".lesson-along [role=status]")
    expect(status).not_to_have_text("")
    return status.inner_text()


def test_there_are_nine_questions_with_three_points_each():
    assert len(set(NAMES)) == 9
    assert {len(each["points"]) for each in QUESTIONS} == {POINTS}
    assert all(each["page"]["href"].startswith("/lessons?lesson=") for each in QUESTIONS)


def test_who_has_written_an_answer_may_compare_it_and_both_survive_a_reload(page):
    first, second = NAMES[:2]
    expect(page.locator(".say-summary")).to_be_hidden()
    button = question(page, first).get_by_role("button", name=SAYS["compare"])
    expect(button).to_be_disabled()
    write(page, first, "   ")
    expect(button).to_be_disabled()
    expect(question(page, first).locator(".say-model")).to_be_hidden()
    write(page, first, "It is <b>bold</b> to say so.")
    button.focus()
    page.keyboard.press("Enter")
    model = question(page, first).locator(".say-model")
    expect(model).to_be_focused()
    expect(model).to_contain_text(QUESTIONS[0]["answer"][0][:40])
    summary = page.locator(".say-summary")
    expect(summary).to_have_text(SAYS["compared"].format(compared=1, questions=9))
    model.get_by_role("checkbox").nth(1).check()
    link = model.locator("a")
    expect(link).to_have_attribute("href", QUESTIONS[0]["page"]["href"])
    expect(model).to_contain_text(SAYS["missing"].format(count=2))
    write(page, second, "Another one.")
    open_again(page)
    expect(question(page, first).locator("textarea")).to_have_value("It is <b>bold</b> to say so.")
    ticks = question(page, first).get_by_role("checkbox")
    assert [ticks.nth(at).is_checked() for at in range(POINTS)] == [False, True, False]
    expect(question(page, second).locator(".say-model")).to_be_hidden()
    told = SAYS["summary"].format(compared=1, questions=9, ticked=1, points=3)
    expect(summary).to_have_text(told)


def test_whoever_has_compared_all_has_finished_the_page(page):
    kept = {name: {"text": "x", "compared": True, "points": [True] * 3} for name in NAMES[1:]}
    page.evaluate("(kept) => localStorage.setItem('bnviz-own-words', JSON.stringify(kept))", kept)
    open_again(page)
    done = f"JSON.parse(localStorage.getItem('bnviz-lessons'))?.[{PAGE!r}]?.done ?? null"
    assert page.evaluate(done) is None
    write(page, NAMES[0], "x")
    compare(page, NAMES[0])
    assert page.evaluate(done) is True


def test_a_file_takes_it_along_and_loses_nothing_where_it_is_read_in(page):
    page.evaluate(
        "localStorage.setItem('bnviz-lessons',"
        " JSON.stringify({depth: {done: true, guess: 'stays', seed: 7},"
        " whitening: {guess: 'faster', seed: 2}}));"
        "localStorage.setItem('bnviz-looked', JSON.stringify(['depth-0']))"
    )
    write(page, NAMES[0], "Mine.")
    compare(page, NAMES[0])
    write(page, NAMES[1], "Mine, too.")
    with page.expect_download() as saved:
        page.get_by_role("button", name=ALONG["save"]).click()
    text = Path(saved.value.path()).read_text(encoding="utf-8")
    page.evaluate(
        "localStorage.clear();"
        "localStorage.setItem('bnviz-lessons', JSON.stringify({depth: {guess: 'learns'}}))"
    )
    open_again(page)
    write(page, NAMES[1], "Another one here.")
    assert read_in(page, text) == f"{ALONG['done']} {ALONG['both_one']}"
    expect(question(page, NAMES[0]).locator("textarea")).to_have_value("Mine.")
    expect(question(page, NAMES[0]).locator(".say-model")).to_be_visible()
    both = "Another one here.\n\nMine, too."
    expect(question(page, NAMES[1]).locator("textarea")).to_have_value(both)
    assert read_in(page, text) == ALONG["done"], "once is enough"
    assert stored(page)[NAMES[1]] == {"text": both, "compared": False, "points": [False] * 3}
    kept = page.evaluate(
        "['bnviz-lessons', 'bnviz-looked'].map((k) => JSON.parse(localStorage.getItem(k)))"
    )
    lessons = {
        "depth": {"done": True, "guess": "learns"}, "whitening": {"guess": "faster", "seed": 2},
    }  # fmt: skip
    assert kept == [lessons, ["depth-0"]], "a guess belongs to the seed of its own run"


def test_what_has_no_room_below_ones_own_answer_is_left_out_and_told(page):
    write(page, NAMES[0], "x" * 1990)
    before = stored(page)
    ticked = {"text": "Another one.", "compared": True, "points": [True] * 3}
    status = f"{ALONG['done']} {ALONG['left_one']}"
    assert read_in(page, changed(words={NAMES[0]: ticked})) == status
    assert stored(page) == before


def test_a_file_from_before_there_were_answers_in_ones_own_words_is_read(page):
    write(page, NAMES[0], "Mine.")
    old = {name: value for name, value in GOOD.items() if name not in ("looked", "words")}
    assert read_in(page, json.dumps({**old, "lessons": {"depth": {"done": True}}})) == ALONG["done"]
    assert stored(page)[NAMES[0]]["text"] == "Mine."
    done = page.evaluate("JSON.parse(localStorage.getItem('bnviz-lessons'))")
    assert done == {"depth": {"done": True}}


def test_a_file_that_is_none_of_ours_is_refused_by_its_field_and_changes_nothing(page):
    write(page, NAMES[0], "Mine.")
    before, good = stored(page), {"text": "x", "compared": True, "points": [True] * 3}
    many = {letter * length: good for letter in "abc" for length in range(1, 41)}
    wrong = {
        "nothing": ("", ALONG["no_json"]),
        "a list": ("[]", ALONG["not_ours"]),
        "another program": ('{"bnviz": "talk"}', ALONG["not_ours"]),
        "version": (changed(version=2), "`version` is 2"),
        "unknown": (changed(html="<script>"), "`html` is <script>"),
        "names": (changed(looked=["depth-0", "../x-1"]), "`looked` is"),
        "a name": (changed(words={"A B": good}), "`words` is A B"),
        "text": (answer(good, text="x" * 2001), "`words.shift.text` is xx"),
        "points": (answer(good, points=[1, 2, 3]), "`words.shift.points` is [1,2,3]"),
        "more": (answer(good, more=1), "`words.shift.more` is 1"),
        "done": (changed(lessons={"depth": {"done": "yes"}}), "`lessons.depth.done` is yes"),
        "seed": (changed(lessons={"depth": {"seed": -1}}), "`lessons.depth.seed` is -1"),
        "many": (changed(words=many), "`words` is"),
        "large": ("x" * 500_001, ALONG["too_large"].format(most=500)),
    }
    for name, (text, said) in wrong.items():
        assert said in read_in(page, text), name
        assert stored(page) == before, name


def changed(**fields):
    return json.dumps({**GOOD, **fields})


def answer(good, **fields):
    return changed(words={"shift": {**good, **fields}})
