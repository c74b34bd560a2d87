"""The widget *By hand*: batch normalization of up to eight values, forward and backward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from bnviz.lessons.four_numbers import POINTS
from bnviz.ui.lesson_widgets.widget import WidgetState

MOST_VALUES = 8
EPSILONS = (0.0, 1e-5, 1e-3, 0.1)
Mode = Literal["forward", "backward"]

_Factor = Annotated[float, Field(ge=-3, le=3)]
_Given = Annotated[
    tuple[Annotated[float, Field(ge=-1e6, le=1e6)], ...],
    Field(min_length=1, max_length=MOST_VALUES),
]
_Found = Annotated[tuple[float | None, ...], Field(min_length=1, max_length=MOST_VALUES)]


class ByHandState(WidgetState):
    """The state of the widget. Arrays have one value an image; an undefined value is None.

    Attributes:
        mode: "forward", or "backward", which alone has the fields from `g` on.
        x: the values.
        gamma, beta, eps: γ, β, ε.
        changed: whether x̂ has other inputs than at the start.
        mean, variance: μ and the biased σ².
        normalized, y: x̂ and γ x̂ + β.
        g: ∂ℓ/∂y.
        through_mean, through_variance: whether the gradient takes these paths.
        revealed: how many of the six results the visitor has uncovered.
        dx, dgamma, dbeta, dmean, dvariance: the gradient by x, γ, β, μ and σ².
    """

    mode: Mode
    x: _Given
    gamma: _Factor
    beta: _Factor
    eps: float
    changed: bool
    mean: float
    variance: float
    normalized: _Found
    y: _Found
    g: _Given | None = None
    through_mean: bool | None = None
    through_variance: bool | None = None
    revealed: Annotated[int, Field(ge=0, le=6)] | None = None
    dx: _Found | None = None
    dgamma: float | None = None
    dbeta: float | None = None
    dmean: float | None = None
    dvariance: float | None = None

    @model_validator(mode="after")
    def _as_long(self) -> Self:
        arrays = (self.normalized, self.y, self.g, self.dx)
        if any(array is not None and len(array) != len(self.x) for array in arrays):
            raise ValueError("arrays of one value an image")
        if self.eps not in EPSILONS:
            raise ValueError(f"with eps one of {EPSILONS}")
        return self


def by_hand_data(
    mode: Mode = "forward",
    *,
    start: Sequence[float] = POINTS,
    g: Sequence[float] | None = None,
    eps: float | None = None,
    highlight: int | None = None,
    guess: str | None = None,
) -> dict[str, Any]:
    """The data of the widget.

    Args:
        mode: "backward" adds gradients at the outputs and the six results of the backward pass.
        start: values at first, and after a reset.
        g: gradients at the outputs at first; None: 1 for the first image, 0 for others.
        eps: ε at first; None: 1e-5, or backward 0, as on paper.
        highlight: index of the image that does not change: it is ringed, and its first x̂ is marked.
        guess: the guess about it, in few words.

    Raises:
        ValueError: names the argument, its value and what is allowed.
    """
    if not 1 <= len(start) <= MOST_VALUES:
        raise ValueError(f"`start` must have 1 to {MOST_VALUES} values, got {len(start)}.")
    arrows = list(g) if g is not None else [1.0, *[0.0] * (len(start) - 1)]
    if len(arrows) != len(start):
        raise ValueError(f"`g` must have {len(start)} values like `start`, got {len(arrows)}.")
    chosen = eps if eps is not None else (0.0 if mode == "backward" else 1e-5)
    if chosen not in EPSILONS:
        raise ValueError(f"`eps` must be one of {EPSILONS}, got {chosen}.")
    if highlight is not None and not 0 <= highlight < len(start):
        raise ValueError(f"`highlight` must be from 0 to {len(start) - 1}, got {highlight}.")
    return {
        "mode": mode,
        "start": {"x": list(start), "g": arrows, "gamma": 1, "beta": 0, "eps": chosen},
        "highlight": highlight,
        "guess": guess,
    }
