"""What the hub says to a browser besides frames. Of a run: `bnviz.live.runs.run_messages`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from bnviz.knobs import must_be
from bnviz.live.protocol.frames import WIRE_VERSION, number
from bnviz.words.phrase import Phrase, PhraseText, english, phrase_of, read_phrase
from bnviz.words.texts import ENGLISH

Message = dict[str, Any]

# Of what a browser sent, so much is said back to it.
MOST_CHARACTERS = 80
# Of what is said of it, so many.
MOST_WORDS = 500


def encode(message: Message) -> str:
    """A message as it travels."""
    return orjson.dumps({"v": WIRE_VERSION, **message}).decode()


def knob_set(n: int, knob: str, value: Any, step: int) -> Message:
    """A value took effect."""
    return {"type": "knob", "n": n, "knob": knob, "value": value, "step": step}


def notice(key: str, **values: Any) -> Message:
    """A sentence of `assets/texts/<language>/live.toml` and its values."""
    return {"type": "notice", "key": key, "values": values}


def error(field: str, value: Any, allowed: Phrase | str) -> Message:
    """What was wrong with something a browser sent."""
    shown = short_value(value)
    why = must_be(field, repr(shown), allowed)
    facts = {"type": "error", "field": field, "value": shown, "allowed": english(allowed)}
    return {**facts, "message": why.text(ENGLISH), "phrase": why.plain()}


def words_of(why: Exception | str) -> Message:
    """The part of a message that a person will read: in English, and as a phrase if it is one."""
    found = phrase_of(why)
    text = short_value(str(why), MOST_WORDS)
    return {"message": text, "phrase": _fit_to_send(found.plain()) if found else None}


def _fit_to_send(plain: Message) -> Message:
    """A phrase whose values are short and valid Unicode, whatever a browser had sent."""
    values = {
        name: _fit_to_send(value) if isinstance(value, dict) else short_value(value, MOST_WORDS)
        for name, value in plain["values"].items()
    }
    return {**plain, "values": values}


def read_words(message: Mapping[str, Any]) -> str:
    """What `words_of` made, as a text that knows its phrase if it is one."""
    found = read_phrase(message.get("phrase"))
    return PhraseText(found) if found else str(message["message"])


def short_value(value: Any, most: int = MOST_CHARACTERS) -> Any:
    """What was sent, as far as it can be shown: numbers as they are, anything else as a bit of
    text that is valid Unicode.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return number(value)
    if isinstance(value, int) and abs(value) < 2**53:
        return value
    return str(value)[:most].encode("utf-8", "replace").decode()
