"""What is wrong with the texts of a language: missing, older than their English, or against a rule.

A unit is a text, or a list of texts as a whole, so that a translator may merge or split sentences.
In `sources.json` of the language stands the hash of the English that each unit was translated from.
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

# What a translation has as often as its English. Words in `[[key|words]]` are translated, and so is
# the text of a link.
RULES: Mapping[str, re.Pattern[str]] = {
    "formula": re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$", re.DOTALL),
    "code": re.compile(r"`[^`]+`"),
    "placeholder": re.compile(r"\{[^{}]*\}"),
    "glossary mark": re.compile(r"\[\[([\w-]+)"),
    "link": re.compile(r"\]\(([^)]*)\)|(https?://[^\s)\"]+)"),
    # Next to a letter of Han or kana a number is one; in `E12` or `2.5x` it is not.
    "number": re.compile(r"(?<![A-Za-z0-9_.])\d+(?:[.,]\d+)*"),
}
# Numbers that English spells out; a translation may write their digits. It may count a thing or
# two where English has an article.
COUNTED = {"0", "1", "2"}
SPELLED = {
    "three": 3, "third": 3, "thirds": 3, "four": 4, "fourth": 4, "quarter": 4, "quarters": 4,
    "five": 5, "fifth": 5, "six": 6, "seven": 7, "eight": 8, "eighth": 8, "nine": 9, "ten": 10,
    "tenth": 10, "tenths": 10, "tenfold": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
    "fourteen": 14, "fifteen": 15, "sixteen": 16, "twenty": 20, "thirty": 30, "forty": 40,
    "fifty": 50, "sixty": 60, "hundred": 100, "hundredth": 100, "thousand": 1000,
}  # fmt: skip
# What each language says of itself, and no translation of anything.
OF_ITSELF = "language.toml"
# A form of a plain key for some numbers: its number may be a word, and one more form is no fault.
FORM = re.compile(r"(.+)_(one|two|few|many|other)")
# Words under which a reader looks something up: another language may have some where English has
# none, and other ones.
OWN_WORDS = re.compile(r".+\.also")


@dataclass(frozen=True)
class Fault:
    """One thing to mend.

    Attributes:
        kind: "missing", "older", "not taken", "not in English", or "rule".
        path: of the file, with the language's folder: `ja/lab.toml`.
        key: of the unit in it; "" for a page of prose.
        told: what breaks a rule, or "".
    """

    kind: str
    path: str
    key: str = ""
    told: str = ""

    @property
    def owed(self) -> bool:
        """Whether a translator has to mend it; anything else is a mistake."""
        return self.kind in ("missing", "older", "not taken")

    def __str__(self) -> str:
        """`ja/lab.toml: title: older`."""
        return ": ".join(filter(None, (self.path, self.key, self.kind, self.told)))


def faults(folder: Path, code: str) -> Iterator[Fault]:
    """What is to be mended in a language's texts, file by file.

    Args:
        folder: of the languages.
        code: of the language; its folder need not have a `language.toml`.
    """
    taken = read_sources(folder, code)
    for file in files(folder, ENGLISH):
        path = f"{code}/{file}"
        english, own = units(folder / ENGLISH / file), units(folder / path)
        for key, source in english.items():
            if key not in own:
                if not FORM.fullmatch(key):
                    yield Fault("missing", path, key)
                continue
            known = taken.get(file, {}).get(key)
            if known is None:
                yield Fault("not taken", path, key)
            elif known != fingerprint(source):
                yield Fault("older", path, key)
                continue  # pages show the English
            for told in broken_rules(source, own[key], key):
                yield Fault("rule", path, key, told)
        for key in own.keys() - english.keys():
            form = FORM.fullmatch(key)
            if not OWN_WORDS.fullmatch(key) and (form is None or form[1] not in english):
                yield Fault("not in English", path, key)
    for file in set(files(folder, code)) - set(files(folder, ENGLISH)):
        yield Fault("not in English", f"{code}/{file}")


@lru_cache(maxsize=8)
def older(folder: Path, code: str) -> int:
    """How many units of a language are older than their English: pages show the English."""
    return sum(
        known != fingerprint(english[key])
        for file, keys in read_sources(folder, code).items()
        for english in (units(folder / ENGLISH / file),)
        for key, known in keys.items() if key in english
    )  # fmt: skip


def broken_rules(english: object, own: object, key: str = "") -> Iterator[str]:
    """What of placeholders, marks, links, formulas and numbers differs between two units."""
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
        # Digits within a formula or a placeholder are no numbers of the sentence.
        if name in ("formula", "code", "placeholder", "link"):
            source, translated = pattern.sub(" ", source), pattern.sub(" ", translated)


def _spelled(english: str) -> set[str]:
    """The digits of the numbers that an English text spells out."""
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
    """All texts of a unit, one after another; of tables in a list their values."""
    if isinstance(unit, dict):
        return "\n".join(_whole(part) for part in unit.values())
    return "\n".join(map(_whole, unit)) if isinstance(unit, list) else str(unit)


def take(folder: Path, code: str, chosen: Sequence[str] = ()) -> int:
    """Note that texts are translations of the English of now; returns how many are.

    Args:
        folder: of the languages.
        code: of the language.
        chosen: files; none: all of them, without the texts whose English has changed since.

    Raises:
        FileNotFoundError: there is no such file in one of both languages.
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
    """A language's files of texts, by path under its folder."""
    paths = (path for path in (folder / code).rglob("*") if path.suffix in (".toml", ".md"))
    names = (path.relative_to(folder / code).as_posix() for path in paths)
    return sorted(name for name in names if name != OF_ITSELF)


def units(path: Path) -> dict[str, Any]:
    """The units of a file by dotted key; a page of prose is one, of the key ""; none: no file."""
    if not path.is_file():
        return {}
    if path.suffix == ".md":
        return {"": path.read_text("utf-8")}
    return dict(flat(tomllib.loads(path.read_text("utf-8"))))


def flat(table: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Any]]:
    """The units of a table of texts, by dotted key."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{at}{name}.")
        else:
            yield f"{at}{name}", value
