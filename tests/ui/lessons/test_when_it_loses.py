"""The page `when-it-loses`: one row per experiment in which BN loses, with a link to run it."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

from bnviz.lessons.defeats import breaks_lost, key_of, read
from bnviz.words.numbers import FORMATS
from bnviz.words.texts import texts
from tests.ui.handed_over import said

OWN = texts("lessons/when-it-loses")


def rows(page):
    """Return the cells of each row by column, keyed by the name of the row's experiment."""
    found = {}
    for key, row in re.findall(r'<tr[^>]* data-row="([^"]*)"[^>]*>(.*?)</tr>', said(page), re.S):
        cells = re.findall(r'<td[^>]* data-label="([^"]*)"[^>]*>(.*?)</td>', row, re.S)
        found[key] = {unescape(label): cell for label, cell in cells}
    return found


def test_every_break_in_which_bn_loses_has_a_row_with_its_numbers_and_its_link(lessons):
    found = rows(lessons(lesson="when-it-loses"))
    assert list(found) == [key_of(lesson, name) for lesson, name, _ in breaks_lost()]
    for lesson, name, by in breaks_lost():
        cells, loss = found[key_of(lesson, name)], read()[key_of(lesson, name)]
        assert cells.keys() == set(OWN["columns"].values())
        measured = cells[OWN["columns"]["measured"]]
        steps = by.by == "steps"
        for number in (loss.gap, min(loss.gaps), max(loss.gaps)):
            assert FORMATS["count" if steps else "points"](number) in measured
        for network in ("batch", "other"):
            written = FORMATS["count" if steps else "percent1"]
            assert written(loss.median_of(network)) in measured
        (href,) = re.findall(r'<a [^>]*href="([^"]*)"', cells[OWN["columns"]["setting"]])
        query = dict(parse_qsl(urlsplit(unescape(href)).query))
        assert (query["lesson"], query["break"]) == (lesson.name, name)
        assert all(re.sub("<[^>]*>", "", cell).strip() for cell in cells.values())


def test_it_says_how_it_was_measured_and_needs_no_run(lessons):
    page = lessons(lesson="when-it-loses")
    seeds = len(next(iter(read().values())).seeds)
    assert OWN["how"].format(seeds=seeds) in said(page)
    assert not page.button


def test_of_a_break_that_is_not_measured_nothing_is_said(lessons, monkeypatch):
    measured = read()
    gone = measured.pop("break-it/relu")
    assert gone.gap > 0
    monkeypatch.setattr("bnviz.ui.lessons.summary_pages.read", lambda: measured)
    assert "break-it/relu" not in rows(lessons(lesson="when-it-loses"))
