"""The widget *a circle of small changes*, of which a matrix of two rows makes an ellipse."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import Field

from bnviz.ui.lesson_widgets.widget import WidgetState

# Of an entry, and of a half-axis of four of them.
MOST = 1.2
_Entry = Annotated[float, Field(ge=-MOST, le=MOST)]
_HalfAxis = Annotated[float, Field(ge=0, le=2 * MOST + 1e-9)]
_Row = tuple[_Entry, _Entry]

_TURN = math.radians(30)
# What it begins with, and what its buttons set, by their words' names.
MATRICES: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "layer": ((1.2, 0.4), (0.3, 0.5)),
    "turn": ((math.cos(_TURN), -math.sin(_TURN)), (math.sin(_TURN), math.cos(_TURN))),
    "half_dead": ((1.2, 0.4), (0.0, 0.0)),
}


class EllipseState(WidgetState):
    """The matrix and its singular values.

    Attributes:
        matrix: J, by rows.
        long, short: the half-axes of the ellipse.
    """

    matrix: tuple[_Row, _Row]
    long: _HalfAxis
    short: _HalfAxis


def ellipse_data() -> dict[str, Any]:
    """The data of the widget: the matrices that its buttons set; it begins with the first."""
    return {"matrices": {name: [list(row) for row in rows] for name, rows in MATRICES.items()}}
