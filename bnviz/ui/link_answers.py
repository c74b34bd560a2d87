"""What was wrong with a link: a list above a page's controls that stays until it is dismissed."""

from __future__ import annotations

from collections.abc import Sequence

from bnviz.ui.component import component, drawn_by
from bnviz.words.texts import texts


def answer_link(told: Sequence[str], *, link: str | None = None, at: str = "") -> None:
    """Draw the list.

    Args:
        told: sentences with field, value, what is allowed, and what is used instead.
        link: a name for the link that was opened; the same link is not told of again once its list
            was dismissed. None: its sentences, on a page whose address goes on saying what is
            wrong.
        at: what the page shows. As long as the browser's tab shows it, the list stays, though the
            address has been corrected since.
    """
    if told or link is not None:
        words = texts(name="navigation")["link"]
        component("link_answers")(
            key="link_answers",
            data={
                **drawn_by("link_answers.js"), "title": words["title"], "dismiss": words["dismiss"],
                "told": list(told), "link": " ".join(told) if link is None else link, "at": at,
            },
        )  # fmt: skip
