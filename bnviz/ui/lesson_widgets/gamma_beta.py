"""The widget *γ and β bench*: how straight a nonlinearity is for what it receives, and what γ and β
undo.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from bnviz.config import RunConfig
from bnviz.lessons.first_batches import BATCHES, first_batches
from bnviz.ui.lesson_widgets.widget import WidgetState

Curve = Literal["sigmoid", "tanh"]

_Share = Annotated[float, Field(ge=0, le=1)]
_Length = Annotated[float, Field(ge=0)]


class GammaBetaState(WidgetState):
    """What the visitor has set, and what was computed of it.

    Attributes:
        curve: the nonlinearity.
        gamma, beta: γ and β.
        explained: R² of the best straight line, for normal values of mean β and spread γ; None: γ
            is 0, and all values are one.
        flat: the share of those values in the flat zones.
        batch: which mini-batch is shown, from 1.
        mean, spread: μ and σ of its values.
        apart: the largest |y − x| in it.
        identity: whether γ and β give its values back.
    """

    curve: Curve
    gamma: _Length
    beta: float
    explained: _Share | None
    flat: _Share
    batch: Annotated[int, Field(ge=1, le=BATCHES)]
    mean: float
    spread: _Length
    apart: _Length
    identity: bool


def gamma_beta_data(config: RunConfig, *, curve: Curve = "sigmoid") -> dict[str, Any]:
    """The data of the widget: a unit's values in the first mini-batches of a run.

    Args:
        config: of the run, which is a fully connected one.
        curve: at first.
    """
    return {
        "batches": first_batches(config).tolist(),
        "start": {"curve": curve, "gamma": 1, "beta": 0},
    }
