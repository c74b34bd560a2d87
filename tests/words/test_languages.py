"""Check the Chinese and Japanese texts for missing translations, broken rules and wrong
typography.
"""

import os
import re
from collections.abc import Iterator

import pytest

from bnviz.commands.check import KINDS
from bnviz.registry import ImportPath
from bnviz.words.texts import ENGLISH, FOLDER, languages
from bnviz.words.translations import faults, files, units
from tests.conftest import NOT_TRANSLATED
from tests.words.latin import allowed_in_latin
from tests.words.plain_english import parts

HAN = r"[\u3040-\u30ff\u3400-\u9fff]"
LATIN_OF = re.compile(r"[A-Za-z][A-Za-z’'-]{2,}")
# Parts of a text that are not words of its language: formulas, code, placeholders, addresses and
# keys.
CODE = re.compile(
    r"\$\$.+?\$\$|\$[^$\n]+\$|`[^`]*`|\{[^{}]*\}|\]\([^)]*\)|\[\[[\w-]+\|?|https?://\S+", re.DOTALL
)
# An English term in brackets at its first use.
TERM = re.compile(r"(?<=[（，；、])[A-Za-z][A-Za-z0-9 ,.’'&/-]*(?=[）；，、])")
# Texts with other rules: terminal output is in columns, and search words and paper titles stay in
# English.
OTHERWISE = re.compile(
    r"claims\.toml:terminal\..*|lab\.toml:drawer\.also\..*|.+:(.+\.)?also|citations\.toml:.*"
    r"|.+:(.+\.)?sources?(\..*)?|command\.toml:.*"
)
# Places of texts whose values are names of other items: a lesson, a page or a benefit.
KEYS = re.compile(r".+:(.*\.)?(remember|benefits|questions|accounts\..*)")
OWN = [code for code in languages() if code != ENGLISH]


def texts_of(code: str) -> Iterator[tuple[str, str]]:
    """Yield each text of a language, with its file and key."""
    for file in files(FOLDER, code):
        for key, unit in units(FOLDER / code / file).items():
            if not OTHERWISE.fullmatch(f"{file}:{key}"):
                yield from ((f"{file}:{key}", text) for text in parts(unit))


def found_in(code: str, pattern: str, bare: bool = True) -> list[str]:
    """Return each match of a pattern in a language's texts, with its file, key and context."""
    around = re.compile(rf".{{0,12}}(?:{pattern}).{{0,12}}", re.DOTALL)
    return [
        f"{place}: {match[0]!r}"
        for place, text in texts_of(code)
        for match in around.finditer(CODE.sub("", text) if bare else text)
    ]


def test_the_app_speaks_chinese_and_japanese():
    assert set(OWN) == {"zh-Hans", "ja"}


@pytest.mark.parametrize("code", OWN)
def test_nothing_is_against_a_rule_and_nothing_has_no_english(code):
    assert [str(each) for each in faults(FOLDER, code) if not each.owed] == []


@pytest.mark.parametrize("code", OWN)
def test_every_text_is_translated(code):
    """A missing text is shown in English, and the test run reports it at the end."""
    owed = [str(each) for each in faults(FOLDER, code) if each.owed]
    if owed and not os.environ.get("BNVIZ_REQUIRE_LANGUAGES"):
        pytest.skip(f"{NOT_TRANSLATED}: {code}")
    assert owed == []


@pytest.mark.parametrize("code", OWN)
def test_no_space_is_typed_between_han_or_kana_and_what_stands_beside_it(code):
    beside = r"[A-Za-z0-9$`{\[\]}%]"
    marks = "，。、；：？！（）“”「」『』《》"
    words = rf"{HAN}[ \u00a0]+{beside}|{beside}[ \u00a0]+{HAN}|{HAN} +{HAN}"
    between = rf"{words}|[{marks}] (?! ?☐)| [{marks}]"
    assert found_in(code, between, bare=False) == []


@pytest.mark.parametrize("code", OWN)
def test_punctuation_is_full_width_and_of_the_language(code):
    half = rf"{HAN}[,.;:?!()](?!\w)|[,;:?!]{HAN}|\({HAN}|{HAN}[\"']"
    foreign = {"ja": "[“”‘’]", "zh-Hans": "[「」『』\u3040-\u30ff]"}[code]
    assert found_in(code, half) + found_in(code, foreign) == []


@pytest.mark.parametrize("code", OWN)
def test_no_english_word_is_left(code):
    left = [
        f"{place}: {word}"
        for place, text in texts_of(code)
        if not KEYS.fullmatch(place)
        for word in LATIN_OF.findall(TERM.sub("", CODE.sub(" ", text)))
        if word not in allowed_in_latin()
    ]
    assert left == []


@pytest.mark.parametrize("code", languages())
def test_no_two_entries_of_a_registry_have_one_label(code):
    for kind in KINDS:
        if "{}" in kind.words:
            continue
        words = units(FOLDER / code / kind.words)
        named = [words.get(f"{name}.label") for name in ImportPath(where=kind.where).resolve()]
        twice = [label for label in named if label is not None and named.count(label) > 1]
        assert twice == [], kind.where
