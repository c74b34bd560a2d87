"""Pseudo-language made from English: letters get accents, and words become a third longer.

If a page shows plain English, the plain text does not come from the text files. A text that no
longer fits in the pseudo-language would not fit in German either.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

from bnviz.words.texts import FOLDER

CODE, NAME = "qps", "Ɋþş"
# Separators that no real language uses, by purpose.
JOINS = {
    "sentences": "\u2003",
    "list": "⸲ ",
    "labelled": "{label}⁝ {content}",
    "stated": "{label}⁝ {state}¶",
    "percent": "{number}﹪",
}
PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
ACCENTED = "åƀçðéƒĝĥîĵķļɱñöþɋŕšţûṽŵẋýžÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞɊŔŠŢÛṼŴẊÝŽ"
LETTERS = str.maketrans(PLAIN, ACCENTED)
# Parts of a text that are not translated, because they contain no words: placeholders, term keys,
# code, formulas, addresses, HTML.
KEPT = re.compile(
    r"\{[^{}]*\}|\[\[[\w-]+(?=\||\]\])|`[^`]*`|\$\$.*?\$\$|\$[^$\n]+\$|\]\([^)]*\)|</?[a-z][^<>]*>"
    r"|&\w+;|https?://\S+",
    re.DOTALL,
)
WORD = re.compile(r"[^\W\d_]+")


def accented(text: str) -> str:
    """Translate a text into the pseudo-language, except the parts in `KEPT`."""
    parts, end = [], 0
    for kept in KEPT.finditer(text):
        parts += [_widened(text[end : kept.start()]), kept[0]]
        end = kept.end()
    return "".join([*parts, _widened(text[end:])])


def _widened(text: str) -> str:
    return WORD.sub(lambda word: _longer(word[0]).translate(LETTERS), text)


def _longer(word: str) -> str:
    if len(word) < 3 or not word.isascii():
        return word
    more = math.ceil(len(word) / 3)
    return word + word[-more:].lower()


def spoken(value: Any) -> Any:
    """Translate all texts of a nested table into the pseudo-language."""
    if isinstance(value, str):
        return accented(value)
    if isinstance(value, dict):
        return {key: spoken(part) for key, part in value.items()}
    return [spoken(part) for part in value] if isinstance(value, list) else value


def write_language(folder: Path, source: Path = FOLDER) -> None:
    """Write a folder with the texts in English and in the pseudo-language."""
    shutil.copytree(source / "en", folder / "en")
    for path in sorted((source / "en").rglob("*")):
        target = folder / CODE / path.relative_to(source / "en")
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".toml":
            target.write_text(_toml(spoken(tomllib.loads(path.read_text("utf-8")))), "utf-8")
        elif path.suffix == ".md":
            target.write_text(accented(path.read_text("utf-8")), "utf-8")
    own = {"name": NAME, "plural": "en", "font": "", "join": JOINS}
    (folder / CODE / "language.toml").write_text(_toml(own), "utf-8")


def _toml(table: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(key)} = {_value(value)}\n" for key, value in table.items())


def _value(value: Any) -> str:
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)} = {_value(part)}" for key, part in value.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)
