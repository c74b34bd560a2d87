"""The networks' colours in widgets: those that they have in charts."""

from __future__ import annotations

from collections.abc import Sequence

from bnviz.charts.theme import theme


def line_colours(norms: Sequence[str]) -> dict[str, dict[str, str]]:
    """By "light" and "dark", and by norm, the colour of a network's lines.

    Args:
        norms: of all networks that are shown together, in order.
    """
    return {
        "dark" if dark else "light": {
            norm: style.line for norm, style in theme(dark).networks(norms).items()
        }
        for dark in (False, True)
    }
