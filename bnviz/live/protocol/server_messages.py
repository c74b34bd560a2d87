"""Messages of the server to browsers, except frames and messages about a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from bnviz.live.protocol.frames import WIRE_VERSION
from bnviz.live.protocol.wire import problem_text
from bnviz.records import json_number
from bnviz.words.phrase import PhraseText, phrase_of, read_phrase

Message = dict[str, Any]

# Maximum number of characters that an error quotes from a browser's value.
MOST_CHARACTERS = 80
# Maximum number of characters of an error's text.
MOST_WORDS = 500


def encode(message: Message) -> str:
    return orjson.dumps({"v": WIRE_VERSION, **message}).decode()


def notice(key: str, **values: Any) -> Message:
    """Return a notice: a text key of `assets/texts/<language>/live.toml`, and its values."""
    return {"type": "notice", "key": key, "values": values}


def words_of(why: Exception | str) -> Message:
    """Return an error's text for a message: in English, and as a phrase if it has one."""
    found = phrase_of(why)
    text = short_value(str(why), MOST_WORDS)
    return {"message": text, "phrase": _fit_to_send(found.plain()) if found else None}


def words_of_failure(problem: Exception) -> Message:
    """Return a worker's error for a message. The English text begins with the exception type."""
    return {**words_of(problem), "message": problem_text(problem)}


def _fit_to_send(plain: Message) -> Message:
    """Cut the values of a phrase to `MOST_WORDS` characters of valid Unicode."""
    values = {
        name: _fit_to_send(value) if isinstance(value, dict) else short_value(value, MOST_WORDS)
        for name, value in plain["values"].items()
    }
    return {**plain, "values": values}


def read_words(message: Mapping[str, Any]) -> str:
    """Return the text written by `words_of`, as a `PhraseText` if it has a phrase."""
    found = read_phrase(message.get("phrase"))
    return PhraseText(found) if found else str(message["message"])


def short_value(value: Any, most: int = MOST_CHARACTERS) -> Any:
    """Shorten a browser's value for quoting: keep a number, cut a text to valid Unicode."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return json_number(value)
    if isinstance(value, int) and abs(value) < 2**53:
        return value
    return str(value)[:most].encode("utf-8", "replace").decode()
