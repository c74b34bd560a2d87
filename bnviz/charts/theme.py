"""Colours, second cues, type and paper of every chart, light and dark.

Colour is the network and nothing else; each network also has a dash and a marker of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bnviz.norms.colour_places import colour_places
from bnviz.words.texts import texts

# Attributes of a Plotly figure, axis, trace or shape, by name.
Attributes = dict[str, Any]

LETTERS = '"Source Sans", "Source Sans Pro", system-ui, -apple-system, "Segoe UI", sans-serif'


def font_family() -> str:
    """The family of a chart's letters: the app's own first, then those of the language."""
    own, letters, system = texts("language")["font"], *LETTERS.split(", ", 1)
    return f"{letters}, {own}, {system}" if own else LETTERS


@dataclass(frozen=True)
class NetworkStyle:
    """How one network is drawn, everywhere.

    Attributes:
        line: colour of lines and markers.
        text: colour of words, readable on the theme's paper.
        dash, symbol: the second cue beside colour.
    """

    line: str
    text: str
    dash: str
    symbol: str

    def stroke(self, width: float) -> Attributes:
        """A line of so many pixels."""
        return {"color": self.line, "width": width, "dash": self.dash}

    def marker(self, size: float, **more: object) -> Attributes:
        """A marker of so many pixels."""
        return {"color": self.line, "size": size, "symbol": self.symbol, **more}

    def bar(self) -> Attributes:
        """A bar, pale with a full outline."""
        return {"color": self.alpha(0.5), "line": {"color": self.line, "width": 1.5}}

    def alpha(self, opacity: float) -> str:
        """The line colour, partly transparent."""
        red, green, blue = (int(self.line[i : i + 2], 16) for i in (1, 3, 5))
        return f"rgba({red},{green},{blue},{opacity:g})"


_LINES = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#8A7A00", "#6A4FB3")
_TEXT_LIGHT = ("#B34700", "#0072B2", "#007A5A", "#9C4F7A", "#6B5F00", "#5B41A3")
_DARK = ("#FF8A3D", "#56B4E9", "#2FC79A", "#E79BC2", "#D9C64A", "#B39DFF")
_CUES = (
    ("dash", "diamond"), ("solid", "circle"), ("dot", "square"), ("dashdot", "cross"),
    ("longdash", "triangle-up"), ("longdashdot", "star"),
)  # fmt: skip


@dataclass(frozen=True)
class Theme:
    """Everything but the networks' colours."""

    dark: bool
    ink: str
    muted: str
    grid: str
    zone: str
    dead: str
    cursor: str

    def networks(self, norms: Sequence[str]) -> dict[str, NetworkStyle]:
        """The style of each network: the plain one and BN have their own, which no other takes."""
        styles = {}
        for norm, place in colour_places(norms).items():
            line = _DARK[place] if self.dark else _LINES[place]
            text = _DARK[place] if self.dark else _TEXT_LIGHT[place]
            styles[norm] = NetworkStyle(line, text, *_CUES[place])
        return styles


LIGHT = Theme(
    dark=False, ink="#1B1F24", muted="#57606A", grid="#E9ECEF", zone="rgba(27,31,36,0.065)",
    dead="#A3A9B0", cursor="#1B1F24",
)  # fmt: skip
DARK = Theme(
    dark=True, ink="#E6E9EE", muted="#A3ABB5", grid="rgba(255,255,255,0.10)",
    zone="rgba(255,255,255,0.085)", dead="#6C747E", cursor="#E6E9EE",
)  # fmt: skip


# What pictures of charts are drawn on: in a page the paper is the page's (assets/kit.css).
PAPER = {False: "#FFFFFF", True: "#171B22"}


def theme(dark: bool) -> Theme:
    """The theme of the page."""
    return DARK if dark else LIGHT


def paper_colours(norms: Sequence[str]) -> dict[str, str]:
    """By colour of the dark theme, or by the beginning of one that is partly transparent, the same
    one of the light theme, for what is printed.
    """
    found = {
        getattr(DARK, name): getattr(LIGHT, name)
        for name in ("ink", "muted", "grid", "zone", "dead", "cursor")
    }
    light = LIGHT.networks(norms)
    for norm, style in DARK.networks(norms).items():
        found[style.line] = light[norm].line
        found[style.alpha(1).removesuffix("1)")] = light[norm].alpha(1).removesuffix("1)")
    return found


@dataclass(frozen=True)
class Type:
    """Sizes of type in pixels."""

    base: int
    small: int
    heading: int


# On a projector: the smallest type in pixels, by the window's least width.
HALL = {0: 20, 1600: 24}


def type_sizes(*, large: int) -> Type:
    """Sizes of type; `large`, if not 0, is the smallest that a hall can read."""
    return Type(large, large, large + 2) if large else Type(13, 12, 14)
