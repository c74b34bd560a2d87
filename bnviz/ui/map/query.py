"""What an address of the map's page asks for, and the address of what the page shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bnviz.config import ConfigError
from bnviz.sweeps.setting import USUAL, MapSetting, Span
from bnviz.ui.lab_query import is_ignored
from bnviz.words.phrase import error_text, one_of, phrase

COLOURS = ("outcome", "share", "accuracy", "break_step", "loss", "ratio")
# Nobody zooms deeper: float32 ends before.
MOST_ZOOMS = 12
MOST_PROBLEMS = 6
# Between the parts of what is zoomed out of, in an address.
BETWEEN = "~"

Rectangle = tuple[Span, Span]


@dataclass(frozen=True)
class MapQuery:
    """The page as its address has it.

    Attributes:
        setting: what the map shows.
        zooms: the axes of the maps that were zoomed into on the way here, the widest first.
        colour: what its cells are coloured by.
        cell: values of the cell that is looked at, across and up.
        present: large type for a hall.
        problems: a sentence for each thing that was wrong with the address.
    """

    setting: MapSetting = USUAL
    zooms: tuple[Rectangle, ...] = ()
    colour: str = COLOURS[0]
    cell: tuple[float, float] | None = None
    present: bool = False
    problems: tuple[str, ...] = field(default=(), compare=False)

    def to_query(self) -> dict[str, str]:
        """The address, without what any page's says."""
        query = self.setting.to_query()
        if self.zooms:
            spans = (span.to_text() for rectangle in self.zooms for span in rectangle)
            query["zooms"] = BETWEEN.join(spans)
        if self.colour != COLOURS[0]:
            query["colour"] = self.colour
        if self.cell is not None:
            query["cell"] = ",".join(f"{value:.9g}" for value in self.cell)
        return query | ({"present": "1"} if self.present else {})

    def zoom(self, across: tuple[float, float], up: tuple[float, float]) -> MapQuery:
        """A rectangle of it.

        Raises:
            ConfigError: there is nothing between these values.
        """
        setting = self.setting
        inner = setting.replace(across=setting.across.zoomed(*across), up=setting.up.zoomed(*up))
        if (inner.across, inner.up) == (setting.across, setting.up):
            return self
        if len(self.zooms) >= MOST_ZOOMS:
            raise ConfigError("zooms", len(self.zooms) + 1, phrase("errors.float32_ends"))
        return replace(
            self, setting=inner, zooms=(*self.zooms, (setting.across, setting.up)), cell=None
        )

    def back(self, number: int) -> MapQuery:
        """The map of a crumb: 0 is the widest."""
        across, up = self.zooms[number]
        setting = self.setting.replace(across=across, up=up)
        return replace(self, setting=setting, zooms=self.zooms[:number], cell=None)


def read_map_query(query: Mapping[str, str]) -> MapQuery:
    """Read an address; what is wrong in it is answered and left out."""
    rest = {name: text for name, text in query.items() if not is_ignored(name)}
    problems: list[str] = []
    own = {name: rest.pop(name) for name in ("zooms", "colour", "cell", "present") if name in rest}
    visit = MapQuery(setting=_read_setting(rest, problems))
    for name, text in own.items():
        try:
            visit = _READERS[name](visit, text)
        except ConfigError as error:
            problems.append(error_text(error))
    return replace(visit, problems=tuple(problems[:MOST_PROBLEMS]))


def _read_setting(given: dict[str, str], problems: list[str]) -> MapSetting:
    """The setting in an address; wrong parts are dropped one at a time."""
    given = dict(given)
    while True:
        try:
            return MapSetting.from_query(given)
        except ConfigError as error:
            problems.append(error_text(error))
            blamed = _blamed(error.field, given)
            if blamed is None or len(problems) > MOST_PROBLEMS:
                return USUAL
            del given[blamed]


def _blamed(name: str, given: Mapping[str, str]) -> str | None:
    """Which part of an address is wrong: the one of that name, or the axis that names the knob."""
    if name in given:
        return name
    for axis in ("across", "up"):
        if given.get(axis, "").partition(",")[0] == name or (name == "count" and axis in given):
            return axis
    # Parts are wrong together, such as many cells of large networks: the last one goes first.
    return next(reversed(list(given)), None)


def _read_zooms(visit: MapQuery, text: str) -> MapQuery:
    spans = [Span.from_text("zooms", part) for part in text.split(BETWEEN)[: 2 * MOST_ZOOMS]]
    knobs = visit.setting.across.knob, visit.setting.up.knob
    pairs = list(zip(spans[::2], spans[1::2], strict=False))
    if len(spans) % 2 or any((across.knob, up.knob) != knobs for across, up in pairs):
        raise ConfigError("zooms", text, phrase("errors.zooms", example=BETWEEN.join(knobs)))
    return replace(visit, zooms=tuple(pairs))


def _read_colour(visit: MapQuery, text: str) -> MapQuery:
    if text not in COLOURS:
        raise ConfigError("colour", text, one_of(COLOURS))
    return replace(visit, colour=text)


def _read_cell(visit: MapQuery, text: str) -> MapQuery:
    try:
        if not text.isascii() or "_" in text:
            raise ValueError
        x, y = map(float, text.split(","))
        visit.setting.at(x, y)
    except ConfigError:
        raise
    except (ValueError, OverflowError):
        raise ConfigError("cell", text, phrase("errors.cell")) from None
    return replace(visit, cell=(x, y))


def _read_present(visit: MapQuery, text: str) -> MapQuery:
    if text not in ("0", "1"):
        raise ConfigError("present", text, one_of(("0", "1")))
    return replace(visit, present=text == "1")


_READERS = {
    "zooms": _read_zooms, "colour": _read_colour, "cell": _read_cell, "present": _read_present,
}  # fmt: skip
