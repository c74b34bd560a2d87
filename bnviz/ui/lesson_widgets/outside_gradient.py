"""The widget *Outside the gradient*: a bias before a mean is subtracted, learned by two gradients.

One gradient takes the mean for a constant, the other differentiates it too.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from bnviz.claims.single_layer import RATE, STEPS, single_layer
from bnviz.ui.lesson_widgets.widget import WidgetState

_Size = Annotated[float, Field(ge=0)]


class OutsideState(WidgetState):
    """The results of both runs.

    Attributes:
        steps: how many were taken.
        loss: at step 0.
        loss_range: highest less lowest loss, where the mean is a constant to the gradient.
        norm_half, norm_end: ‖b‖ in that run after half of the steps, and after all.
        inside_end: ‖b‖ after all steps where the mean is differentiated.
    """

    steps: Annotated[int, Field(ge=1, le=STEPS)]
    loss: _Size
    loss_range: _Size
    norm_half: _Size
    norm_end: _Size
    inside_end: _Size


def outside_gradient_data(seed: int = 0, *, begun: bool = False) -> dict[str, Any]:
    """The data of the widget: the layer of claim E3.

    Args:
        seed: of the layer's numbers.
        begun: whether both runs start without the button.
    """
    layer = single_layer(seed)
    return {
        "layer": {name: array.tolist() for name, array in layer._asdict().items()},
        "steps": STEPS,
        "rate": RATE,
        "begun": begun,
    }
