"""How bnviz is cited: what it is called, which version of it, of which year, and where.

The page *About*: its words, and a figure of hills that drift in a run that was recorded.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from pydantic import BaseModel, ConfigDict

from bnviz import VERSION, YEAR
from bnviz.ui.html import Markup, joined, tag
from bnviz.ui.html import prose as marked
from bnviz.ui.sitemap import ROOT, base_path, lab_address
from bnviz.words.texts import current_language, prose, texts


def citation() -> str:
    """One line, with the address at which this server is reached."""
    words = texts("navigation")["cite"]
    return str(words["line"].format(version=VERSION, year=YEAR, address=_address()))


def _address() -> str:
    """This server, as the visitor's browser calls it."""
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}{base_path()}/" if parts.netloc else f"{base_path()}/"


# What benchmarks/drifting_hills.py has recorded of this preset.
HILLS = ROOT / "assets" / "about" / "hills.json"
PRESET = "e1-figure-1-digits"
# Where the figure stands among the words.
FIGURE_PLACEHOLDER = "{figure}"

TICKS = (-4, 0, 4)
COLOURS = {"none": "plain", "batch": "batch"}


class NetworkHills(BaseModel):
    """What one network's last hidden layer received, a list a step.

    Attributes:
        shares: of all values, in equal bins of the axis.
        medians: of all values.
        accuracies: on the test set, from 0 to 1.
    """

    model_config = ConfigDict(extra="forbid")

    shares: list[list[float]]
    medians: list[float]
    accuracies: list[float]


class RecordedHills(BaseModel):
    """The figure's run: ends of the axis, steps, and both networks by name of their norm."""

    model_config = ConfigDict(extra="forbid")

    low: float
    high: float
    steps: list[int]
    networks: dict[str, NetworkHills]


@functools.cache
def recorded_hills() -> RecordedHills:
    """What was recorded; read once."""
    return RecordedHills.model_validate_json(HILLS.read_bytes())


def draw_about() -> None:
    """Draw the page."""
    before, _, after = prose("about").partition(FIGURE_PLACEHOLDER)
    st.html(ROOT / "assets" / "about.css")
    with st.container(key="prose"):
        st.markdown(before)
        st.html(_figure(current_language(), lab_address({"preset": PRESET})))
        st.markdown(after)
        st.html(joined(tag("h2", texts("navigation")["cite"]["title"]), tag("p", citation())))


@functools.cache
def _figure(spoken: str, address: str) -> Markup:
    """The figure in a language."""
    return figure(recorded_hills(), texts("about", spoken), address)


def figure(run: RecordedHills, words: Mapping[str, Any], address: str) -> Markup:
    """Both networks' hills beside each other, with what they show in words.

    Args:
        run: what is drawn.
        words: of the figure, in some language.
        address: of the lab, which shows the run live.
    """
    panels = (_panel(norm, hills, run, words) for norm, hills in run.networks.items())
    live = tag("a", words["watch"], href=address, target="_self")
    return tag(
        "figure", tag("div", *panels, class_="about-panels"),
        tag("figcaption", marked(words["caption"]), " ", live), class_="about-figure",
    )  # fmt: skip


def _panel(norm: str, hills: NetworkHills, run: RecordedHills, words: Mapping[str, Any]) -> Markup:
    """One network: a hill a step, and beside it how much the network had learned.

    Streamlit takes drawings out of a page's HTML, so hills are boxes that are cut to shape.
    """
    name, colour = words["network"][norm], COLOURS[norm]
    tallest = max(max(shares) for each in run.networks.values() for shares in each.shares)
    rows = zip(run.steps, hills.shares, hills.medians, hills.accuracies, strict=True)
    plot = tag(
        "div",
        tag("div", tag("span", words["step"]), tag("i"), tag("span", words["right"])),
        *(_row(*row, tallest, run) for row in rows),
        tag("div", tag("span"), _axis(run), tag("span"), class_="about-axis"),
        role="img", aria_label=in_words(hills, run, name, words), class_="about-plot",
    )  # fmt: skip
    return tag(
        "div", tag("p", name), plot, tag("small", words["receives"], aria_hidden="true"),
        class_="about-panel", style=f"--line: var(--{colour}); --text: var(--{colour}-words)",
    )  # fmt: skip


def in_words(hills: NetworkHills, run: RecordedHills, name: str, words: Mapping[str, Any]) -> str:
    """What a panel shows: where the middle of each hill lies, and how much is right by then."""
    moments = "; ".join(
        words["moment"].format(step=f"{step:,}", median=_signed(median), accuracy=_percent(right))
        for step, median, right in zip(run.steps, hills.medians, hills.accuracies, strict=True)
    )
    return str(words["picture"].format(network=name, moments=moments))


def _row(
    step: int,
    shares: Sequence[float],
    median: float,
    right: float,
    tallest: float,
    run: RecordedHills,
) -> Markup:
    """A hill on its floor with a mark at its middle; before it the step, behind it the accuracy."""
    hill = tag("i", class_="about-hill", style=f"clip-path: polygon({_outline(shares, tallest)})")
    middle = tag("i", class_="about-middle", style=f"left: {_along(run, median):.2f}%")
    return tag(
        "div", tag("span", f"{step:,}"), tag("i", hill, middle), tag("span", _percent(right))
    )


def _outline(shares: Sequence[float], tallest: float) -> str:
    """A distribution as corners of its box: all have one area, the tallest fills its box."""
    corners = [
        (100 * (place + 0.5) / len(shares), 100 * (1 - share / tallest))
        for place, share in enumerate(shares)
    ]
    return ", ".join(f"{x:.1f}% {y:.1f}%" for x, y in [(0, 100), *corners, (100, 100)])


def _axis(run: RecordedHills) -> Markup:
    ticks = (
        tag("small", _signed(value), style=f"left: {_along(run, value):.2f}%") for value in TICKS
    )
    return tag("i", *ticks)


def _along(run: RecordedHills, value: float) -> float:
    """How far along the axis a value lies, in percent."""
    return 100 * (value - run.low) / (run.high - run.low)


def _signed(value: float) -> str:
    return f"{value:.2g}".replace("-", "−")


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
