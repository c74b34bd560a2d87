"""The words on screen, from `assets/texts/<language>/<name>.toml`.

Another language is a folder beside `en`; what it lacks is taken from English, key by key.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "texts"


def texts(language: str = "en", name: str = "charts") -> Mapping[str, Any]:
    """The words of one file; an unknown language reads as English.

    Raises:
        FileNotFoundError: there is no English file of that name.
    """
    known = re.fullmatch(r"[a-z]{2,3}(-[A-Za-z]{2,4})?", language)
    return _texts(language if known and (FOLDER / language).is_dir() else "en", name)


@lru_cache(maxsize=64)
def _texts(language: str, name: str) -> Mapping[str, Any]:
    english = _read(FOLDER / "en" / f"{name}.toml")
    path = FOLDER / language / f"{name}.toml"
    if language == "en" or not path.is_file():
        return MappingProxyType(english)
    return MappingProxyType(_merge(english, _read(path)))


def _read(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)


def _merge(base: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(base.get(key), dict)
        merged[key] = _merge(base[key], value) if both else value
    return merged


def prose(name: str, language: str = "en") -> str:
    """A page of prose, `assets/texts/<language>/<name>.md`, in English where there is no other."""
    path = FOLDER / language / f"{name}.md"
    return (path if path.is_file() else FOLDER / "en" / f"{name}.md").read_text("utf-8")
