"""What was wrong with a link: a list above a page's controls that stays until it is dismissed."""

from __future__ import annotations

from collections.abc import Sequence

from bnviz.ui.component import component, drawn_by
from bnviz.words.texts import texts


def answer_link(told: Sequence[str]) -> None:
    """Draw the list, if something was wrong.

    Args:
        told: sentences with field, value, what is allowed, and what is used instead.
    """
    if told:
        words = texts(name="navigation")["link"]
        component("link_answers")(
            key="link_answers", data={**drawn_by("link_answers.js"), **words, "told": list(told)}
        )
