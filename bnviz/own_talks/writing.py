"""A talk written as a file: what `read_talk` reads as the same talk."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from bnviz.presets import DEFAULT_PRESET
from bnviz.talks.talk import Station, StationWords, Talk, words_of


def write_talk(name: str, talk: Talk, language: str | None = None) -> str:
    """The file of a talk.

    Args:
        name: of the talk.
        talk: the talk.
        language: of its words; None: the current one.
    """
    words = words_of(name, talk, language)
    lines = [_field("title", words.title)]
    if words.about:
        lines.append(_field("about", words.about))
    for number, (station, said) in enumerate(
        zip(talk.stations, words.stations, strict=True), start=1
    ):
        lines += ["", "[[station]]", *_station(station, said, talk.last.get(number))]
    return "\n".join(lines) + "\n"


def _station(station: Station, said: StationWords, until: int | None) -> Iterator[str]:
    opens = station.change is None
    yield _field("title", said.title)
    for name in ("say", "notes"):
        if text := getattr(said, name):
            yield _field(name, text)
    if opens and station.preset != DEFAULT_PRESET:
        yield _field("preset", station.preset)
    if opens and (station.knobs or station.preset == DEFAULT_PRESET):
        yield _field("setting", station.knobs)
    if station.change:
        yield _field("change", station.change)
    if station.paused:
        yield _field("paused", True)
    if station.does == "show_break":
        yield _field("show_break", True)
    if station.after:
        yield _field("after", station.after)
    yield _field("chart", station.chart)
    if until is not None:
        yield _field("until", until)
    if said.ask:
        yield from ("", "[station.question]", *_question(station, said.ask))


def _question(station: Station, text: str) -> Iterator[str]:
    yield _field("text", text)
    if station.answers:
        yield _field("answers", list(station.answers))
    if station.ask is not None:
        yield _field("kind", station.ask)
    for name in ("network", "steps"):
        if (value := getattr(station, name)) is not None:
            yield _field(name, value)
    if station.needs:
        yield _field("needs", station.needs)


def _field(name: str, value: Any) -> str:
    return f"{name} = {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inner = ", ".join(_field(name, part) for name, part in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    # Numbers, true and false, and texts in quotes are written as in JSON.
    return json.dumps(value, ensure_ascii=False)
