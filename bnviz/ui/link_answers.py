"""A list of the problems of a link, above the controls, until the reader dismisses it."""

from __future__ import annotations

from collections.abc import Sequence

from bnviz.ui.component import component, drawn_by
from bnviz.words.texts import texts


def answer_link(told: Sequence[str], *, link: str | None = None, at: str = "") -> None:
    """Draw the list.

    Args:
        told: sentences, each with the field, the value, the allowed values, and the value that the
            page uses.
        link: a name for this opening of a link. A dismissed list does not return for the same name.
            None: the sentences are the name, because the address of the page keeps the problems.
        at: the id of the run. The list stays while the browser's tab shows this run, although the
            page has corrected its address.
    """
    if told or link is not None:
        words = texts("navigation")["link"]
        component("link_answers")(
            key="link_answers",
            data={
                **drawn_by("link_answers.js"), "title": words["title"], "dismiss": words["dismiss"],
                "told": list(told), "link": " ".join(told) if link is None else link, "at": at,
            },
        )  # fmt: skip
