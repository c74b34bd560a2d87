"""The widget *Your own verdict*: one of some accounts, and why, in the reader's own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from bnviz.ui.lesson_widgets.widget import WidgetState
from bnviz.ui.query_schema import LONGEST_REASON

LONGEST_NAME = 40


class OwnVerdictState(WidgetState):
    """The state of the widget.

    Attributes:
        account: the name of the account that was chosen, or None.
        because: what was written; "" for nothing.
    """

    account: Annotated[str, Field(max_length=LONGEST_NAME)] | None
    because: Annotated[str, Field(max_length=LONGEST_REASON)]


def own_verdict_data(
    lesson: str,
    accounts: Mapping[str, tuple[str, str]],
    *,
    account: str | None = None,
    because: str = "",
) -> dict[str, Any]:
    """The data of the widget.

    Args:
        lesson: whose it is; the browser keeps one verdict a lesson.
        accounts: by name, what each is called and what it says, in order.
        account, because: as the address has them.
    """
    return {
        "lesson": lesson,
        "accounts": [[name, label, line] for name, (label, line) in accounts.items()],
        "most": LONGEST_REASON,
        "account": account,
        "because": because,
    }
