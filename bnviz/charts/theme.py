"""Colours, dashes, markers and type sizes of all charts.

A colour identifies a network and nothing else. Each network also has its own dash and marker.
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
    """Return the font family of charts: the app's font, then the fonts of the language."""
    own, letters, system = texts("language")["font"], *LETTERS.split(", ", 1)
    return f"{letters}, {own}, {system}" if own else LETTERS


@dataclass(frozen=True)
class NetworkStyle:
    """Style of one network; its dash and symbol identify the network even without colour."""

    line: str
    text: str
    dash: str
    symbol: str

    def stroke(self, width: float) -> Attributes:
        return {"color": self.line, "width": width, "dash": self.dash}

    def marker(self, size: float, **more: object) -> Attributes:
        return {"color": self.line, "size": size, "symbol": self.symbol, **more}

    def bar(self) -> Attributes:
        return {"color": self.alpha(0.5), "line": {"color": self.line, "width": 1.5}}

    def alpha(self, opacity: float) -> str:
        """Return the line colour with an opacity."""
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
    """Colours that do not belong to a network."""

    dark: bool
    ink: str
    muted: str
    grid: str
    zone: str
    dead: str
    cursor: str

    def networks(self, norms: Sequence[str]) -> dict[str, NetworkStyle]:
        """Return the style of each network; two colours are reserved for no norm and for BN."""
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


# Background of exported charts. On a page, assets/kit.css sets the background.
PAPER = {False: "#FFFFFF", True: "#171B22"}


def theme(dark: bool) -> Theme:
    return DARK if dark else LIGHT


def paper_colours(norms: Sequence[str]) -> dict[str, str]:
    """Map colours of the dark theme, and prefixes of translucent colours, to the light theme."""
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
    """Type sizes in pixels."""

    base: int
    small: int
    heading: int


# Smallest type size in pixels in the presentation view, by minimum width of the window.
PRESENTATION_TYPE = {0: 20, 1600: 24}


def type_sizes(*, large_type: int) -> Type:
    """Return the type sizes; `large_type` is the smallest size in the presentation view, or 0."""
    return Type(large_type, large_type, large_type + 2) if large_type else Type(13, 12, 14)
