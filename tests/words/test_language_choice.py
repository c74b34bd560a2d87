"""A visitor's language: from the address, a cookie, the browser, or English."""

import pytest

import bnviz.words.texts
from bnviz.words.language_choice import allowed_languages, visitor_language


@pytest.fixture(autouse=True)
def three(tmp_path, monkeypatch):
    for code in ("en", "de", "pt-BR"):
        (tmp_path / code).mkdir()
        (tmp_path / code / "language.toml").write_text(f'name = "{code}"')
    (tmp_path / "en" / "errors.toml").write_text('one_of = "one of {names}"')
    monkeypatch.setattr(bnviz.words.texts, "FOLDER", tmp_path)


@pytest.mark.parametrize(
    ("asked", "remembered", "accepted", "code"),
    [
        ("de", "pt-BR", "en", "de"),
        (None, "de", "en", "de"),
        ("xx", "de", "en", "de"),
        ("../en", "xx", "de", "de"),
        (None, None, "de-CH, en;q=0.8", "de"),
        (None, None, "en;q=0.5, de;q=0.9", "de"),
        (None, None, "fr, pt-br", "pt-BR"),
        (None, None, "de;q=0, fr", "en"),
        (None, None, "de;q=x;;;,,;=", "en"),
        (None, None, "," * 5000 + "de", "en"),
        (None, None, None, "en"),
    ],
)
def test_the_first_that_there_is_wins(asked, remembered, accepted, code):
    assert visitor_language(asked, remembered, accepted) == code


def test_what_may_be_asked_for_is_listed():
    assert allowed_languages().text() == "one of en, de, pt-BR"
