"""Texts are looked up in the current language, and missing keys fall back to English."""

import os
import re
import subprocess
import sys

import pytest

import bnviz.words.texts
from bnviz.words.texts import (
    current_language,
    in_language,
    languages,
    prose,
    set_language_source,
    text,
    texts,
)


@pytest.fixture
def name(tmp_path, monkeypatch):
    """Store texts in English and some of them in German, in a file whose name no other test uses.
    Return the name.
    """
    for code, own, words in (
        ("en", "English", 'a = "one"\n[b]\nc = "two"\nd = "three"'),
        ("de", "Deutsch", '[b]\nc = "zwei"'),
        ("no language", "Nothing", ""),
    ):
        (tmp_path / code).mkdir()
        (tmp_path / code / "language.toml").write_text(f'name = "{own}"', encoding="utf-8")
        (tmp_path / code / f"{tmp_path.name}.toml").write_text(words, encoding="utf-8")
    (tmp_path / "fr").mkdir()  # a folder alone is not a language
    (tmp_path / "en" / "page.md").write_text("# One")
    (tmp_path / "de" / "other.md").write_text("# Zwei")
    monkeypatch.setattr(bnviz.words.texts, "FOLDER", tmp_path)
    return tmp_path.name


def test_a_language_falls_back_to_english_key_by_key(name):
    assert texts(name, "de") == {"a": "one", "b": {"c": "zwei", "d": "three"}}
    assert prose("page", "de") == "# One"
    assert prose("other", "de") == "# Zwei"


@pytest.mark.parametrize("code", ["fr", "../en", "", "en/../de", "EN", "no language"])
def test_an_unknown_language_reads_as_english(name, code):
    assert texts(name, code) == {"a": "one", "b": {"c": "two", "d": "three"}}


@pytest.mark.usefixtures("name")
def test_languages_are_listed_in_their_own_words_english_first():
    assert dict(languages()) == {"en": "English", "de": "Deutsch"}
    assert next(iter(languages())) == "en"


def test_what_is_said_within_a_language_is_said_in_it(name):
    with in_language("de"):
        assert current_language() == "de"
        assert texts(name)["b"]["c"] == text(f"{name}.b.c") == "zwei"
    assert text(f"{name}.b.c") == "two"


def test_whoever_knows_the_language_is_asked_where_nothing_else_says_it(name, monkeypatch):
    monkeypatch.setattr(bnviz.words.texts, "_source", bnviz.words.texts._source)
    set_language_source(lambda: "de")
    assert text(f"{name}.b.c") == "zwei"
    with in_language("en"):
        assert text(f"{name}.b.c") == "two"
    set_language_source(lambda: None)
    assert text(f"{name}.b.c") == "two"


@pytest.mark.parametrize("key", ["a.b", "b", "nothing", "b.c.d"])
def test_a_key_without_a_text_is_named(name, key):
    with pytest.raises(KeyError, match=re.escape(f"{name}.{key}")):
        text(f"{name}.{key}")


def test_the_words_cannot_be_changed_by_a_reader(name):
    with pytest.raises(TypeError, match="does not support item assignment"):
        texts(name)["a"] = "other"


def test_a_folder_of_texts_without_english_is_refused_at_the_start(tmp_path):
    found = subprocess.run(
        [sys.executable, "-c", "import bnviz.words.texts"], capture_output=True, text=True,
        check=False, env={**os.environ, "BNVIZ_TEXTS": str(tmp_path)},
    )  # fmt: skip
    assert found.returncode
    said = f"`BNVIZ_TEXTS` must be a folder with en/language.toml, got {str(tmp_path)!r}."
    assert said in found.stderr
