"""The query of the map's address: what the page shows, read from it and written into it."""

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
    """The query of the map's address.

    Attributes:
        setting: of the map.
        zooms: the axes of the maps that were zoomed into, the widest first.
        colour: the measure that colours its cells, one of `MAP_COLOURS`.
        cell: values of the chosen cell, across and up, or None.
        present: large type for a hall.
        problems: a sentence for each thing that was wrong in the address.
    """

    setting: MapSetting = USUAL
    zooms: tuple[Rectangle, ...] = ()
    colour: str = MAP_COLOURS[0]
    cell: tuple[float, float] | None = None
    present: bool = False
    problems: tuple[str, ...] = field(default=(), compare=False)

    def to_query(self) -> dict[str, str]:
        """The clean query, without the parameters of every page."""
        schema = map_schema(self.setting)
        values = {name: getattr(self, name) for name in schema}
        return self.setting.to_query() | write_query(schema, values)

    def told(self, key: str, values: dict[str, str]) -> str:
        """The sentence on something that was wrong in the address, and on what is used instead."""
        sentence = problem_text((key, values), texts("lab")["notice"])
        if key != CONFIG:
            return sentence  # which says it
        field, left_out = values["field"], values.get("left_out", values["field"])
        schema = map_schema(self.setting)
        if left_out not in schema:
            used = self.setting.text_of(left_out)
        else:
            value = getattr(self, left_out)
            used = schema[left_out].write(value) if isinstance(value, str) else ""
        if field != left_out:  # not this alone is wrong, but both together
            used = f"{left_out} = {used}"
        return sentences((sentence, used_text(used)))

    def zoom(self, across: tuple[float, float], up: tuple[float, float]) -> MapQuery:
        """The query of a rectangle of the map.

        Raises:
            ConfigError: there are no values between these, or it would be one zoom too many.
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
        """The query of a map that was zoomed into: 0 is the widest."""
        across, up = self.zooms[number]
        setting = self.setting.replace(across=across, up=up)
        return replace(self, setting=setting, zooms=self.zooms[:number], cell=None)


def read_map_query(query: Mapping[str, str]) -> MapQuery:
    """Read the query of an address; what is wrong in it becomes `problems`."""
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
    """The parameter that is to blame for an error: that of its name, or the axis of that knob.

    None where the address has no parameter.
    """
    if name in given:
        return name
    for axis in ("across", "up"):
        if given.get(axis, "").partition(",")[0] == name or (name == "count" and axis in given):
            return axis
    # They are wrong together, such as many cells of large networks: the last one is dropped first.
    return next(reversed(list(given)), None)
