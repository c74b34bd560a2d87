"""Several panels in one figure: names of their axes, their places, wide and on a phone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import east_asian_width

import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType

from bnviz.charts.chart import (
    COMPACT_BELOW,
    COMPACT_BELOW_LARGE,
    MEDIUM_BELOW,
    MEDIUM_BELOW_LARGE,
    ChartView,
)
from bnviz.charts.theme import Attributes

Domain = tuple[float, float]

# The narrowest place in pixels that each form is made for; the large ones are two side by side on a
# projector, or one alone.
NARROWEST = {"wide": MEDIUM_BELOW, "medium": COMPACT_BELOW, "compact": 340}
NARROWEST_LARGE = {"wide": MEDIUM_BELOW_LARGE, "medium": COMPACT_BELOW_LARGE, "compact": 540}
# Mean width of a letter in its size; a little more than most fonts have.
LETTER, LETTER_BOLD = 0.56, 0.62
# What a browser puts between a letter of Han or kana and one of another script, in its size.
SCRIPT_GAP = 0.125


def narrowest(view: ChartView, form: str) -> int:
    """The narrowest figure in pixels that a form is made for."""
    return (NARROWEST_LARGE if view.large else NARROWEST)[form]


def text_width(words: str, size: float, *, bold: bool = False) -> float:
    """About how many pixels wide words are.

    Letters of Han and kana are as wide as high, and stand a little apart from others and digits.
    """
    letter = LETTER_BOLD if bold else LETTER
    wide = [east_asian_width(each) in "WF" for each in words]
    borders = sum(
        wide[place] != wide[place + 1] and words[place].isalnum() and words[place + 1].isalnum()
        for place in range(len(words) - 1)
    )
    return size * (SCRIPT_GAP * borders + sum(1.0 if each else letter for each in wide))


def widest(words: Iterable[str], size: float, *, bold: bool = False) -> float:
    """The width of the widest; 0 without any."""
    return max((text_width(each, size, bold=bold) for each in words), default=0.0)


def add_trace(figure: go.Figure, trace: BaseTraceType) -> int:
    """Add a trace; returns its number, by which bindings name it."""
    figure.add_trace(trace)
    return len(figure.data) - 1


def add_words(figure: go.Figure, x: Sequence[Any], y: Sequence[Any], **more: Any) -> int:
    """Add a trace of words, empty unless `more` has a text; the number of the trace."""
    same = {"text": [""] * len(x), "mode": "text", "cliponaxis": False, "hoverinfo": "skip"}
    return add_trace(figure, go.Scatter(x=x, y=y, **{**same, **more}))


def first_fitting(tries: Sequence[str], size: float, room: float, *, bold: bool = False) -> str:
    """The first of some words that fits in a number of pixels, else the last."""
    fitting = (words for words in tries if text_width(words, size, bold=bold) <= room)
    return next(fitting, tries[-1])


def axis_name(letter: str, place: int) -> str:
    """The axis of the panel at a place from 0: "x", "x2", "x3"."""
    return letter if place == 0 else f"{letter}{place + 1}"


def axis_key(name: str) -> str:
    """What the layout calls an axis: "x3" is "xaxis3"."""
    return f"{name[0]}axis{name[1:]}"


def domains(count: int, gap: float) -> list[Domain]:
    """Equal parts of 0…1 with gaps between them, in order."""
    size = (1 - gap * (count - 1)) / count
    return [(place * (size + gap), min(place * (size + gap) + size, 1)) for place in range(count)]


def flat(axis: str, **attributes: Any) -> Attributes:
    """Flat layout changes of an axis ("x2"): what Plotly writes with an underscore, with a dot."""
    key = axis_key(axis)
    return {f"{key}.{name.replace('_', '.')}": value for name, value in attributes.items()}


def margins(left: int, right: int, top: int, bottom: int) -> Attributes:
    """Flat layout changes that set the margins of a figure in pixels."""
    return {"margin.l": left, "margin.r": right, "margin.t": top, "margin.b": bottom}


@dataclass(frozen=True)
class Block:
    """Pixels of a panel, and of what stands above it and below it."""

    above: int
    plot: int
    below: int


def pile(blocks: Sequence[Block], top: int, bottom: int) -> tuple[int, list[Domain]]:
    """Panels one above the other.

    Args:
        blocks: the topmost first.
        top, bottom: margins of the figure.

    Returns:
        The figure's height, and the y domain of each panel.
    """
    height = sum(block.above + block.plot + block.below for block in blocks)
    inner, domains, above = height - top - bottom, list[Domain](), 0
    for block in blocks:
        high = height - bottom - above - block.above
        domains.append((max((high - block.plot) / inner, 0.0), min(high / inner, 1.0)))
        above += block.above + block.plot + block.below
    return height, domains


def _patched(layout: Attributes, changes: Attributes) -> Attributes:
    """A layout with flat changes ("xaxis.domain") made in it."""
    for name, value in changes.items():
        *path, last = name.split(".")
        part = layout
        for key in path:
            part = part.setdefault(key, {})
        part[last] = value
    return layout


@dataclass(frozen=True)
class Arrangement:
    """One form of a figure: its height, flat layout changes, and the least height to be read at."""

    height: int
    layout: Attributes
    least: int | None = None

    def to_json(self, below: int | None = None) -> Attributes:
        """The form for the browser; `below`: the width under which it is taken."""
        found = {"height": self.height, "layout": self.layout, "below": below, "least": self.least}
        return {name: value for name, value in found.items() if value is not None}


def arrange(
    figure: go.Figure, view: ChartView, wide: Arrangement, compact: Arrangement,
    medium: Arrangement | None = None, *, medium_below: int | None = None,
) -> Attributes:  # fmt: skip
    """Put the figure into its wide arrangement.

    Args:
        medium_below: the width in pixels below which the medium form is taken, if not the usual.

    Returns:
        `height`, `wide`, `medium` and `compact` of the chart.
    """
    patch = {**wide.layout, "height": wide.height}
    # Set once and whole: plotly.py takes a hundred times as long to change a part of a layout.
    figure.layout = _patched(figure.layout.to_plotly_json(), patch)
    below = medium_below or (MEDIUM_BELOW_LARGE if view.large else MEDIUM_BELOW)
    return {
        "height": wide.height, "wide": wide.to_json(),
        "medium": medium and medium.to_json(below),
        "compact": compact.to_json(COMPACT_BELOW_LARGE if view.large else COMPACT_BELOW),
    }  # fmt: skip
