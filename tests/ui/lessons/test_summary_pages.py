"""The pages *What to use when* and *The notes, corrected*."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

from bnviz.lessons import LESSONS
from bnviz.lessons.words import Filling
from bnviz.ui.lessons.summary_pages import CORRECTIONS, ROWS, values
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.ui.handed_over import said

USES, NOTES = texts("lessons/what-to-use-when"), texts("lessons/notes-corrected")
EVERY = {name: place for section in CORRECTIONS.values() for name, place in section.items()}


def rows(page):
    """Return the cells of each row, by the row's name."""
    found = re.findall(r'<tr[^>]* data-row="([^"]*)"[^>]*>(.*?)</tr>', said(page), re.S)
    return {name: re.findall(r"<td[^>]*>(.*?)</td>", row, re.S) for name, row in found}


def query_of(cell):
    """Return the query of the first lesson link in a cell, or None."""
    found = [each for each in re.findall(r'href="([^"]*)"', cell) if "lesson=" in each]
    return dict(parse_qsl(urlsplit(unescape(found[0])).query)) if found else None


def bare(cell):
    return " ".join(unescape(re.sub("<[^>]*>", "", cell)).split())


def test_every_use_says_what_why_and_who_says_so(lessons):
    page = lessons(lesson="what-to-use-when")
    found = rows(page)
    assert list(found) == list(USES["row"]) == list(ROWS)
    for name, (setting, use, why, source) in found.items():
        assert all(bare(cell) for cell in (setting, use, why)), name
        assert "https://" in source, "cited"
        lesson = ROWS[name]
        assert query_of(setting) == ({"lesson": lesson} if lesson else None)
    assert "<code>eval()</code>" in found["eval"][1]
    assert not page.button


def test_what_others_found_is_cited_and_none_of_it_is_measured():
    for name, row in USES["row"].items():
        assert not re.search(r"\{(run|claim|setting):", " ".join(row.values())), name


def test_every_error_stands_beside_what_was_found_and_a_link(lessons):
    page = lessons(lesson="notes-corrected")
    found = rows(page)
    assert list(found) == list(EVERY)
    assert found.keys() == NOTES["entry"].keys()
    assert NOTES["sections"].keys() == CORRECTIONS.keys()
    filling = Filling(values())
    for name, place in EVERY.items():
        lesson, _, broken = place.partition("/")
        says, seen, link = found[name]
        entry = NOTES["entry"][name]
        for cell, text in ((says, entry["says"]), (seen, entry["seen"])):
            start = re.split(r"\[|<", filling.sentence(text))[0].strip()
            assert " ".join(start.split()) in bare(cell), name
        title = texts(f"lessons/{lesson}")["title"]
        assert title in unescape(link)
        expected = {"lesson": lesson, "break": broken}
        assert query_of(link) == {key: value for key, value in expected.items() if value}
    assert not page.button


@every_case("name", EVERY)
def test_a_correction_leads_to_a_lesson_and_a_break_that_exist(name):
    lesson, _, broken = EVERY[name].partition("/")
    if broken:
        assert LESSONS[lesson].resolve().try_named(broken)
    assert lesson in LESSONS


def test_no_error_is_told_twice():
    names = [name for section in CORRECTIONS.values() for name in section]
    assert len(set(names)) == len(names) > 30
