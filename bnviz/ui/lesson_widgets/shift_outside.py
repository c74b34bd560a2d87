"""The widget *Shift from outside*: images of another contrast and brightness than in training."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from bnviz.ui.lesson_widgets.widget import WidgetState, network_colours

NETWORK = "shift-outside"
NETWORKS = ("none", "batch")

_Share = Annotated[float, Field(ge=0, le=1)]


class ShiftState(WidgetState):
    """How the images were changed, and the share of them that is named correctly.

    Attributes:
        contrast, brightness: c and b: every pixel p, 0 to 1, becomes c·p + b.
        plain: without BN.
        stored: with BN, by stored statistics.
        own: with BN, by those of the changed images.
    """

    contrast: Annotated[float, Field(ge=0.2, le=2)]
    brightness: Annotated[float, Field(ge=-0.5, le=0.5)]
    plain: _Share
    stored: _Share
    own: _Share


def shift_outside_data() -> dict[str, Any]:
    """The data of the widget; it fetches both networks itself."""
    return {"network": NETWORK, "colours": network_colours(NETWORKS)}
