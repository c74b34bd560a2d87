"""The pseudo-language changes all words and nothing else."""

import re

import bnviz.words.texts
from bnviz.words.texts import in_language, texts
from tests.every_case import every_case
from tests.made_up_language import CODE, accented, write_language


def test_words_are_accented_and_a_third_longer():
    assert accented("rate") == "ŕåţéţé"
    assert accented("It breaks.") == "Îţ ƀŕéåķšķš."
    assert not re.search("[A-Za-z]", accented("Every letter: ABCXYZ abcxyz"))


@every_case(
    "kept",
    ["{label:percent}", "`--set depth=6`", "$\\tanh(x)$", "](https://example.org/a)", "<em>",
     "{run:broke_after}", "&amp;", "0.1", "→"],
)  # fmt: skip
def test_what_is_no_word_stays(kept):
    assert kept in accented(f"before {kept} after")


def test_a_term_keeps_its_key_and_its_shown_words_change():
    assert accented("[[mean-square|its mean]]") == "[[mean-square|îţšš ɱéåñåñ]]"
    assert accented("[[mean-square]]") == "[[mean-square]]"


def test_the_written_language_has_every_key_and_slot_of_english(tmp_path, monkeypatch):
    write_language(tmp_path)
    monkeypatch.setattr(bnviz.words.texts, "FOLDER", tmp_path)
    slot = re.compile(r"\{[^{}]*\}")
    for path in sorted((tmp_path / "en").rglob("*.toml")):
        name = str(path.relative_to(tmp_path / "en").with_suffix(""))
        english = dict(flat(texts(name, "en")))
        with in_language(CODE):
            other = dict(flat(texts(name)))
        assert other.keys() == english.keys(), name
        for key, words in english.items():
            assert sorted(slot.findall(other[key])) == sorted(slot.findall(words)), (name, key)


def flat(value, key=""):
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from flat(part, f"{key}.{place}")
    elif hasattr(value, "items"):
        for name, part in value.items():
            yield from flat(part, f"{key}.{name}")
