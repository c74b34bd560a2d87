"""Faults of translations: missing texts, outdated texts, and broken rules.

A unit is a text, or a whole list of texts, so that a translator may merge or split sentences. A
language's `sources.json` has the hash of the English text from which each unit was translated.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from bnviz.words.texts import ENGLISH, SOURCES, fingerprint, read_sources

# Patterns that must occur as often in a translation as in the English text. Words in
# `[[key|words]]` and in links are translated.
RULES: Mapping[str, re.Pattern[str]] = {
    "formula": re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$", re.DOTALL),
    "code": re.compile(r"`[^`]+`"),
    "placeholder": re.compile(r"\{[^{}]*\}"),
    "glossary mark": re.compile(r"\[\[([\w-]+)"),
    "link": re.compile(r"\]\(([^)]*)\)|(https?://[^\s)\"]+)"),
    # Digits after a Chinese or Japanese character are a number; digits after a Latin letter, as in
    # `E12`, are not.
    "number": re.compile(r"(?<![A-Za-z0-9_.])\d+(?:[.,]\d+)*"),
}
# Numbers that English spells out and a translation may write in digits. The numbers of `COUNTED`
# are always allowed, because English may have an article instead.
COUNTED = {"0", "1", "2"}
SPELLED = {
    "three": 3, "third": 3, "thirds": 3, "four": 4, "fourth": 4, "quarter": 4, "quarters": 4,
    "five": 5, "fifth": 5, "six": 6, "seven": 7, "eight": 8, "eighth": 8, "nine": 9, "ten": 10,
    "tenth": 10, "tenths": 10, "tenfold": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
    "fourteen": 14, "fifteen": 15, "sixteen": 16, "twenty": 20, "thirty": 30, "forty": 40,
    "fifty": 50, "sixty": 60, "hundred": 100, "hundredth": 100, "thousand": 1000,
}  # fmt: skip
# File that describes the language itself and is not a translation.
OF_ITSELF = "language.toml"
# Key of a plural form. The text may spell out its number, and a language may have extra forms.
FORM = re.compile(r"(.+)_(one|two|few|many|other)")
# Key of search words. Another language may have other search words, or some where English has none.
OWN_WORDS = re.compile(r".+\.also")


@dataclass(frozen=True)
class TranslationFault:
    """Fault of a translation.

    Attributes:
        kind: "missing", "older", "not taken" (not recorded), "not in English", or "rule".
        path: path of the file, beginning with the folder of the language: `ja/lab.toml`.
        told: broken rule, or "".
    """

    kind: str
    path: str
    key: str = ""
    told: str = ""

    @property
    def owed(self) -> bool:
        """Return whether the text still needs a translator; all other faults are mistakes."""
        return self.kind in ("missing", "older", "not taken")

    def __str__(self) -> str:
        """Format as `ja/lab.toml: title: older`."""
        return ": ".join(filter(None, (self.path, self.key, self.kind, self.told)))


def faults(folder: Path, code: str) -> Iterator[TranslationFault]:
    """Yield the faults of a language, which need not have a `language.toml` yet."""
    taken = read_sources(folder, code)
    for file in files(folder, ENGLISH):
        path = f"{code}/{file}"
        english, own = units(folder / ENGLISH / file), units(folder / path)
        for key, source in english.items():
            if key not in own:
                if not FORM.fullmatch(key):
                    yield TranslationFault("missing", path, key)
                continue
            known = taken.get(file, {}).get(key)
            if known is None:
                yield TranslationFault("not taken", path, key)
            elif known != fingerprint(source):
                yield TranslationFault("older", path, key)
                continue  # pages show English instead
            for told in broken_rules(source, own[key], key):
                yield TranslationFault("rule", path, key, told)
        for key in own.keys() - english.keys():
            form = FORM.fullmatch(key)
            if not OWN_WORDS.fullmatch(key) and (form is None or form[1] not in english):
                yield TranslationFault("not in English", path, key)
    for file in set(files(folder, code)) - set(files(folder, ENGLISH)):
        yield TranslationFault("not in English", f"{code}/{file}")


@lru_cache(maxsize=8)
def older(folder: Path, code: str) -> int:
    """Count the outdated units of a language. Pages show their English text instead."""
    return sum(
        known != fingerprint(english[key])
        for file, keys in read_sources(folder, code).items()
        for english in (units(folder / ENGLISH / file),)
        for key, known in keys.items() if key in english
    )  # fmt: skip


def broken_rules(english: object, own: object, key: str = "") -> Iterator[str]:
    """Yield differences between two units in placeholders, marks, links, formulas and numbers."""
    if isinstance(english, list) is not isinstance(own, list):
        yield "a list in one language only"
        return
    source, translated = _whole(english), _whole(own)
    for name, pattern in RULES.items():
        wanted, found = (Counter(_matches(pattern, text)) for text in (source, translated))
        if name == "number" and FORM.fullmatch(key):
            continue
        yield from (f"{name} {one} is missing" for one in (wanted - found).elements())
        spelled = _spelled(source) if name == "number" else set()
        more = (one for one in (found - wanted).elements() if one not in spelled)
        yield from (f"{name} {one} is not in English" for one in more)
        # Digits in formulas, code, placeholders and links are not numbers of the sentence.
        if name in ("formula", "code", "placeholder", "link"):
            source, translated = pattern.sub(" ", source), pattern.sub(" ", translated)


def _spelled(english: str) -> set[str]:
    """Return the digits of the numbers that an English text spells out."""
    words = re.findall(r"[a-z]+", english.lower())
    hundreds = {
        str(100 * SPELLED[count]) for count, unit in pairwise(words)
        if unit == "hundred" and count in SPELLED
    }  # fmt: skip
    return COUNTED | hundreds | {str(SPELLED[word]) for word in words if word in SPELLED}


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    for match in pattern.finditer(text):
        yield next((group for group in match.groups() if group), match[0])


def _whole(unit: object) -> str:
    """Return all texts of a unit, including the values of tables, one per line."""
    if isinstance(unit, dict):
        return "\n".join(_whole(part) for part in unit.values())
    return "\n".join(map(_whole, unit)) if isinstance(unit, list) else str(unit)


def take(folder: Path, code: str, chosen: Sequence[str] = ()) -> int:
    """Record that texts are translated from the current English; return the number of units.

    If no files are chosen, record all files, but leave outdated units marked as outdated. Raise
    FileNotFoundError if a chosen file is missing in either language.
    """
    known = read_sources(folder, code)
    both = [file for file in files(folder, ENGLISH) if (folder / code / file).is_file()]
    sources = {file: known[file] for file in both if file in known}
    for file in chosen or both:
        for spoken in (ENGLISH, code):
            if not (folder / spoken / file).is_file():
                raise FileNotFoundError(f"{spoken}/{file}")
        english, own = units(folder / ENGLISH / file), units(folder / code / file)
        older = {} if chosen else known.get(file, {})
        sources[file] = {
            key: older.get(key, fingerprint(english[key])) for key in english if key in own
        }
    written = json.dumps(sources, indent=1, sort_keys=True)
    (folder / code / SOURCES).write_text(written + "\n", "utf-8")
    return sum(len(sources[file]) for file in chosen or both)


def files(folder: Path, code: str) -> list[str]:
    """Return a language's text files, as sorted paths below its folder."""
    paths = (path for path in (folder / code).rglob("*") if path.suffix in (".toml", ".md"))
    names = (path.relative_to(folder / code).as_posix() for path in paths)
    return sorted(name for name in names if name != OF_ITSELF)


def units(path: Path) -> dict[str, Any]:
    """Return the units of a file by dotted key; a page of prose has the key ""."""
    if not path.is_file():
        return {}
    if path.suffix == ".md":
        return {"": path.read_text("utf-8")}
    return dict(flat(tomllib.loads(path.read_text("utf-8"))))


def flat(table: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the units of a table by dotted key."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{at}{name}.")
        else:
            yield f"{at}{name}", value
