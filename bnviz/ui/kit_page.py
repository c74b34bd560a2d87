"""The page of the kit, `/about?kit=1`: every size of type, every colour, every control.

It is for those who work on the pages. Controls are shown in every state, in the light and the dark
theme. They are the same elements as on the pages, with the same styles; `data-state` names a state
which otherwise a pointer or the keyboard would cause.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping

import streamlit as st

from bnviz.ui.html import Markup, answer, joined, prose, tag
from bnviz.ui.sitemap import ROOT
from bnviz.words.texts import texts

PARAMETER = "kit"
STATES = ("rest", "hover", "focus", "pressed", "disabled")
THEMES = ("light", "dark")
KIT = ROOT / "assets" / "kit.css"
SIZE = re.compile(r"--type-(\w+): \d+px")
COLOUR = re.compile(r"--([a-z-]+): (?:light-dark\(|#|var\(--ink\))")


def kit_wanted() -> bool:
    """Whether the address asks for the page of the kit; draws a sentence on a wrong value."""
    value = st.query_params.get(PARAMETER)
    if value not in (None, "1"):
        words = texts("lab")["notice"]["flag"].format(field=PARAMETER, value=repr(value[:60]))
        st.html(answer(words))
    return value == "1"


def draw_kit() -> None:
    """Draw the page."""
    words = texts("kit")
    st.html(ROOT / "assets" / "kit_page.css")
    head = joined(tag("h1", words["title"]), tag("p", prose(words["about"])))
    st.html(head)
    st.html(tag("div", *(_theme(name, words) for name in THEMES), class_="kit-themes"))


def sizes() -> list[str]:
    """The names of the sizes of type in the kit."""
    return list(dict.fromkeys(SIZE.findall(KIT.read_text(encoding="utf-8"))))


def colours() -> list[str]:
    """The names of the colours in the kit."""
    return list(dict.fromkeys(COLOUR.findall(KIT.read_text(encoding="utf-8"))))


@functools.cache
def colour(name: str, *, dark: bool) -> str:
    """A colour of the kit as one theme has it, in hex; its name is without the dashes."""
    pair = re.search(rf"--{name}: light-dark\((#\w+), (#\w+)\);", KIT.read_text(encoding="utf-8"))
    assert pair is not None
    return pair[2 if dark else 1]


def _theme(theme: str, words: Mapping[str, Mapping[str, str]]) -> Markup:
    """The whole kit in one theme."""

    def part(name: str, *samples: Markup, kind: str = "") -> Markup:
        heading = tag("h3", words["part"][name], class_="kit-part")
        place = tag("div", *samples, class_=f"kit-samples {kind}".strip())
        return tag("section", heading, place, data_part=name)

    def states(name: str, draw: Callable[[str, str], Markup], kind: str = "") -> Markup:
        """A control in every state; `draw` makes it from the state and its accessible name."""
        samples = (
            _sample(draw(state, f"{words['part'][name]}, {label}, {words['theme'][theme]}"), label)
            for state, label in words["state"].items()
        )
        return part(name, *samples, kind=kind)

    return tag(
        "section",
        tag("h2", words["theme"][theme], class_="kit-name"),
        part("sizes", *_sizes(str(words["size"])), kind="kit-wide kit-sizes"),
        part("colours", *_colours()),
        states("slider", _slider),
        states("hand", _under_the_hand),
        states("segments", lambda state, label: _segments(state, f"{theme}-{state}", label, words)),
        states("chip", lambda state, _: _chip(state, words["word"]["share"])),
        states("first", lambda state, _: _chip(state, words["word"]["share"], "bnviz-filled")),
        states("link", lambda state, _: _link(state, words["word"]["lesson"])),
        part("dialog", _dialog(theme, words), kind="kit-wide"),
        states("close", lambda state, label: _close(state, label)),
        class_="bnviz kit-theme", data_theme=theme,
    )  # fmt: skip


def _sample(shown: Markup, name: str) -> Markup:
    return tag("div", shown, tag("small", name), class_="kit-sample")


def _sizes(words: str) -> Iterator[Markup]:
    for name in sizes():
        yield tag("p", f"--type-{name}: {words}", style=f"font-size: var(--type-{name})")


def _colours() -> Iterator[Markup]:
    for name in colours():
        swatch = tag("span", class_="kit-swatch", style=f"background: var(--{name})")
        yield _sample(swatch, f"--{name}")


def _state(state: str) -> dict[str, object]:
    """The attributes of an element in a state: disabled, or the one that `data-state` names."""
    return {
        "data_state": None if state == "disabled" else state,
        "disabled": state == "disabled",
    }


def _slider(state: str, label: str) -> Markup:
    return tag(
        "input", type="range", min=0, max=10, value=6, style="--done: 0.6", aria_label=label,
        **_state(state),
    )  # fmt: skip


def _under_the_hand(state: str, label: str) -> Markup:
    """The slider as it is in the bar of the home page."""
    return tag("div", tag("div", _slider(state, label), class_="bnviz-bar"), class_="bnviz-home")


def _segments(state: str, name: str, label: str, words: Mapping[str, Mapping[str, str]]) -> Markup:
    """Two segments, of which one is chosen: the other has the state; pressed or disabled, both."""

    def choice(word: str, *, checked: bool) -> Markup:
        acts = None if checked or state in ("pressed", "disabled") else state
        box = tag("input", type="radio", name=name, checked=checked, disabled=state == "disabled")
        return tag("label", box, tag("span", words["word"][word]), data_state=acts)

    chosen = choice("loss", checked=True)
    return tag(
        "div", chosen, choice("rate", checked=False), class_="bnviz-segments",
        role="radiogroup", aria_label=label, data_state=state if state == "pressed" else None,
    )  # fmt: skip


def _chip(state: str, label: str, kind: str | None = None) -> Markup:
    return tag(
        "button", label, type="button", class_=" ".join(filter(None, ("bnviz-pill", kind))),
        aria_pressed="true" if state == "pressed" else None, **_state(state),
    )  # fmt: skip


def _link(state: str, label: str) -> Markup:
    """A link; disabled, a button that looks like one; pressed, the link of the present page."""
    if state == "disabled":
        return tag("button", label, type="button", class_="bnviz-link", disabled=True)
    here = "page" if state == "pressed" else None
    return tag("a", label, href=f"?{PARAMETER}=1", data_state=state, aria_current=here)


def _dialog(theme: str, words: Mapping[str, Mapping[str, str]]) -> Markup:
    title = words["part"]["dialog"]
    close = _close("rest", words["word"]["close"])
    legend = tag("legend", words["word"]["choose"])
    chips = (_chip("rest", words["word"][name]) for name in ("loss", "rate"))
    return tag(
        "dialog",
        tag("header", tag("h2", title), close),
        tag("fieldset", legend, *chips),
        class_="bnviz-dialog", open=True, aria_label=f"{title}, {words['theme'][theme]}",
    )  # fmt: skip


def _close(state: str, label: str) -> Markup:
    return tag("button", "×", type="button", class_="bnviz-icon", aria_label=label, **_state(state))
