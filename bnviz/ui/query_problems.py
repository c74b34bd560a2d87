"""The problems of an address: a sentence on each, and on what is used instead; their list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from bnviz.knobs import cut
from bnviz.ui.component import component, drawn_by
from bnviz.words.texts import texts

# A problem of an address: a key of the page's words `notice`, or of `navigation.link`, and what
# fills that sentence; `field` names what is wrong.
Problem = tuple[str, dict[str, str]]

# A longer list of allowed names is cut to those that resemble the wrong one.
MOST_ALLOWED = 12
# How much a name resembles a wrong one that was probably meant to be it, of 1.
CLOSE = 0.75


def problem_text(problem: Problem, notices: Mapping[str, str]) -> str:
    """The sentence on something that is wrong in an address.

    Args:
        problem: what is wrong.
        notices: the page's words for it.
    """
    key, values = problem
    sentence = notices[key] if key in notices else texts("navigation")["link"][key]
    return sentence.format(**values)


def used_text(used: str) -> str:
    """The sentence on what a page uses in place of something wrong; "": nothing."""
    words = texts("navigation")["link"]
    return words["used"].format(used=used) if used else words["left_out"]


def no_parameter(name: str, known: Iterable[str]) -> Problem:
    """The problem of a name in an address that its page does not read.

    Args:
        name: that name.
        known: the names that it reads.
    """
    given = {"field": shortened(name)[1:-1]}
    close = get_close_matches(name, known, 1, CLOSE)
    return ("unknown_but", {**given, "close": close[0]}) if close else ("unknown", given)


def allowed_like(name: str, names: Sequence[str]) -> str:
    """The names that are allowed in place of a wrong one; of a long list the closest, and "…"."""
    close = get_close_matches(name, names, 3, CLOSE) if len(names) > MOST_ALLOWED else []
    return ", ".join([*close, "…"] if close else names)


def shortened(text: str) -> str:
    """A text from an address in quotes, as a sentence repeats it: at most 60 characters."""
    return repr(cut(text, 60))


def answer_link(told: Sequence[str], *, link: str | None = None, at: str = "") -> None:
    """Draw the problems of a link above the controls, until the reader dismisses them.

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
