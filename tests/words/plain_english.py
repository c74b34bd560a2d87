"""Finds patterns in English texts that readers had to read twice, and terms that have a better one.

`python -m tests.words.plain_english FILE ...` lists them, with what to write instead; without a
file: the number per file. Patterns are a floor: a sentence without any may still be hard to read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from bnviz.words.texts import ENGLISH, FOLDER
from bnviz.words.translations import files, units

# Nothing in here is prose: what is filled in, code, formulas, addresses, keys of the glossary.
NOT_PROSE = re.compile(
    r"\{(?![^{}]*(?:percent|%))[^{}]*\}|`[^`]*`|\$[^$\n]+\$|\]\([^)]*\)|\[\[[\w-]+\|?|https?://\S+"
)
# Texts with the words of other people or for a search.
NOT_OURS = re.compile(r"citations\.toml|language\.toml|.*:(.+\.)?(also|sources?|quote)(\..*)?")
PER_CENT = r"(?:about |at least |at most |only |over |under |up to )?(?:\d[\d.,–-]*[\s\u00a0\u202f]?%|\{[^{}]*percent[^{}]*\})"


@dataclass(frozen=True)
class Pattern:
    """A pattern and what to write instead."""

    found: re.Pattern[str]
    instead: str


def _pattern(found: str, instead: str) -> Pattern:
    return Pattern(re.compile(found), instead)


STARTS = r"(?:^|(?<=[.?:;] )|(?<=\n))"
PATTERNS = (
    _pattern(rf"{STARTS}(?:Of|Under) ", "start with the subject"),
    _pattern(rf"{STARTS}By (?!step|default|hand\b)", "start with the subject"),
    _pattern(rf"{STARTS}From (?!step|the left|left|\d|\{{|top)", "start with the subject"),
    _pattern(rf"{STARTS}What (?=[^?]*(?:[.:;]|$))(?=.{{30}})", "a noun instead of the clause"),
    _pattern(r"\b(?:of|from|to|by|in|on) what\b(?![^.]*\?)", "a noun instead of the clause"),
    _pattern(r"\bwhat (?:each|every|a|the|its|one) \w+ (?:receives?|gets?|sends?|gives?|holds?)\b",
             "a noun instead of the clause"),
    _pattern(r"\b(?:that|those) (?:of|with|without|from)\b", "repeat the noun"),
    _pattern(r"\b[Tt]he (?:stored|other|former|latter|first|second|last|new|old) ones?\b", "repeat the noun"),
    _pattern(r"\b(?:is|are|was|were) no\b(?! longer| more than)", "negate the verb: is not"),
    _pattern(r"\b(?:is|are|was|were) nothing (?:but|else)\b", "say what it is"),
    _pattern(rf"\b(?:has|have|had|is at|are at|was at|were at|comes? to|came to) {PER_CENT}",
             "name the quantity: accuracy is"),
    _pattern(r"(?:\d|\}|×|\b(?:one|two|three|four|times|factor|once|twice|lines?|values?|images?|seconds?|frames?|bytes?|steps?|networks?))"
             r" an? (?:layer|step|network|second|unit|image|mini-batch|run|visitor|page|minute|chart|seed)\b",
             "per"),
    _pattern(r"\bless (?:plain|BN|test|the mean|the test)\b", "minus"),
    _pattern(r"\bbut for\b|\blest\b|\bsave for\b", "except for, up to, so that"),
    _pattern(r"\b(?:is|are|was|were) (?:told|asked|heard|thought|believed|said) ", "say who does it"),
    _pattern(r"\b(?:stands?|standing|stood) (?:in|on|at|for|under|over|beside|behind|below|above|next|there|here|between)\b", "is"),
    _pattern(r"\b(?:lies|lie|lay|lying) (?:in|on|at|under|over|beside|behind|below|above|between|within|near|outside|inside|beyond|there)\b", "is"),
    _pattern(r"\b(?:goes|go|went|gone|going) on\b", "continues"),
    _pattern(rf"{STARTS}(?:Given|Forgotten|Taken|Told|Left|Put|Seen|Asked|Measured|Counted|Drawn|Divided|Multiplied|Started|Begun)\b[^.,]*, ",
             "an opening participle describes the subject"),
    _pattern(r"\b(?:measured|computed|counted|estimated|trained) anew\b", "recomputed, again"),
    _pattern(r"\banew\b", "again"),
    _pattern(r"\b(?:stored|remembered|kept) (?:means?|variances?|averages?|statistics|ones)\b", "running averages"),
    _pattern(r"\bin use\b", "at inference"),
    _pattern(r"\bspreads?\b", "standard deviation"),
    _pattern(r"\bstay(?:s|ed)? down\b|\b(?:gets?|got) over\b", "broke, recovered"),
    _pattern(r"\bat chance\b(?! level)", "at chance level"),
    _pattern(r"\bnumbers? of its own\b|\bso far as\b|\bin itself\b", "leave it out"),
    _pattern(r"\bthe (?:orange|blue|green) (?:network|line|one)\b", "without BN, with BN"),
    _pattern(r"\bthe stage\b", "presentation view"),
    _pattern(r"\b(?:whatever|whichever) (?:one )?(?:is|does|was)\b", "name it"),
)  # fmt: skip


@dataclass(frozen=True)
class Hit:
    """A pattern in a text."""

    place: str
    words: str
    instead: str

    def __str__(self) -> str:
        return f"{self.place}: {self.words!r}: {self.instead}"


def hits(text: str, place: str = "") -> Iterator[Hit]:
    """Every pattern in a text."""
    prose = NOT_PROSE.sub("…", text)
    for pattern in PATTERNS:
        for match in pattern.found.finditer(prose):
            around = prose[max(0, match.start() - 20) : match.end() + 30]
            yield Hit(place, around.replace("\n", " "), pattern.instead)


def hits_of(file: str) -> list[Hit]:
    """Every pattern in an English file of texts."""
    return [
        hit
        for key, unit in units(FOLDER / ENGLISH / file).items()
        for text in _parts(unit)
        for hit in hits(text, f"{file}:{key}")
        if not NOT_OURS.fullmatch(f"{file}:{key}") and file != "citations.toml"
    ]


def _parts(unit: object) -> Iterator[str]:
    if isinstance(unit, dict):
        for part in unit.values():
            yield from _parts(part)
    elif isinstance(unit, list):
        for part in unit:
            yield from _parts(part)
    elif isinstance(unit, str):
        yield unit


def main(chosen: list[str]) -> int:
    """List the hits of the chosen files, or their numbers in all files."""
    for file in chosen or files(FOLDER, ENGLISH):
        found = hits_of(file)
        print(*(found if chosen else [f"{len(found):4} {file}"]), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
