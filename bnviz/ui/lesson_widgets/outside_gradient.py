"""*Outside the gradient*: a bias that a mean takes out again, learned with and without it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from bnviz.claims.alone import RATE, STEPS, layer_alone
from bnviz.ui.lesson_widgets.widget import WidgetState

_Size = Annotated[float, Field(ge=0)]


class OutsideState(WidgetState):
    """What both runs came to.

    Attributes:
        steps: how many were taken.
        loss: at step 0.
        loss_range: highest less lowest loss, where E is a constant to the gradient.
        norm_half, norm_end: ‖b‖ there after half of the steps, and after all.
        inside_end: ‖b‖ after all steps where E is differentiated too.
    """

    steps: Annotated[int, Field(ge=1, le=STEPS)]
    loss: _Size
    loss_range: _Size
    norm_half: _Size
    norm_end: _Size
    inside_end: _Size


def outside_gradient_data(seed: int = 0, *, begun: bool = False) -> dict[str, Any]:
    """What the widget is mounted with: the layer of claim E3 under a seed.

    Args:
        seed: of the layer's numbers.
        begun: whether both runs are made at once, without the button.
    """
    layer = layer_alone(seed)
    return {
        "layer": {name: array.tolist() for name, array in layer._asdict().items()},
        "steps": STEPS,
        "rate": RATE,
        "begun": begun,
    }
