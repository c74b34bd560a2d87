import pytest

import bnviz.texts
from bnviz.texts import texts


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Texts in English and, in part, in German."""
    for language, words in (("en", 'a = "one"\n[b]\nc = "two"\nd = "three"'),
                            ("de", '[b]\nc = "zwei"')):  # fmt: skip
        (tmp_path / language).mkdir()
        (tmp_path / language / "test.toml").write_text(words, encoding="utf-8")
    monkeypatch.setattr(bnviz.texts, "FOLDER", tmp_path)
    bnviz.texts._texts.cache_clear()
    yield
    bnviz.texts._texts.cache_clear()


def test_a_language_falls_back_to_english_key_by_key(folder):
    assert texts("de", "test") == {"a": "one", "b": {"c": "zwei", "d": "three"}}


@pytest.mark.parametrize("language", ["fr", "../en", "", "en/../de", "EN"])
def test_an_unknown_language_reads_as_english(folder, language):
    assert texts(language, "test") == {"a": "one", "b": {"c": "two", "d": "three"}}


def test_the_words_cannot_be_changed_by_a_reader(folder):
    with pytest.raises(TypeError):
        texts("en", "test")["a"] = "other"
