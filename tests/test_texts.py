import pytest

import bnviz.texts
from bnviz.texts import texts


@pytest.fixture
def name(tmp_path, monkeypatch):
    """A file of texts in English and, in part, in German; of a name that no other test reads."""
    for language, words in (("en", 'a = "one"\n[b]\nc = "two"\nd = "three"'),
                            ("de", '[b]\nc = "zwei"')):  # fmt: skip
        (tmp_path / language).mkdir()
        (tmp_path / language / f"{tmp_path.name}.toml").write_text(words, encoding="utf-8")
    monkeypatch.setattr(bnviz.texts, "FOLDER", tmp_path)
    return tmp_path.name


def test_a_language_falls_back_to_english_key_by_key(name):
    assert texts("de", name) == {"a": "one", "b": {"c": "zwei", "d": "three"}}


@pytest.mark.parametrize("language", ["fr", "../en", "", "en/../de", "EN"])
def test_an_unknown_language_reads_as_english(name, language):
    assert texts(language, name) == {"a": "one", "b": {"c": "two", "d": "three"}}


def test_the_words_cannot_be_changed_by_a_reader(name):
    with pytest.raises(TypeError, match="does not support item assignment"):
        texts("en", name)["a"] = "other"
