"""Pages that summarize the course in tables. Rows link to lessons or try-it experiments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import streamlit as st

from bnviz.lessons import LESSONS
from bnviz.lessons.defeats import STEPS, RecordedDefeat, breaks_lost, key_of, read
from bnviz.lessons.lesson import BatchLoses, Lesson, Numbers
from bnviz.ui.html import Markup, joined, tag
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.lessons.words import LessonWords, lesson_title, lesson_words
from bnviz.words.joining import in_list, in_quotes
from bnviz.words.numbers import FORMATS
from bnviz.words.texts import texts

# Rows of the page `notes-corrected`, which corrects errors in popular accounts. Each row has a
# subject, a text key, and the lesson or `lesson/break` that shows the correct result.
CORRECTIONS: Mapping[str, Mapping[str, str]] = {
    "computes": {
        "variance": "by-hand",
        "normal": "scale-and-shift/normality",
        "all-inputs": "by-hand",
        "mean-one": "by-hand",
        "epsilon": "by-hand/large-eps",
        "whitens": "whitening",
        "identity": "scale-and-shift",
        "rotate": "scale-and-shift",
        "each-point": "images-and-sequences",
    },
    "backward": {
        "one-term": "through-the-batch",
        "exponent": "through-the-batch",
        "bias": "scale-and-shift",
    },
    "why": {
        "shift-proven": "is-it-shift",
        "start-over": "moving-targets",
        "local-optima": "moving-targets",
        "saturated": "slow-start",
        "smooths": "is-it-shift",
        "protects": "two-modes",
        "small-changes": "depth",
        "singular-values": "depth",
        "weights-stable": "size-of-weights",
        "capacity": "size-of-weights/turning",
    },
    "gains": {
        "any-rate": "break-it/rate-ten",
        "curvature": "size-of-weights",
        "always-wins": "break-it/relu",
        "better": "break-it",
        "fourteen": "what-it-buys",
        "first-weights": "slow-start",
        "any-depth": "depth",
        "any-batch": "batch-size",
        "regularizes": "does-it-regularize",
        "whitening-faster": "whitening",
    },
    "use": {
        "momentum": "in-code",
        "batch-of-one": "in-code",
        "sum": "two-modes/never",
        "after": "scale-and-shift/after",
    },
}

# Type of the texts of a row, by column.
Cells = Mapping[str, str]

# Rows of `what-to-use-when`, each with the lesson that shows a part of the row, or None.
ROWS: dict[str, str | None] = {
    "images": "images-and-sequences",
    "small-batches": "batch-size",
    "no-norm": "depth",
    "transformers": None,
    "language-models": None,
    "sequences": "images-and-sequences",
    "style": None,
    "fine-tuning": "two-modes",
    "eval": "in-code",
    "other-data": "two-modes",
    "deployment": "two-modes",
}


def page_table(
    columns: Cells,
    rows: Iterable[tuple[str, Cells]],
    label: str = "",
    class_: str = "",
) -> Markup:
    """Table in which, on a phone, each cell has its own heading; `label` is its accessible name."""
    heads = (tag("th", text, scope="col", role="columnheader") for text in columns.values())
    return tag(
        "table",
        tag("thead", tag("tr", *heads, role="row"), role="rowgroup"),
        tag("tbody", *(_row(columns, name, cells) for name, cells in rows), role="rowgroup"),
        class_=class_ or f"lesson-table lesson-table-{len(columns)}", role="table",
        aria_label=label or None,
    )  # fmt: skip


def _row(columns: Cells, name: str, cells: Cells) -> Markup:
    return tag(
        "tr",
        *(tag("td", cells[key], role="cell", data_label=text) for key, text in columns.items()),
        role="row",
        data_row=name,
    )


def draw_what_to_use_when(words: LessonWords) -> bool:
    """Draw a table of the norms that others use, by kind of network and task."""
    own = words.own
    rows = []
    for name, lesson in ROWS.items():
        cells = {key: words.html(own["row"][name][key]) for key in own["columns"]}
        if lesson is not None:
            label = own["link"]["text"].format(title=lesson_title(lesson))
            cells["setting"] = joined(cells["setting"], LessonQuery(name=lesson).link(label))
        rows.append((name, cells))
    st.html(page_table(own["columns"], rows))
    return True


def values() -> Numbers:
    """Numbers of `notes-corrected` that come neither from claims nor from citations."""
    return {
        "variance": LESSONS["by-hand"].resolve().named_values()["variance"],
        "behind": read()["break-it/relu"].gap,
    }


def draw_notes_corrected(words: LessonWords) -> bool:
    """Draw common errors, the findings, and links to the lessons that show the findings."""
    words = replace(words, settings=values())
    own = words.own
    for section, corrections in CORRECTIONS.items():
        title = own["sections"][section]
        rows = ((name, _correction(words, name, place)) for name, place in corrections.items())
        st.html(tag("h2", title) + page_table(own["columns"], rows, label=title))
    return True


def _correction(words: LessonWords, name: str, place: str) -> Cells:
    """Cells of a row: a popular claim, the finding, and a link to the lesson that shows it."""
    said, link = words.own["entry"][name], words.own["link"]
    lesson, _, broken = place.partition("/")
    theirs = lesson_words(lesson, LESSONS[lesson].lesson)
    label = theirs.filled(theirs.own["break"][broken]["label"]) if broken else ""
    text = link["broken" if broken else "text"].format(title=theirs.own["title"], label=label)
    return {
        "says": tag("p", Markup(in_quotes(words.inline_html(said["says"])))),
        "seen": words.html(said["seen"]),
        "link": LessonQuery(name=lesson, broken=broken or None).link(text),
    }


def draw_when_it_loses(words: LessonWords) -> bool:
    """Draw every try-it experiment in which BN loses."""
    own, losses = words.own, read()
    # Skip what was not measured.
    known = {key_of(*each[:2]): each for each in breaks_lost() if key_of(*each[:2]) in losses}
    rows = ((key, _loss(own, *each, losses[key])) for key, each in known.items())
    st.html(page_table(own["columns"], rows))
    seeds = {len(losses[key].seeds) for key in known}
    counts = in_list(str(count) for count in sorted(seeds))
    st.html(tag("p", own["how"].format(seeds=counts), class_="lesson-how"))
    return True


def _loss(
    own: Mapping[str, Mapping[str, str]],
    lesson: Lesson,
    name: str,
    by: BatchLoses,
    loss: RecordedDefeat,
) -> Cells:
    """Cells of a row: linked settings, the margin by which BN loses, the reason, and advice."""
    theirs = lesson_words(lesson.name, lesson)
    said = theirs.own["break"][name]["loses"]
    label = own["link"]["text"].format(title=theirs.own["title"])
    link = LessonQuery(name=lesson.name, broken=name).link(label)
    return {
        "setting": joined(theirs.html(said["setting"]), link),
        "measured": joined(
            *_measured(own["told"], by, loss, lesson.try_named(name).target_accuracy)
        ),
        "why": theirs.html(said["why"]),
        "instead": theirs.html(said["instead"]),
    }


def _measured(
    told: Mapping[str, str], by: BatchLoses, loss: RecordedDefeat, until: float | None
) -> tuple[Markup, Markup]:
    """Margin by which BN loses, as median and range, and the medians of both networks."""
    key, gap, end = (
        ("gap_steps", "count", "count") if by.by == STEPS else ("gap", "points", "percent1")
    )
    behind = {"gap": loss.gap, "low": min(loss.gaps), "high": max(loss.gaps)}
    ends = told[by.by].format(
        batch=FORMATS[end](loss.median_of("batch")), other=FORMATS[end](loss.median_of("other")),
        network=texts("norms")[by.to]["network"], until=FORMATS["percent"](until or 0),
    )  # fmt: skip
    gaps = {name: FORMATS[gap](value) for name, value in behind.items()}
    return tag("b", told[key].format(**gaps)), tag("p", ends)
