"""Error messages about a page address, and their list on the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from bnviz.knobs import cut
from bnviz.ui.component import component, drawn_by
from bnviz.words.texts import texts

# Problem of an address: a text key in the page's `notice` or in `navigation.link`, and the values
# for that text. `field` is the name of the parameter.
Problem = tuple[str, dict[str, str]]

# Maximum number of allowed names in an error message; a longer list is cut to similar names.
MOST_ALLOWED = 12
# Minimum similarity, from 0 to 1, of a name that is suggested for an unknown name.
CLOSE = 0.75


def problem_text(problem: Problem, notices: Mapping[str, str]) -> str:
    """Error message for a problem of an address; `notices` are the page's own messages."""
    key, values = problem
    sentence = notices[key] if key in notices else texts("navigation")["link"][key]
    return sentence.format(**values)


def used_text(used: str) -> str:
    """Sentence on the value used instead; "" means that the parameter is omitted."""
    words = texts("navigation")["link"]
    return words["used"].format(used=used) if used else words["left_out"]


def no_parameter(name: str, known: Iterable[str]) -> Problem:
    """Problem of an unknown parameter, with the closest name in `known` as a suggestion."""
    given = {"field": shortened(name)[1:-1]}
    close = get_close_matches(name, known, 1, CLOSE)
    return ("unknown_but", {**given, "close": close[0]}) if close else ("unknown", given)


def allowed_like(name: str, names: Sequence[str]) -> str:
    """Allowed names as text; a long list is cut to the names closest to the invalid `name`."""
    close = get_close_matches(name, names, 3, CLOSE) if len(names) > MOST_ALLOWED else []
    return ", ".join([*close, "…"] if close else names)


def shortened(text: str) -> str:
    """Quote a text from an address in at most 60 characters."""
    return repr(cut(text, 60))


def answer_link(told: Sequence[str], *, link: str | None = None, at: str = "") -> None:
    """Draw the problems of a link above the controls, until the reader dismisses them.

    Args:
        told: Messages with the field, its value, the allowed values and the value used instead.
        link: Id of this opening of a link; a dismissed list does not return for the same id. None
            uses the messages as the id, because the page's address keeps the problems.
        at: Id of the run. The list remains while the tab shows this run, even though the page has
            corrected its address.
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
