"""A table of a page that collects; on a phone each of its cells stands under its own heading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bnviz.ui.html import Markup, tag


def page_table(
    columns: Mapping[str, str],
    rows: Iterable[tuple[str, Mapping[str, str]]],
    label: str = "",
    class_: str = "",
) -> Markup:
    """The table.

    Args:
        columns: their headings, in order.
        rows: a name, and the cells by column.
        label: what the table is of, where a page has several.
        class_: the styles that it has instead of those of most pages.
    """
    heads = (tag("th", text, scope="col", role="columnheader") for text in columns.values())
    return tag(
        "table",
        tag("thead", tag("tr", *heads, role="row"), role="rowgroup"),
        tag("tbody", *(_row(columns, name, cells) for name, cells in rows), role="rowgroup"),
        class_=class_ or f"lesson-table lesson-table-{len(columns)}", role="table",
        aria_label=label or None,
    )  # fmt: skip


def _row(columns: Mapping[str, str], name: str, cells: Mapping[str, str]) -> Markup:
    return tag(
        "tr",
        *(tag("td", cells[key], role="cell", data_label=text) for key, text in columns.items()),
        role="row",
        data_row=name,
    )
