"""The page `in-code`: code as in its files, and a guess before each check."""

import re
from html import unescape

import pytest

from bnviz.lessons import LESSONS
from bnviz.lessons.in_code import FAULTS, FOLDER
from bnviz.lessons.scripts import script_of
from bnviz.ui.lessons.in_code import GUESSES
from bnviz.words.texts import texts
from tests.ui.handed_over import said

OWN = texts("lessons/in-code")


def shown(page):
    """Return the code on the page, without line numbers, which the style adds."""
    found = re.findall(
        r'<pre class="lesson-code" tabindex="0"><code>(.*?)</code>', said(page), re.S
    )
    lines = [re.findall(r"<span>(.*?)\n</span>", code, re.S) for code in found]
    return ["\n".join(unescape(line).rstrip() for line in code) for code in lines]


def markdown(page):
    return " ".join(part.value for part in page.markdown)


@pytest.fixture
def page(lessons):
    return lessons(lesson="in-code")


def test_the_code_on_the_page_is_that_of_the_files(page):
    layer, faulty = shown(page)[:2]
    assert layer in (FOLDER / "layer.py").read_text("utf-8")
    assert faulty in (FOLDER / "faulty.py").read_text("utf-8")
    assert layer.startswith("class BatchNorm(")
    assert layer.endswith("return self.gamma * normalized + self.beta")
    assert "live-view" not in said(page), "it has no run"
    assert [*re.findall(r'href="/scripts/([\w-]+)\.py"', said(page))] == [
        name for name in LESSONS if script_of(name)
    ]
    assert said(page).count("data-question=") == 2
    assert "lesson-next" in said(page)


def test_what_a_check_finds_comes_after_a_guess_and_one_after_the_other(page):
    for number, fault in enumerate(FAULTS):
        asked = [
            each for each in FAULTS if f"{OWN['fault'][each.name]['title']}</h3>" in said(page)
        ]
        assert asked == [*FAULTS[: number + 1]]
        before = markdown(page)
        # Any guess gives the same explanation.
        page.button(key=f"answer_{fault.name}_{fault.answers[number % 3]}").click().run()
        assert not page.exception
        told = markdown(page)[len(before) - 200 :]
        (bold,) = [part for part in OWN["fault"][fault.name]["says"].split("**")[1:2]]
        assert bold.split("}")[-1] in told
        assert shown(page)[-1] in (FOLDER / "checks.py").read_text("utf-8")
        assert "{" not in told.replace("{:", "")
    assert page.session_state[GUESSES] == {
        fault.name: fault.answers[number % 3] for number, fault in enumerate(FAULTS)
    }


def test_after_a_guess_the_correct_answer_is_marked_whichever_was_chosen(page):
    correct = texts("lessons")["predict"]["correct"]

    def marked():
        return [each.key for each in page.button if correct in each.label]

    assert marked() == []
    page.button(key="answer_saved_all").click().run()
    assert marked() == ["answer_saved_learned"]


def test_the_first_guess_is_kept(page):
    page.button(key="answer_saved_all").click().run()
    assert page.button(key="answer_saved_learned").disabled
    assert not page.button(key="answer_saved_all").disabled
    assert texts("lessons")["predict"]["yours"] in page.button(key="answer_saved_all").label


def test_the_lines_that_are_named_are_those_of_the_code(page):
    page.button(key="answer_saved_all").click().run()
    lines = shown(page)[1].splitlines()
    numbers = [at for at, line in enumerate(lines, 1) if "torch." in line and "running" in line]
    where = OWN["faults"]["lines"].split("{lines}")[0]
    assert f"{where}{numbers[0]}–{numbers[-1]} " in markdown(page)
