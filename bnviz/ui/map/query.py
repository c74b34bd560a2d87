"""Query of the map's address: reading and writing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bnviz.config import KNOBS, ConfigError
from bnviz.live.contract import MAP_COLOURS
from bnviz.sweeps.setting import OWN, USUAL, MapSetting
from bnviz.ui.query_problems import problem_text, used_text
from bnviz.ui.query_schema import (
    CONFIG,
    MOST_ZOOMS,
    QueryReader,
    Rectangle,
    map_schema,
    read_setting,
    write_query,
)
from bnviz.words.joining import sentences
from bnviz.words.phrase import phrase
from bnviz.words.texts import texts

MOST_PROBLEMS = 6


@dataclass(frozen=True)
class MapQuery:
    """Query of the map's address.

    Attributes:
        zooms: Axes of the enclosing maps, the widest first.
        cell: Values (across, up) of the chosen cell, or None.
        problems: Messages about the invalid parts of the address.
    """

    setting: MapSetting = USUAL
    zooms: tuple[Rectangle, ...] = ()
    colour: str = MAP_COLOURS[0]
    cell: tuple[float, float] | None = None
    present: bool = False
    problems: tuple[str, ...] = field(default=(), compare=False)

    def to_query(self) -> dict[str, str]:
        schema = map_schema(self.setting)
        values = {name: getattr(self, name) for name in schema}
        return self.setting.to_query() | write_query(schema, values)

    def told(self, key: str, values: dict[str, str]) -> str:
        """Message about a problem of the address, and about the value used instead."""
        sentence = problem_text((key, values), texts("lab")["notice"])
        if key != CONFIG:
            return sentence  # the sentence names the value used instead
        field, left_out = values["field"], values.get("left_out", values["field"])
        schema = map_schema(self.setting)
        if left_out not in schema:
            used = self.setting.text_of(left_out)
        else:
            value = getattr(self, left_out)
            used = schema[left_out].write(value) if isinstance(value, str) else ""
        if field != left_out:  # each value is valid, but not their combination
            used = f"{left_out} = {used}"
        return sentences((sentence, used_text(used)))

    def zoom(self, across: tuple[float, float], up: tuple[float, float]) -> MapQuery:
        """Return the query after zooming into a rectangle of the map.

        Raises:
            ConfigError: If the rectangle contains no values, or there are too many zooms.
        """
        setting = self.setting
        inner = setting.replace(across=setting.across.zoomed(*across), up=setting.up.zoomed(*up))
        if (inner.across, inner.up) == (setting.across, setting.up):
            return self
        if len(self.zooms) >= MOST_ZOOMS:
            most = phrase("errors.at_most_fields", most=MOST_ZOOMS)
            raise ConfigError("zooms", len(self.zooms) + 1, most)
        return replace(
            self, setting=inner, zooms=(*self.zooms, (setting.across, setting.up)), cell=None
        )

    def back(self, number: int) -> MapQuery:
        """Return the query of an enclosing map; number 0 is the widest map."""
        across, up = self.zooms[number]
        setting = self.setting.replace(across=across, up=up)
        return replace(self, setting=setting, zooms=self.zooms[:number], cell=None)


def read_map_query(query: Mapping[str, str]) -> MapQuery:
    """Read the query of an address, and collect the invalid parts in `problems`."""
    reader = QueryReader.of(query, map_schema())
    own = {name: reader.rest.pop(name) for name in reader.schema if name in reader.rest}
    known = (*OWN, *KNOBS, *reader.schema)
    setting = read_setting(MapSetting.from_query, reader.rest, reader.problems, known, _blamed)
    reader.rest, reader.schema = own, map_schema(setting)
    values = {name: reader.take(name) for name in reader.schema}
    found = MapQuery(setting=setting, **values)
    told = tuple(found.told(*each) for each in reader.problems[:MOST_PROBLEMS])
    return replace(found, problems=told)


def _blamed(name: str, given: Mapping[str, str]) -> str | None:
    """Return the parameter at fault (the field or its axis), or None if there are no parameters."""
    if name in given:
        return name
    for axis in ("across", "up"):
        if given.get(axis, "").partition(",")[0] == name or (name == "count" and axis in given):
            return axis
    # Each value is valid, but not their combination, such as many cells of large networks. Drop the
    # last parameter.
    return next(reversed(list(given)), None)
