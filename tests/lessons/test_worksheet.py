"""Every lesson with a claim has a worksheet without markup, and a separate answer key."""

import re

from bnviz.lessons import LESSONS
from bnviz.lessons.worksheet import to_markdown, worksheet
from bnviz.ui.lessons.syllabus import ROUTES, minutes
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.lessons.observing import CLAIMING, lesson

MARKUP = re.compile(r"<span|\[\[|\{\w+:|\*\*|data-")
WORDS = texts("lessons")["sheet"]


def content(parts, heading, kind):
    """Return the items of kind `kind` under a heading of a worksheet."""
    return next(content for each, content in parts[heading] if each == kind)


@every_case("name", CLAIMING)
def test_a_lesson_has_a_sheet_and_its_key_is_only_in_the_teachers(name):
    sheet = worksheet(lesson(name))
    own = texts(f"lessons/{name}")
    answers, breaks = (
        content(sheet.before, "guess", "answers"), content(sheet.after, "break", "settings")
    )  # fmt: skip
    assert 2 <= len(content(sheet.before, "goals", "list")) <= 3
    assert len(answers) == len(lesson(name).answers)
    drawing = lesson(name).drawing
    axes = [axes for kind, axes in sheet.before["guess"] if kind == "axes"]
    assert len(axes) == (drawing is not None)
    for each in axes:
        steps, values = dict(each.steps), dict(each.values)
        assert each.label == WORDS["draw"]
        assert (steps[0], steps[1]) == ("0", str(drawing.last_step))
        assert {*map(str, drawing.steps)} <= {*steps.values()}
        last = "100\u00a0%" if drawing.percent else "100"
        assert (values[0][0], values[1]) == ("0", last)
    assert len(breaks) == len(lesson(name).breaks)
    plain = to_markdown(sheet, "http://here.test/lessons", key=False)
    keyed = to_markdown(sheet, "http://here.test/lessons", key=True)
    assert keyed.startswith(plain.rstrip("\n"))
    claim, why = (content(sheet.key, heading, "text") for heading in ("key", "why"))
    for secret in (claim, why, *content(sheet.key, "misconceptions", "list")):
        assert secret not in plain
        assert secret in keyed
    assert not MARKUP.search(plain)
    assert plain.startswith(f"# {own['title']}\n")
    assert "<http://here.test/lessons>" in plain
    for answer in answers:
        assert f"- ☐ {answer}\n" in plain
    if breaks:
        assert f"| {breaks[-1]} | | |" in plain


def test_numbers_of_the_setting_stand_on_the_sheet():
    question = worksheet(lesson("break-it")).before["question"]
    config, raised = lesson("break-it").config(), lesson("break-it").plan.changes[0]
    (rate,) = raised.values.values()
    assert f"from {config.learning_rate} to {rate:g}" in question[-1][1]
    assert f"The first raise, at step {raised.step}, lasts" in question[-1][1]


def test_a_route_names_each_lesson_once_and_fills_its_time():
    for route in ROUTES.values():
        names = [name for session in (*route.sessions, route.spare) for name in session]
        assert len(set(names)) == len(names)
        for session in route.sessions:
            assert 0.75 * route.length <= minutes(session) < route.length
    taught = {name for name, entry in LESSONS.items() if not entry.is_page}
    assert taught <= {*ROUTES["whole"].sessions[0]}
    assert set(ROUTES) == set(texts("lessons/syllabus")["route"])
