"""The widget *Averages*: of what a stored value is made, and why its variance is corrected."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from bnviz.ui.lesson_widgets.compose_batch import NETWORK
from bnviz.ui.lesson_widgets.widget import WidgetState, network_colours

DECAYS = (0.9, 0.99, 0.999)
SIZES = (2, 4, 8, 60)


class AveragesState(WidgetState):
    """The running average that is shown.

    Attributes:
        decay: d, the weight of the old value at each step.
        steps: how many were taken.
        start: the share of the start value, dᵗ.
        below: after how many steps that is below a tenth.
    """

    decay: Annotated[float, Field(ge=0, le=1)]
    steps: Annotated[int, Field(ge=1, le=100_000)]
    start: Annotated[float, Field(ge=0, le=1)]
    below: Annotated[int, Field(ge=1)]


def averages_data(steps: int = 22) -> dict[str, Any]:
    """The data of the widget; it fetches the network of which variances are shown itself.

    Args:
        steps: how many are taken at first.
    """
    return {
        "network": NETWORK, "decays": list(DECAYS), "sizes": list(SIZES),
        "start": {"decay": DECAYS[0], "steps": steps},
        "colours": network_colours(("none", "batch")),
    }  # fmt: skip
