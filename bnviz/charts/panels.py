"""Parts of figures with several panels: axis names, text widths, domains and forms."""

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

# Minimum chart width in pixels for which each form is designed. With large type, a projector shows
# one chart, or two charts side by side.
NARROWEST = {"wide": MEDIUM_BELOW, "medium": COMPACT_BELOW, "compact": 340}
NARROWEST_LARGE = {"wide": MEDIUM_BELOW_LARGE, "medium": COMPACT_BELOW_LARGE, "compact": 540}
# Mean width of a letter, as a multiple of the type size, slightly larger than in most fonts.
LETTER, LETTER_BOLD = 0.56, 0.62
# Gap that a browser puts between a Han or kana letter and a letter of another script, as a multiple
# of the type size.
SCRIPT_GAP = 0.125


def narrowest(view: ChartView, form: str) -> int:
    return (NARROWEST_LARGE if view.large_type else NARROWEST)[form]


def text_width(words: str, size: float, *, bold: bool = False) -> float:
    """Estimate the width of a text in pixels; Han and kana letters are as wide as high."""
    letter = LETTER_BOLD if bold else LETTER
    wide = [east_asian_width(each) in "WF" for each in words]
    borders = sum(
        wide[place] != wide[place + 1] and words[place].isalnum() and words[place + 1].isalnum()
        for place in range(len(words) - 1)
    )
    return size * (SCRIPT_GAP * borders + sum(1.0 if each else letter for each in wide))


def widest(words: Iterable[str], size: float, *, bold: bool = False) -> float:
    """Return the width of the widest text, or 0 if there are no texts."""
    return max((text_width(each, size, bold=bold) for each in words), default=0.0)


def add_trace(figure: go.Figure, trace: BaseTraceType) -> int:
    """Add a trace and return its index, which bindings use."""
    figure.add_trace(trace)
    return len(figure.data) - 1


def add_words(figure: go.Figure, x: Sequence[Any], y: Sequence[Any], **more: Any) -> int:
    """Add a text trace, empty unless `more` has a text, and return its index."""
    same = {"text": [""] * len(x), "mode": "text", "cliponaxis": False, "hoverinfo": "skip"}
    return add_trace(figure, go.Scatter(x=x, y=y, **{**same, **more}))


def first_fitting(tries: Sequence[str], size: float, room: float, *, bold: bool = False) -> str:
    """Return the first text that fits in `room` pixels, or the last text if none fits."""
    fitting = (words for words in tries if text_width(words, size, bold=bold) <= room)
    return next(fitting, tries[-1])


def axis_name(letter: str, place: int) -> str:
    """Return the axis of the panel with index `place`: "x", "x2", "x3"."""
    return letter if place == 0 else f"{letter}{place + 1}"


def axis_key(name: str) -> str:
    """Return the layout key of an axis: "xaxis3" for "x3"."""
    return f"{name[0]}axis{name[1:]}"


def domains(count: int, gap: float) -> list[Domain]:
    """Divide the interval from 0 to 1 into equal parts with gaps between them."""
    size = (1 - gap * (count - 1)) / count
    return [(place * (size + gap), min(place * (size + gap) + size, 1)) for place in range(count)]


def flat(axis: str, **attributes: Any) -> Attributes:
    """Return layout changes of an axis with dotted keys; underscores in names become dots."""
    key = axis_key(axis)
    return {f"{key}.{name.replace('_', '.')}": value for name, value in attributes.items()}


def margins(left: int, right: int, top: int, bottom: int) -> Attributes:
    return {"margin.l": left, "margin.r": right, "margin.t": top, "margin.b": bottom}


@dataclass(frozen=True)
class Block:
    """Heights in pixels of a plot, and of the space above and below it."""

    above: int
    plot: int
    below: int


def pile(blocks: Sequence[Block], top: int, bottom: int) -> tuple[int, list[Domain]]:
    """Stack panels from the top down; return the figure's height and the panels' y domains."""
    height = sum(block.above + block.plot + block.below for block in blocks)
    inner, domains, above = height - top - bottom, list[Domain](), 0
    for block in blocks:
        high = height - bottom - above - block.above
        domains.append((max((high - block.plot) / inner, 0.0), min(high / inner, 1.0)))
        above += block.above + block.plot + block.below
    return height, domains


def patched(layout: Attributes, changes: Attributes) -> Attributes:
    for name, value in changes.items():
        *path, last = name.split(".")
        part = layout
        for key in path:
            part = part.setdefault(key, {})
        part[last] = value
    return layout


@dataclass(frozen=True)
class Arrangement:
    """Form of a figure: height, layout changes with dotted keys, and smallest readable height."""

    height: int
    layout: Attributes
    least: int | None = None

    def to_json(self, below: int | None = None) -> Attributes:
        found = {"height": self.height, "layout": self.layout, "below": below, "least": self.least}
        return {name: value for name, value in found.items() if value is not None}


def arrange(
    figure: go.Figure, view: ChartView, wide: Arrangement, compact: Arrangement,
    medium: Arrangement | None = None, *, medium_below: int | None = None,
) -> Attributes:  # fmt: skip
    """Apply the wide form to the figure; return `height` and all forms for the chart."""
    patch = {**wide.layout, "height": wide.height}
    # Set the whole layout at once, because plotly.py takes a hundred times as long to change a part
    # of it.
    figure.layout = patched(figure.layout.to_plotly_json(), patch)
    below = medium_below or (MEDIUM_BELOW_LARGE if view.large_type else MEDIUM_BELOW)
    return {
        "height": wide.height, "wide": wide.to_json(),
        "medium": medium and medium.to_json(below),
        "compact": compact.to_json(COMPACT_BELOW_LARGE if view.large_type else COMPACT_BELOW),
    }  # fmt: skip
