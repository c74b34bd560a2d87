"""Screen texts from `assets/texts/<language>/<name>.toml`.

A language is a folder beside `en` with a `language.toml`; its missing keys are taken from English.
Pages (`bnviz.ui.language`) and the command line (`bnviz.words.language_choice`) set the current
language. If no language is set, as in the log, texts are in English.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bnviz.locations import locations

# Texts of a file, or of a table in a file, by key.
Words = Mapping[str, Any]

ENGLISH = "en"
# File in the folder of a language with hashes of the English originals; `python -m bnviz texts`
# writes it.
SOURCES = "sources.json"
# Suffix of a key for the singular.
ONE = "_one"
VARIABLE = "BNVIZ_TEXTS"
CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z]{2,4})?")


def _folder(given: str | None) -> Path:
    """Return the folder that contains the languages; raise ValueError if `given` has no English."""
    if not given:
        return locations().assets / "texts"
    if not (Path(given) / ENGLISH / "language.toml").is_file():
        raise ValueError(f"`{VARIABLE}` must be a folder with en/language.toml, got {given!r}.")
    return Path(given)


FOLDER = _folder(os.environ.get(VARIABLE))

_language: ContextVar[str | None] = ContextVar("language", default=None)
_source: Callable[[], str | None] = lambda: None  # noqa: E731 (replaced by `set_language_source`)


def languages() -> Mapping[str, str]:
    """Return the native name of each language by its code, English first."""
    return _languages(FOLDER)


def current_language() -> str:
    return _language.get() or _source() or ENGLISH


@contextmanager
def in_language(code: str) -> Iterator[None]:
    """Set the current language in a `with` block; an unknown code means English."""
    token = _language.set(code)
    try:
        yield
    finally:
        _language.reset(token)


def set_language_source(source: Callable[[], str | None]) -> None:
    """Set the function that returns the language outside `in_language`, or None for English."""
    global _source
    _source = source


def texts(name: str, language: str | None = None) -> Words:
    """Return the texts of a file, such as "lessons/depth"; an unknown language means English."""
    return _texts(FOLDER, _known(language), name)


def of_each(name: str, part: str, language: str | None = None) -> dict[str, str]:
    """Return one text from each table of a file: `of_each("probes", "short")`."""
    tables = texts(name, language).items()
    return {key: str(table[part]) for key, table in tables if part in table}


def text(key: str, language: str | None = None) -> str:
    """Return the text of a key such as `live.chart.data`; an unknown language means English."""
    name, *parts = key.split(".")
    found: Any = texts(name, language)
    for part in parts:
        found = found.get(part) if isinstance(found, Mapping) else None
    if not isinstance(found, str):
        raise KeyError(f"There is no text with the key {key!r}.")
    return found


def prose(name: str, language: str | None = None) -> str:
    """Return the page `assets/texts/<language>/<name>.md`, in English if not translated."""
    return (FOLDER / prose_language(name, language) / f"{name}.md").read_text("utf-8")


def prose_language(name: str, language: str | None = None) -> str:
    """Return the language of `prose`: English if the translation is missing or outdated."""
    code, file = _known(language), f"{name}.md"
    if not (FOLDER / code / file).is_file():
        return ENGLISH
    taken = _sources(FOLDER, code).get(file, {}).get("")
    if taken is None:
        return code
    english = (FOLDER / ENGLISH / file).read_text("utf-8")
    return code if taken == fingerprint(english) else ENGLISH


def _known(code: str | None) -> str:
    code = current_language() if code is None else code
    return code if code in languages() else ENGLISH


@lru_cache(maxsize=8)
def _languages(folder: Path) -> Mapping[str, str]:
    found = {
        path.parent.name: str(_read(path)["name"])
        for path in folder.glob("*/language.toml")
        if CODE.fullmatch(path.parent.name)
    }
    rest = sorted(found.keys() - {ENGLISH}, key=lambda code: found[code].casefold())
    return MappingProxyType({code: found[code] for code in (ENGLISH, *rest) if code in found})


@lru_cache(maxsize=256)
def _texts(folder: Path, code: str, name: str) -> Words:
    english = _read(folder / ENGLISH / f"{name}.toml")
    path = folder / code / f"{name}.toml"
    if code == ENGLISH or not path.is_file():
        return MappingProxyType(english)
    taken = _sources(folder, code).get(f"{name}.toml", {})
    return MappingProxyType(_merge(english, _up_to_date(_read(path), english, taken)))


def read_sources(folder: Path, code: str) -> dict[str, dict[str, str]]:
    """Return the hashes of the English originals of a language's texts, by file and key."""
    path = folder / code / SOURCES
    found: dict[str, dict[str, str]] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return found


_sources = lru_cache(maxsize=8)(read_sources)


def fingerprint(english: object) -> str:
    """Hash an English text or a list of texts, in order to detect changes."""
    written = json.dumps(english, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(written.encode()).hexdigest()[:12]


def _up_to_date(
    own: Words, english: Words, taken: Mapping[str, str], at: str = ""
) -> dict[str, Any]:
    """Return the texts of a language without its outdated translations."""
    kept: dict[str, Any] = {}
    for name, value in own.items():
        key, source = f"{at}{name}", english.get(name)
        if isinstance(value, dict):
            inner = source if isinstance(source, dict) else {}
            kept[name] = _up_to_date(value, inner, taken, f"{key}.")
        elif source is None or taken.get(key) in (None, fingerprint(source)):
            kept[name] = value
    return kept


def _read(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)


def _merge(base: dict[str, Any], over: Words) -> dict[str, Any]:
    merged = dict(base)
    for key in base:
        # A language with other plural forms must not show the English singular.
        if key.endswith(ONE) and key not in over:
            plain = key.removesuffix(ONE)
            own = over.get(plain, over.get(f"{plain}_many"))
            merged[key] = own if isinstance(own, str) else base[key]
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(base.get(key), dict)
        merged[key] = _merge(base[key], value) if both else value
    return merged
