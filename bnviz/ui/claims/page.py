"""HTML of the claims page: surprises, the short list, then every statement."""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from bnviz.claims import CLAIMS
from bnviz.claims.amounts import median_and_range
from bnviz.claims.results import ClaimResults, Results, Row
from bnviz.claims.statement import StatementKind
from bnviz.claims.table import (
    LISTS,
    again_words,
    counts,
    counts_by_source,
    declared,
    exact_words,
    heading,
    how_to_read,
    leading,
    listed,
    outcome_word,
    remarks,
)
from bnviz.live.web.templates import Templates, offer, pack
from bnviz.locations import locations
from bnviz.presets import PRESETS
from bnviz.ui.claims.measured import measured
from bnviz.ui.claims.row import mark, row_item
from bnviz.ui.claims.surprises import surprises
from bnviz.ui.component import component, drawn_by
from bnviz.ui.html import Markup, joined, paragraphs, prose, tag
from bnviz.ui.language import carried
from bnviz.ui.query_schema import FOREIGN_NAMES, FOREIGN_PREFIXES
from bnviz.ui.sitemap import lab_address
from bnviz.words.joining import sentences
from bnviz.words.texts import current_language, texts


def _words() -> Mapping[str, Any]:
    return texts("claims")


def page(results: Results) -> Markup:
    return tag(
        "div", _head(results), surprises(results), _short(results), _how(results),
        _search(results), _closest(),
        tag("div", *map(_experiment, results.claims), class_="claims-list"),
        tag("p", _words()["search"]["nothing"], class_="claims-nothing", hidden=True),
        tag("div", class_="claims-problems", role="alert"),
        class_="claims", data_testid="claims",
    )  # fmt: skip


def _head(results: Results) -> Markup:
    stated = len(declared(results))
    intro = _words()["intro"].format(declared=stated, found=len(results.rows) - stated)
    return tag("header", tag("h1", _words()["title"]), tag("p", intro), class_="claims-head")


def _short(results: Results) -> Markup:
    """Collapsible short list of statements, below a table of statement counts by outcome."""
    again = sentences((exact_words(results), again_words(results)))
    return tag(
        "details", tag("summary", tag("h2", _words()["present"])), _headline(results),
        _leads(results), tag("p", again, class_="claims-again") if results.again_seeds else None,
        class_="claims-how claims-short",
    )  # fmt: skip


def _headline(results: Results) -> Markup:
    """Table that counts the declared statements by source and outcome."""
    words = _words()
    head = tag(
        "tr", tag("th", words["counts"], scope="col"),
        *(tag("th", mark(each), outcome_word(each), scope="col")
          for each in counts(declared(results))),
        tag("th", words["of"], scope="col"),
    )  # fmt: skip
    body = []
    for kind, cells in counts_by_source(results).items():
        name = words["by"].format(kind=words["kind"][kind.slug]) if kind else words["all"]
        body.append(
            tag("tr", tag("th", name, scope="row"), *(tag("td", str(cell)) for cell in cells))
        )
    return tag(
        "table", tag("caption", words["counts_help"], class_="claims-unseen"),
        tag("thead", head), tag("tbody", *body), class_="claims-counts",
    )  # fmt: skip


def _leads(results: Results) -> Markup:
    """Short list with one column per outcome; a column with over half of the rows is wider."""
    leads = {wanted: leading(results, wanted) for wanted in LISTS}
    half = sum(map(len, leads.values())) / 2
    columns = []
    for wanted, rows in leads.items():
        number = counts(declared(results)).get(wanted, 0)
        found = tag("ul", *map(_lead, rows)) if rows else tag("p", _words()["none"])
        columns.append(
            tag("section",
                tag("h3", mark(wanted), tag("span", heading(wanted)),
                    tag("small", _words()["number"].format(number=number))),
                tag("div", found, class_="claims-scroll"),
                class_="claims-column claims-long" if len(rows) > half else "claims-column")
        )  # fmt: skip
    return tag("div", *columns, class_="claims-leads")


def _lead(row: Row) -> Markup:
    return tag(
        "li", tag("a", prose(row.lead), href=f"#{row.place}"),
        tag("small", tag("span", row.place), f" {median_and_range(row)}{remarks(row)}"),
    )  # fmt: skip


def _how(results: Results) -> Markup:
    """Collapsible text on how to read the page. The same text is in bnviz/claims/README.md."""
    command = _words()["command"].format(command="python -m bnviz claim E6", torch=results.torch)
    return tag(
        "details", tag("summary", tag("h2", _words()["how"])),
        tag("div", paragraphs(how_to_read(results)), paragraphs(command), class_="claims-prose"),
        class_="claims-how",
    )  # fmt: skip


def _search(results: Results) -> Markup:
    """Search field and filters; the browser adds the row count of each filter."""
    words = _words()["search"]
    kinds = [kind for kind in StatementKind if any(row.kind == kind for row in results.rows)]
    return tag(
        "search",
        tag("h2", words["list"], class_="claims-unseen"),
        tag(
            "div",
            tag("input", type="search", name="q", aria_label=words["label"],
                placeholder=words["hint"], autocomplete="off", spellcheck="false", maxlength=200),
            tag("p", role="status", class_="claims-shown"),
            tag("button", words["clear"], type="button", class_="claims-clear", hidden=True),
            class_="claims-field",
        ),
        tag(
            "div",
            _chips("outcome", *(_chip(each.slug, joined(mark(each), outcome_word(each)))
                                for each in counts(results.rows))),
            _chips("source", *(_chip(kind.slug, prose(_words()["kind"][kind.slug]))
                               for kind in kinds)),
            _chips("experiment", *(_subject(each.name) for each in results.claims)),
            class_="claims-filters",
        ),
        class_="claims-search",
    )  # fmt: skip


def _chips(field: str, *chips: Markup) -> Markup:
    """Filter buttons of one field: outcome, source or experiment."""
    label = _words()["search"][field]
    return tag(
        "div", tag("span", label, aria_hidden="true"), *chips, role="group", aria_label=label,
        data_field=field, class_="claims-chips",
    )  # fmt: skip


def _chip(value: str, shown: Markup, title: str | None = None) -> Markup:
    return tag(
        "button", shown, tag("small"), type="button", class_="bnviz-pill claims-chip",
        data_value=value, aria_pressed="false", title=title,
    )  # fmt: skip


def _subject(name: str) -> Markup:
    """Filter button of an experiment; narrow windows show only its number."""
    label = CLAIMS[name].label
    return _chip(name, tag("span", tag("b", name), tag("span", f" {label}")), label)


def _closest() -> Markup:
    """Empty section that the browser fills with the rows closest to a search."""
    return tag(
        "section", tag("h3", _words()["search"]["closest"]), tag("ol"),
        tag("h3", _words()["search"]["others"], class_="claims-others"),
        class_="claims-closest", hidden=True,
    )  # fmt: skip


def _experiment(claim: ClaimResults) -> Markup:
    entry = CLAIMS[claim.name]
    return tag(
        "section",
        tag("h2", tag("span", claim.name), f" {entry.label}"),
        tag("p", prose(entry.help), " ", tag("span", entry.source), class_="claims-about"),
        tag("p", prose(claim.note), class_="claims-note") if claim.note else None,
        _presets(entry.presets),
        *(_group(name, rows) for name, rows in claim.groups.items()),
        class_="claims-experiment", data_experiment=claim.name,
    )  # fmt: skip


def _presets(names: Sequence[str]) -> Markup | None:
    labels = texts(name="presets")
    links = [
        tag("a", labels[name]["label"], href=lab_address({"preset": name}), target="_self")
        for name in names
        if name in PRESETS
    ]
    if not links:
        return None
    between = [part for link in links for part in (", ", link)][1:]
    return tag("p", f"{_words()['row']['presets']}: ", *between, class_="claims-note")


def _group(name: str, rows: Sequence[Row]) -> Markup:
    words = _words()["group"]
    note = words[f"{name}_note"].format(seeds=listed(rows[0].seeds))
    return tag(
        "div", tag("h3", words[name], " ", tag("small", note)), tag("ol", *map(row_item, rows)),
        class_=f"claims-group claims-{name}",
    )  # fmt: skip


KEY = "claims"
_making = threading.Lock()


def mount_claims() -> None:
    st.html(locations().assets / "claims.css")
    component("claims")(
        key=KEY,
        data={
            **drawn_by("claims.js"),
            "page": offer(_page()),
            "language": current_language(),
            "texts": dict(texts(name="claims")["search"]),
            "foreign": {"names": sorted(FOREIGN_NAMES), "prefixes": list(FOREIGN_PREFIXES)},
        },
    )


def _page() -> Templates:
    # Let only one thread at a time build the page. Otherwise, forty visitors who arrive at the same
    # time would make the server build it forty times.
    with _making:
        return _packed(current_language(), tuple(carried().items()))


@functools.cache
def _packed(code: str, carried_along: tuple[tuple[str, str], ...]) -> Templates:
    """Compressed HTML of the page, cached by language and by the parameters in its links."""
    return pack({"html": page(measured())})
