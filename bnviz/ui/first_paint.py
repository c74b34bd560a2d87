"""Home page as static HTML with step 0 of its run, shown while the scripts load.

The first frame of the live view replaces it (assets/live/draw_scheduler.js).
"""

from __future__ import annotations

import base64
import functools
import gzip
import re
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from starlette.datastructures import MutableHeaders
from starlette.types import Scope

from bnviz.charts.distributions import BASE, HEIGHT
from bnviz.charts.scale import REACH
from bnviz.config import RunConfig
from bnviz.data.shown import shown_images
from bnviz.live.web.assets import ASSETS, VERSION
from bnviz.live.web.page_change import HEAD, Change, FindChange
from bnviz.live.web.page_language import language_of
from bnviz.live.web.request_source import query_of
from bnviz.planned_runs.first_frame import first_frame
from bnviz.ui.chart_templates import home_charts, network_colours
from bnviz.ui.html import Markup, tag
from bnviz.ui.sitemap import PAGES
from bnviz.words.language_choice import PARAMETER
from bnviz.words.numbers import write
from bnviz.words.texts import in_language, languages, text, texts

# Element of Streamlit's document that will contain the page, and pattern of the address of
# Streamlit's font.
ROOT = b'<div id="root">'
LETTERS = re.compile(rb'href="([^"]*SourceSansVF-Upright[^"]*)"')
# Style sheets in the order in which the live view links them.
STYLES = (
    "live_view.css",
    "live_knobs.css",
    "page_layout.css",
    "drawn_curve.css",
    "live_steady.css",
)
# Maximum time in milliseconds before the static page is removed, even if nothing replaces it.
MOST_MS = 8000
SCRIPT = f"""<script>{{
  const first = document.getElementById("bnviz-first");
  const narrow = matchMedia("(max-width: 640px)").matches;
  first.firstElementChild.classList.toggle("bnviz-narrow", narrow);
  setTimeout(() => first.remove(), {MOST_MS});
}}</script>"""


def first_paint(base: str = "") -> FindChange:
    """Return a function that adds step 0 to home pages without parameters besides the language."""

    def find(scope: Scope) -> Change | None:
        if scope["path"].rstrip("/") != base or {name for name, _ in query_of(scope)} - {PARAMETER}:
            return None
        code = language_of(scope)

        def change(_headers: MutableHeaders, content: bytes) -> bytes:
            if ROOT not in content or HEAD not in content:
                return content
            letters = LETTERS.search(content)
            head = _head(base, letters[1].decode() if letters else "")
            content = content.replace(HEAD, head.encode() + HEAD, 1)
            return content.replace(ROOT, _body(code).encode() + ROOT, 1)

        return change

    return find


def _head(base: str, letters: str) -> str:
    links = "".join(
        f'<link rel="stylesheet" href="{base}/assets/{VERSION}/{name}">' for name in STYLES
    )
    own = (ASSETS / "first_paint.css").read_text(encoding="utf-8")
    face = (
        f'@font-face {{ font-family: "Source Sans"; font-weight: 200 900; src: url({letters}); }}'
    )
    return f"{links}<style>{face if letters else ''}{own}</style>"


@functools.cache
def _body(code: str) -> str:
    with in_language(code):
        home, navigation = texts("home"), texts("navigation")
        brand, *places = (navigation[name] for name, page in PAGES.items() if page.listed)
        header = tag(
            "header", tag("b", brand), *(tag("span", place) for place in places),
            tag("small", languages()[code]), class_="bnviz-first-head",
        )  # fmt: skip
        heading = tag("header", tag("h1", home["title"]), class_="bnviz-heading")
        inside = tag("div", _band(home), _stacks(), _bar(), class_="bnviz-object")
        page = tag("div", heading, inside, class_="bnviz-home")
        view = tag("div", page, class_="bnviz bnviz-block")
    return tag("div", view, header, id="bnviz-first", inert=True) + SCRIPT


def _band(home: Mapping[str, Any]) -> Markup:
    """Eight images, with each network's predictions."""
    words, images = texts("live")["reading"], shown_images(RunConfig())
    if images is None:
        raise ValueError(f"The default data set must have images; {RunConfig().dataset} does not.")
    side, labels = images["side"], images["labels"]
    pixels = base64.b64decode(images["pixels"])
    pictures = [
        _digit(pixels[place * side**2 : (place + 1) * side**2], side)
        for place in range(len(labels))
    ]
    accuracy = tag("p", tag("small", text("live.cards.test_accuracy")),
                   class_="bnviz-band-accuracy")  # fmt: skip
    rows = [
        tag("div", tag("p", words["what"], class_="bnviz-band-what"),
            tag("div", *pictures, class_="bnviz-band-cells"), accuracy,
            class_="bnviz-band-row bnviz-band-images")
    ]  # fmt: skip
    for norm, network in first_frame().items():
        name = home["networks"][norm]
        cells = [
            tag("b", str(digit), class_=None if digit == label else "bnviz-wrong")
            for digit, label in zip(network.predictions, labels, strict=True)
        ]
        share = tag("span", write(network.test_accuracy, "percent0"), class_="bnviz-accuracy")
        rows.append(
            tag("div", tag("h2", tag("i", name[:1].upper() + name[1:], class_="bnviz-band-full"),
                           tag("i", text(f"live.sharing_break.name.{norm}"),
                               class_="bnviz-band-short"), " ", tag("span", words["learns"])),
                tag("div", *cells, class_="bnviz-band-cells"),
                tag("p", share, class_="bnviz-band-accuracy"),
                class_="bnviz-band-row", style=_colours(norm))
        )  # fmt: skip
    return tag("div", *rows, class_="bnviz-band")


def _digit(pixels: bytes, side: int) -> Markup:
    squares = "".join(
        f'<path d="M{place % side} {place // side}h1v1h-1z" opacity="{ink / 255:.2f}"/>'
        for place, ink in enumerate(pixels)
        if ink
    )
    return Markup(f'<svg class="bnviz-digit" viewBox="0 0 {side} {side}">{squares}</svg>')


def _colours(norm: str) -> str:
    """CSS properties with the light and dark colours of a network."""
    light, dark = (network_colours(tuple(first_frame()), dark=dark)[norm] for dark in (False, True))
    return "; ".join(
        f"--{name}: light-dark({light[name]}, {dark[name]})" for name in ("line", "text")
    )


def _stacks() -> Markup:
    """Histograms at their positions in the chart template, once per layout."""
    template = orjson.loads(gzip.decompress(home_charts().compressed))["main"][0]
    shapes = "".join(
        f'<path id="bnviz-first-{norm}" vector-effect="non-scaling-stroke"'
        f' d="{_hills(network.histogram)}"/>'
        for norm, network in first_frame().items()
    )
    defined = Markup(f'<svg width="0" height="0" class="bnviz-first-defs">{shapes}</svg>')
    forms = [_form(name, template) for name in ("wide", "medium", "compact")]
    return tag("div", defined, *forms, class_="bnviz-panel bnviz-panel-stacks")


def _form(name: str, template: Mapping[str, Any]) -> Markup:
    form, layout = template[name], template[name]["layout"]
    low, high = template["figure"]["layout"]["yaxis"]["range"]
    left, right, top, bottom = (layout[f"margin.{side}"] for side in "lrtb")

    def up(row: float) -> str:
        return f"{100 * (row - low) / (high - low):.3f}%"

    columns = []
    for number, (norm, network) in enumerate(first_frame().items(), 1):
        axis = "" if number == 1 else str(number)
        start, end = layout[f"xaxis{axis}.domain"]
        ticks = zip(layout[f"yaxis{axis}.tickvals"], layout[f"yaxis{axis}.ticktext"], strict=True)
        numbered = layout[f"yaxis{axis}.showticklabels"]
        own = f"x{axis}"
        parts = [
            *(_zone(shape) for shape in layout["shapes"] if shape["xref"] == own),
            Markup(
                f'<svg viewBox="{-REACH} {-high} {2 * REACH} {high - low}"'
                f' preserveAspectRatio="none"><use href="#bnviz-first-{norm}"/></svg>'
            ),
            *(_words(note) for note in layout["annotations"] if note["xref"] == own),
            *(tag("span", word, class_="bnviz-first-tick", style=f"bottom: {up(row)}")
              for row, word in ticks if numbered),
            *(tag("b", write(share, "percent0"), style=f"bottom: {up(row)}")
              for row, share in enumerate(network.saturated, 1)),
            tag("small", layout[f"xaxis{axis}.title.text"]),
        ]  # fmt: skip
        place = f"left: {100 * start:.3f}%; width: {100 * (end - start):.3f}%; {_colours(norm)}"
        columns.append(tag("div", *parts, style=place))
    plot = tag("div", *columns, style=f"inset: {top}px {right}px {bottom}px {left}px")
    size = f"--height: {form['height']}px; --least: {form['least']}px"
    figure = tag("div", plot, class_="bnviz-plot", style=size)
    return tag("div", figure, class_=f"bnviz-first-form bnviz-first-{name}", style=size)


def _across(value: float) -> str:
    return f"{100 * (value + REACH) / (2 * REACH):.3f}%"


def _zone(shape: Mapping[str, Any]) -> Markup:
    width = f"{100 * (shape['x1'] - shape['x0']) / (2 * REACH):.3f}%"
    return tag("i", style=f"left: {_across(shape['x0'])}; width: {width}")


def _words(note: Mapping[str, Any]) -> Markup:
    side = "start" if note.get("xanchor") == "left" else "middle"
    return tag("em", note["text"], class_=f"bnviz-first-{side}",
               style=f"left: {_across(note['x'])}")  # fmt: skip


def _hills(histogram: Sequence[Sequence[int]]) -> str:
    """Closed outlines of all layers' histograms, in the chart's units, with y downwards."""
    path = []
    for row, counts in enumerate(histogram, 1):
        base, width, peak = -(row + BASE), 2 * REACH / len(counts), max(*counts, 1)
        path.append(f"M{-REACH:.2f} {base:.2f}")
        last = 0
        for place, count in enumerate(counts):
            if count != last:
                path.append(f"H{-REACH + place * width:.2f}V{base - HEIGHT * count / peak:.3f}")
                last = count
        path.append(f"H{REACH:.2f}V{base:.2f}z")
    return "".join(path)


def _bar() -> Markup:
    """Playback buttons and learning-rate slider, as they look before the run starts."""
    words, home = texts("live"), texts("knobs")
    buttons = tag("div", tag("i", "↺", class_="bnviz-round"),
                  tag("i", "❚❚", class_="bnviz-round bnviz-play"),
                  class_="bnviz-buttons")  # fmt: skip
    line = tag("div", tag("div", class_="bnviz-track"), class_="bnviz-timeline")
    counter = tag("div", line, tag("span", "0", class_="bnviz-step"),
                  tag("small", words["transport"]["steps"]), class_="bnviz-counter")  # fmt: skip
    rate = RunConfig().learning_rate
    decades = [
        tag("i", write(10.0**power, "number"), style=f"--at: {(power + 3) / 4}")
        for power in range(-3, 2)
    ]
    track = tag(
        "div", tag("input", type="range", style="--done: 0.5"),
        tag("span", f"{rate:g}", class_="bnviz-knob-bubble"),
        tag("span", *decades, class_="bnviz-knob-decades"),
        class_="bnviz-knob-track", style="--done: 0.5",
    )  # fmt: skip
    name = tag("div", tag("span", home["learning_rate"]["label"], class_="bnviz-knob-label"),
               class_="bnviz-knob-head")  # fmt: skip
    knob = tag("div", name, track, class_="bnviz-knob bnviz-knob-rate")
    return tag(
        "div",
        tag("div", buttons, counter, class_="bnviz-transport"),
        tag("div", tag("div", knob, class_="bnviz-knob-list"), class_="bnviz-knobs bnviz-rate"),
        tag("div", tag("p", text("live.prompt.begin")), class_="bnviz-prompt"),
        class_="bnviz-bar",
    )  # fmt: skip
