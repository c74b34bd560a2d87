"""Writer of talk files. `read_talk` reads a written file as the same talk."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from bnviz.presets import DEFAULT_PRESET
from bnviz.talks.talk import Station, StationWords, Talk, words_of


def write_talk(name: str, talk: Talk, language: str | None = None) -> str:
    """Return a talk as the text of a file, in `language` or the current language."""
    words = words_of(name, talk, language)
    lines = [*_fields(title=words.title, about=words.about or None)]
    for number, (station, said) in enumerate(
        zip(talk.stations, words.stations, strict=True), start=1
    ):
        lines += ["", "[[station]]", *_station(station, said, talk.last.get(number))]
    return "\n".join(lines) + "\n"


def _station(station: Station, said: StationWords, until: int | None) -> Iterator[str]:
    opens = station.change is None
    usual = station.preset == DEFAULT_PRESET
    yield from _fields(
        title=said.title, say=said.say or None, notes=said.notes or None,
        preset=station.preset if opens and not usual else None,
        setting=station.knobs if opens and (station.knobs or usual) else None,
        change=station.change or None, paused=station.paused or None,
        show_break=station.does == "show_break" or None, after=station.after or None,
        chart=station.chart, until=until,
    )  # fmt: skip
    if said.ask:
        yield from ("", "[station.question]")
        yield from _fields(
            text=said.ask, answers=station.answers or None, kind=station.ask,
            network=station.network, steps=station.steps, needs=station.needs or None,
        )  # fmt: skip


def _fields(**values: Any) -> Iterator[str]:
    yield from (_field(name, value) for name, value in values.items() if value is not None)


def _field(name: str, value: Any) -> str:
    return f"{name} = {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inner = ", ".join(_field(name, part) for name, part in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    # Numbers, booleans and quoted strings are written as in JSON.
    return json.dumps(value, ensure_ascii=False)
