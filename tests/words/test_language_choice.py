"""Test the choice of a visitor's language: from the address, a cookie or the browser, or else
English.
"""

import pytest

import bnviz.words.texts
from bnviz.words.language_choice import (
    allowed_languages,
    language_for,
    locale_language,
    stands_in,
    visitor_language,
)
from tests.every_case import every_case


@pytest.fixture(autouse=True)
def three(tmp_path, monkeypatch):
    for code in ("en", "de", "pt-BR"):
        (tmp_path / code).mkdir()
        (tmp_path / code / "language.toml").write_text(f'name = "{code}"')
    (tmp_path / "en" / "errors.toml").write_text('one_of = "one of {names}"')
    monkeypatch.setattr(bnviz.words.texts, "FOLDER", tmp_path)
    return tmp_path


@every_case(
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


@pytest.mark.parametrize(
    ("wanted", "code", "missing"),
    [
        ("zh", "zh-Hans", None), ("zh-CN", "zh-Hans", None), ("zh-sg", "zh-Hans", None),
        ("zh-Hans-HK", "zh-Hans", None), ("zh-TW", "zh-Hans", "繁體中文"),
        ("zh-HK", "zh-Hans", "繁體中文"), ("zh-Hant", "zh-Hans", "繁體中文"),
        ("en-GB", "en", None), ("de-CH-1996", "de", None), ("PT-BR", "pt-BR", None),
        ("ja-JP", None, None), ("../de", None, None), ("de_DE", None, None), ("", None, None),
    ],
)  # fmt: skip
def test_chinese_goes_by_its_script_and_others_by_what_is_nearest(three, wanted, code, missing):
    (three / "zh-Hans").mkdir()
    (three / "zh-Hans" / "language.toml").write_text('name = "zh-Hans"')
    assert (language_for(wanted), stands_in(wanted)) == (code, missing)
    assert visitor_language(wanted, None, None) == (code or "en")
    assert locale_language({"LANG": f"{wanted.replace('-', '_')}.UTF-8"}) == (
        language_for(wanted.replace("_", "-")) or "en"
    )
    assert visitor_language(None, None, f"{wanted}, fr") == (code or "en")


@every_case(
    ("environment", "code"),
    [
        ({"LANG": "de_DE.UTF-8"}, "de"), ({"LANG": "pt_BR"}, "pt-BR"), ({"LANG": "de@euro"}, "de"),
        ({"LC_ALL": "C.UTF-8", "LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "de_CH.UTF-8", "LANG": "pt_BR.UTF-8"}, "de"),
        ({"LANG": "POSIX"}, "en"), ({"LANG": "ja_JP.UTF-8"}, "en"), ({"LANG": "../de"}, "en"),
        ({}, "en"),
    ],
)  # fmt: skip
def test_a_locale_names_a_language_and_the_strongest_variable_wins(environment, code):
    assert locale_language(environment) == code


def test_what_may_be_asked_for_is_listed():
    assert allowed_languages().text() == "one of en, de, pt-BR"
