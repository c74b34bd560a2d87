"""Which talk an address names, and at which of its stations it is."""

from __future__ import annotations

from bnviz.knobs import to_text
from bnviz.talks import TALKS, Station

Problem = tuple[str, dict[str, str]]
LONGEST = 60


def read_talk(rest: dict[str, str], problems: list[Problem]) -> tuple[str | None, int]:
    """Take the talk out of what an address says; what is wrong becomes a problem.

    Args:
        rest: names and values that nobody has read yet.
        problems: a sentence for each thing that was wrong: (key of `notice`, values).

    Returns:
        The talk, or None, and the number of the station, from 1.
    """
    name, number = rest.pop("talk", None), rest.pop("station", None)
    if name is None:
        if number is not None:
            problems.append(("station_alone", {}))
        return None, 1
    if name not in TALKS:
        problems.append(("talk", {"value": repr(name[:LONGEST]), "allowed": ", ".join(TALKS)}))
        return None, 1
    count = len(TALKS[name])
    if number is None or number in map(str, range(1, count + 1)):
        return name, int(number or 1)
    problems.append(("station", {"value": repr(number[:LONGEST]), "most": str(count)}))
    return name, 1


def station_of(talk: str, number: int) -> Station:
    """The station whose run an address opens that names no more than a talk and a station."""
    return TALKS[talk].stations[TALKS[talk].opener(number) - 1]


def station_knobs(station: Station) -> dict[str, str]:
    """The knobs of a station's run, over those of its preset."""
    return {name: to_text(value) for name, value in station.knobs.items()}
