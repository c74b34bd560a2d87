"""The *About* page: its text, a figure of a recorded run, and the citation."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from urllib.parse import urlsplit

import streamlit as st
from pydantic import BaseModel, ConfigDict

from bnviz import VERSION, YEAR
from bnviz.locations import locations
from bnviz.ui.html import Markup, joined, tag
from bnviz.ui.html import prose as marked
from bnviz.ui.sitemap import base_path, lab_address
from bnviz.words.headline import percent_plain
from bnviz.words.joining import clauses
from bnviz.words.texts import Words, current_language, prose, texts

# File with a recorded run, made by benchmarks/drifting_hills.py, and the run's preset.
HILLS = locations().assets / "about" / "hills.json"
PRESET = "e1-figure-1-digits"
# Placeholder in the text that the figure replaces.
FIGURE_PLACEHOLDER = "{figure}"

# Axis values that have labels, and the name of each network's chart colour by norm.
TICKS = (-4, 0, 4)
COLOURS = {"none": "plain", "batch": "batch"}


class NetworkHills(BaseModel):
    """Histograms of the last hidden layer's pre-activations.

    Attributes:
        shares: Share of all values in each of the axis's equal bins [step, bin].
        accuracies: Test accuracies from 0 to 1 [step].
    """

    model_config = ConfigDict(extra="forbid")

    shares: list[list[float]]
    medians: list[float]
    accuracies: list[float]


class RecordedHills(BaseModel):
    """Recorded run: `low` and `high` are the ends of the axis, `networks` is keyed by norm."""

    model_config = ConfigDict(extra="forbid")

    low: float
    high: float
    steps: list[int]
    networks: dict[str, NetworkHills]


@functools.cache
def recorded_hills() -> RecordedHills:
    return RecordedHills.model_validate_json(HILLS.read_bytes())


def draw_about() -> None:
    before, _, after = prose("about").partition(FIGURE_PLACEHOLDER)
    st.html(locations().assets / "about.css")
    with st.container(key="prose"):
        st.markdown(before)
        st.html(_figure(current_language(), lab_address({"preset": PRESET})))
        st.markdown(after)
        st.html(joined(tag("h2", texts("navigation")["cite"]["title"]), tag("p", citation())))


@functools.cache
def _figure(spoken: str, address: str) -> Markup:
    return figure(recorded_hills(), texts("about", spoken), address)


def figure(run: RecordedHills, words: Words, address: str) -> Markup:
    """Draw both networks' histograms with a link to the same run in the lab (`address`)."""
    panels = (_panel(norm, hills, run, words) for norm, hills in run.networks.items())
    live = tag("a", words["watch"], href=address, target="_self")
    return tag(
        "figure", tag("div", *panels, class_="about-panels"),
        tag("figcaption", marked(words["caption"]), " ", live), class_="about-figure",
    )  # fmt: skip


def _panel(norm: str, hills: NetworkHills, run: RecordedHills, words: Words) -> Markup:
    """Panel of one network. Clip paths replace SVG, which Streamlit removes from HTML."""
    name, colour = words["network"][norm], COLOURS[norm]
    tallest = max(max(shares) for each in run.networks.values() for shares in each.shares)
    columns = zip(run.steps, hills.shares, hills.medians, hills.accuracies, strict=True)
    rows = []
    for step, shares, median, right in columns:
        style = f"clip-path: polygon({_outline(shares, tallest)})"
        hill = tag("i", class_="about-hill", style=style)
        middle = tag("i", class_="about-middle", style=f"left: {_along(run, median):.2f}%")
        share = tag("span", percent_plain(right))
        rows.append(tag("div", tag("span", f"{step:,}"), tag("i", hill, middle), share))
    ticks = (
        tag("small", _signed(value), style=f"left: {_along(run, value):.2f}%") for value in TICKS
    )
    axis = tag("span"), tag("i", *ticks), tag("span")
    head = tag("span", words["step"]), tag("i"), tag("span", words["right"])
    plot = tag(
        "div", tag("div", *head), *rows, tag("div", *axis, class_="about-axis"),
        role="img", aria_label=in_words(hills, run, name, words), class_="about-plot",
    )  # fmt: skip
    return tag(
        "div", tag("p", name), plot, tag("small", words["receives"], aria_hidden="true"),
        class_="about-panel", style=f"--line: var(--{colour}); --text: var(--{colour}-words)",
    )  # fmt: skip


def in_words(hills: NetworkHills, run: RecordedHills, name: str, words: Words) -> str:
    """Text alternative of a network's panel: the median value and the accuracy at each step."""
    moments = clauses(
        words["moment"].format(
            step=f"{step:,}", median=_signed(median), accuracy=percent_plain(right)
        )
        for step, median, right in zip(run.steps, hills.medians, hills.accuracies, strict=True)
    )
    return str(words["picture"].format(network=name, moments=moments))


def _outline(shares: Sequence[float], tallest: float) -> str:
    """Corners of a histogram in percent of its box, which the tallest histogram fills."""
    corners = [
        (100 * (place + 0.5) / len(shares), 100 * (1 - share / tallest))
        for place, share in enumerate(shares)
    ]
    return ", ".join(f"{x:.1f}% {y:.1f}%" for x, y in [(0, 100), *corners, (100, 100)])


def _along(run: RecordedHills, value: float) -> float:
    """Position of a value on the axis, in percent."""
    return 100 * (value - run.low) / (run.high - run.low)


def _signed(value: float) -> str:
    return f"{value:.2g}".replace("-", "−")


def citation() -> str:
    words, parts = texts("navigation")["cite"], urlsplit(st.context.url or "")
    server = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
    address = f"{server}{base_path()}/"
    return str(words["line"].format(version=VERSION, year=YEAR, address=address))
