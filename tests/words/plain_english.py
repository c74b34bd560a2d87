"""Find patterns in English texts that are hard to read, and terms with a better alternative.

`python -m tests.words.plain_english FILE ...` lists them with the better wording. Without a file,
it prints their number in each file. Texts without these patterns may still be hard to read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bnviz.words.texts import ENGLISH, FOLDER
from bnviz.words.translations import files, units

# Parts that are not prose: placeholders, code, formulas, addresses, glossary keys.
NOT_PROSE = re.compile(
    r"\{(?![^{}]*(?:percent|%))[^{}]*\}|`[^`]*`|\$[^$\n]+\$|\]\([^)]*\)|\[\[[\w-]+\|?|https?://\S+"
)
# Texts that are not checked: quotations, and words for a search.
NOT_OURS = re.compile(r"citations\.toml:.*|language\.toml|.*:(.+\.)?(also|sources?|quote)(\..*)?")
STARTS = r"(?:^|(?<=[.?:;] )|(?<=\n))"
SHARE = r"(?:\d[\d.,–-]*\s?%|\{[^{}]*percent[^{}]*\})"
PEOPLE_ONLY = "told|asked|heard|thought|believed"
THINGS = "layer|step|network|second|unit|image|mini-batch|run|visitor|page|minute|chart|seed"
COUNTED = "one|two|three|four|times|factor|once|twice|lines?|values?|images?|frames?|steps?"
PLACES = (
    "in|on|at|under|over|beside|behind|below|above|next|there|here|between|within|near|outside"
    "|inside|beyond"
)
# For each better wording, regular expressions of the patterns that it replaces.
PATTERNS: Mapping[str, tuple[str, ...]] = {
    "start with the subject": (
        rf"{STARTS}(?:Of|Under) ",
        rf"{STARTS}By (?!step|default|then|how much|hand\b)",
        rf"{STARTS}From (?!step|the left|left|\d|\{{|top)",
    ),
    "a noun instead of the clause": (
        rf"{STARTS}What (?=[^?]*(?:[.:;]|$))(?=.{{30}})",
        r"\b(?:of|from|to|by|in|on) what\b(?![^.]*\?)",
        r"\b[Ww]hat (?:each|every|a|the|its|one) \w+ (?:receives?|gets?|sends?|gives?|holds?)\b",
    ),
    "repeat the noun": (
        r"\b(?:that|those) (?:of|with|without|from)\b",
        r"\b[Tt]he (?:stored|other|former|latter|first|second|last|new|old) ones?\b",
    ),
    "negate the verb, say what it is": (
        r"\b(?:is|are|was|were) no\b(?! longer| more than)",
        r"\b(?:is|are|was|were) nothing (?:but|else)\b",
        r"\b(?:whatever|whichever) (?:one )?(?:is|does|was)\b",
    ),
    "name the quantity": (
        rf"\b(?:has|have|had|comes? to|came to) (?:\w+ ){{0,2}}{SHARE}",
        rf"\b(?:is|are|was|were) at (?!least|most)(?:\w+ ){{0,2}}{SHARE}",
    ),
    "per": (rf"(?:\d|\}}|×|\b(?:{COUNTED})) an? (?:{THINGS})\b",),
    "minus, except for, so that": (
        r"\bless (?:plain|BN|(?:the )?(?:test|mean))\b",
        r"\b(?:but|save) for\b|\blest\b",
    ),
    "say who does it": (rf"\b(?:is|are|was|were) (?:{PEOPLE_ONLY}) ",),
    "is": (rf"\b(?:stands?|standing|stood|lies|lie|lay|lying) (?:{PLACES})\b",),
    "continues": (r"\b(?:goes|go|went|gone|going) on\b",),
    "an opening participle describes the subject": (
        rf"{STARTS}(?:Given|Forgotten|Taken|Told|Left|Put|Seen|Asked|Measured|Drawn)\b[^.,]*, ",
    ),
    "again, recomputed": (r"\banew\b",),
    "running averages": (
        r"\b(?:stored|remembered|kept) (?:means?|variances?|averages?|statistics|ones)\b",
    ),
    "at inference": (r"(?<!are )\bin use\b",),
    "standard deviation": (r"\bspreads?\b",),
    "broke, recovered": (r"\bstay(?:s|ed)? down\b|\b(?:gets?|got) over\b",),
    "at chance level": (r"\bat chance\b(?! level)",),
    "without BN, with BN": (r"\bthe (?:orange|blue|green) (?:network|line|one)\b",),
    "presentation view": (r"\bthe stage\b",),
}  # fmt: skip
FOUND = {instead: re.compile("|".join(each)) for instead, each in PATTERNS.items()}


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
    for instead, found in FOUND.items():
        for match in found.finditer(prose):
            around = prose[max(0, match.start() - 20) : match.end() + 30]
            yield Hit(place, around.replace("\n", " "), instead)


def hits_of(file: str) -> list[Hit]:
    """Return every hit of a pattern in an English file of texts."""
    return [
        hit
        for key, unit in units(FOLDER / ENGLISH / file).items()
        for text in parts(unit)
        for hit in hits(text, f"{file}:{key}")
        if not NOT_OURS.fullmatch(f"{file}:{key}")
    ]


def parts(unit: object) -> Iterator[str]:
    """Yield every text in a unit of a file."""
    if isinstance(unit, dict):
        for part in unit.values():
            yield from parts(part)
    elif isinstance(unit, list):
        for part in unit:
            yield from parts(part)
    elif isinstance(unit, str):
        yield unit


def main(chosen: list[str]) -> int:
    """Print the hits in the chosen files, or the number of hits in each file."""
    known = files(FOLDER, ENGLISH)
    if unknown := [file for file in chosen if file not in known]:
        raise SystemExit(f"{unknown}: must be names such as {known[0]} or lessons/depth.toml")
    for file in chosen or known:
        found = hits_of(file)
        print(*(found if chosen else [f"{len(found):4} {file}"]), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
