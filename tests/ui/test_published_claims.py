"""The claims as measured and published, and the lab, which shows one of the claims."""

import bnviz.words.texts
from bnviz.claims import results
from bnviz.claims.judgement import StatementOutcome
from bnviz.config import RunConfig
from bnviz.ui.claims.claim_in_lab import claim_card
from bnviz.ui.claims.measured import charts_of, claims_in_lab, measured, setting_of
from bnviz.ui.claims.page import page
from bnviz.ui.lab_query import read_lab_query
from bnviz.ui.sitemap import PAGES, claims_address
from bnviz.words.texts import in_language
from tests.made_up_language import CODE, accented, write_language
from tests.ui.handed_over import answers, live_view
from tests.ui.reading_html import Page


def test_a_claim_is_known_by_its_number_too_and_alone_it_names_its_setting():
    name, row = next(iter(claims_in_lab().items()))
    asked = read_lab_query({"claim": row.place})
    assert (asked.claim, asked.problems) == (name, [])
    assert asked.config == setting_of(row)
    assert asked.charts == charts_of(row)
    assert read_lab_query({"claim": name, "depth": "3"}).config == RunConfig(depth=3)


def test_every_published_row_that_can_be_watched_opens_its_own_setting():
    assert claims_in_lab()
    for name, row in claims_in_lab().items():
        asked = read_lab_query({"claim": name, **row.query})
        assert asked.problems == []
        assert asked.config == setting_of(row)
        assert asked.claim == name
        assert asked.charts == asked.leading == charts_of(row)
        assert read_lab_query(asked.to_query(asked.config, None)).claim == name


def test_every_published_row_says_how_it_is_watched_or_why_it_is_not():
    found = [row.place for row in measured().rows if row.watch is None and not row.not_in_lab]
    assert found == []


def test_the_published_page_holds_every_row_once():
    published = results.read(results.FILE)
    shown = Page(page(published))
    assert [row["id"] for row in shown.all("claims-row")] == [row.place for row in published.rows]
    ids = [each["id"] for each in shown.elements if "id" in each]
    assert len(ids) == len(set(ids))
    known = {f"#{place}" for place in ids}
    assert {link["href"] for link in shown.all("a") if link["href"].startswith("#")} <= known
    for outcome in (StatementOutcome.HOLDS, StatementOutcome.FAILS, StatementOutcome.UNDECIDED):
        assert any(row.lead and row.outcome is outcome for row in published.rows), outcome


def test_the_page_has_the_words_of_the_language_that_is_spoken(tmp_path, monkeypatch):
    row = measured().rows[0]
    english = row.text, row.setting, row.source
    write_language(tmp_path)
    monkeypatch.setattr(bnviz.words.texts, "FOLDER", tmp_path)
    with in_language(CODE):
        spoken = row.text, row.setting, row.source
        (shown,) = [each["text"] for each in Page(page(measured())).all("claims-row")[:1]]
    assert spoken == tuple(map(accented, english))
    assert all(words in shown for words in spoken)


def test_the_page_opens(first_look):
    opened = first_look()
    opened.switch_page(str(PAGES["claims"].script)).run()
    assert not opened.exception
    assert claims_address("E6.2") == "/claims#E6.2"


def test_a_claim_opens_its_charts_first_and_says_its_sentence(first_look):
    name, row = next((name, row) for name, row in claims_in_lab().items() if "charts" in row.query)
    opened = first_look(claim=name, **row.query)
    (said,) = [text.value for text in opened.get("html") if text.value.startswith("<div")]
    assert said == claim_card(row, setting_of(row))
    data = live_view(opened)
    assert data["leading"] == row.query["charts"].split(",")
    assert data["address"]["claim"] == name
    assert data["notices"] == []


def test_a_claim_that_is_none_is_answered(first_look):
    opened = first_look(claim="E99.moon", depth="3")
    data = live_view(opened)
    (sentence,) = answers(opened)
    assert "got 'E99.moon'" in sentence
    assert next(iter(claims_in_lab())) in sentence
    assert "claim" not in data["address"]
