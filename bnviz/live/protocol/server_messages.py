"""Messages of the server to browsers, and errors as part of them.

Those about a run are in `bnviz.live.runs.run_messages`, frames in `bnviz.live.protocol.frames`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from bnviz.live.protocol.frames import WIRE_VERSION
from bnviz.live.protocol.wire import problem_text
from bnviz.records import json_number
from bnviz.words.phrase import PhraseText, phrase_of, read_phrase

Message = dict[str, Any]

# Characters of a value that a browser sent, where an error quotes it.
MOST_CHARACTERS = 80
# Characters of an error's text.
MOST_WORDS = 500


def encode(message: Message) -> str:
    return orjson.dumps({"v": WIRE_VERSION, **message}).decode()


def notice(key: str, **values: Any) -> Message:
    """A sentence of `assets/texts/<language>/live.toml`, by its key, and its values."""
    return {"type": "notice", "key": key, "values": values}


def words_of(why: Exception | str) -> Message:
    """An error's text as part of a message: in English, and as a phrase or null."""
    found = phrase_of(why)
    text = short_value(str(why), MOST_WORDS)
    return {"message": text, "phrase": _fit_to_send(found.plain()) if found else None}


def words_of_failure(problem: Exception) -> Message:
    """An error of a worker as part of a message; the English text begins with its type."""
    return {**words_of(problem), "message": problem_text(problem)}


def _fit_to_send(plain: Message) -> Message:
    """A phrase whose values are cut to `MOST_WORDS` characters of valid Unicode."""
    values = {
        name: _fit_to_send(value) if isinstance(value, dict) else short_value(value, MOST_WORDS)
        for name, value in plain["values"].items()
    }
    return {**plain, "values": values}


def read_words(message: Mapping[str, Any]) -> str:
    """The text that `words_of` wrote into a message: a `PhraseText` if it is a phrase."""
    found = read_phrase(message.get("phrase"))
    return PhraseText(found) if found else str(message["message"])


def short_value(value: Any, most: int = MOST_CHARACTERS) -> Any:
    """A value that a browser sent, to be quoted: a number as it is, or the beginning of its text in
    valid Unicode.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return json_number(value)
    if isinstance(value, int) and abs(value) < 2**53:
        return value
    return str(value)[:most].encode("utf-8", "replace").decode()
