"""Live actions: one-time changes to the networks of a run between two steps.

An action changes a network but no setting, so `RunConfig` has no field for it. `scale_weights`
multiplies the weights of hidden layers by a factor. It does not change biases, γ and β, the output
layer, running averages or the optimizer's state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bnviz.knobs import ConfigError, to_text
from bnviz.sizes import Structure, layer_count
from bnviz.words.phrase import Phrase, phrase

SCALE_WEIGHTS = "scale_weights"
ACTIONS = (SCALE_WEIGHTS,)

SMALLEST_FACTOR, LARGEST_FACTOR = 0.1, 10.0

# Factor and hidden layer of a scaling. Layers are counted from 1; None means all hidden layers.
ScalingValue = tuple[float, int | None]


class Scaling(NamedTuple):
    """Value of `scale_weights`: a factor, and a hidden layer (from 1) or None for all layers."""

    factor: float
    layer: int | None = None


def knobs_in(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the knob values of a change, without its actions."""
    return {name: value for name, value in values.items() if name not in ACTIONS}


def scaling_in(values: Mapping[str, Any]) -> Scaling | None:
    """Return the scaling of a checked change, or None if the change has no scaling."""
    value = values.get(SCALE_WEIGHTS)
    return None if value is None else Scaling(*value)


def check_actions(values: Mapping[str, Any], structure: Structure) -> dict[str, ScalingValue]:
    """Return the actions of a change, by name. Raise ConfigError if an action is not allowed."""
    return {
        name: _check_scaling(value, structure) for name, value in values.items() if name in ACTIONS
    }


def _check_scaling(value: Any, structure: Structure) -> ScalingValue:
    if isinstance(value, list | tuple) and len(value) == 2:
        factor, layer = value
        layers = scalable_layers(structure)
        if (
            isinstance(factor, int | float)
            and not isinstance(factor, bool)
            and SMALLEST_FACTOR <= factor <= LARGEST_FACTOR
            and (layer is None or (type(layer) is int and 1 <= layer <= layers))
        ):
            return float(factor), layer
    raise ConfigError(SCALE_WEIGHTS, value, scaling_rule(structure))


def scalable_layers(structure: Structure) -> int:
    """Return how many layers can be scaled individually, or 0 if all layers share their weights."""
    return 0 if structure.network == "recurrent" else layer_count(structure)


def scaling_rule(structure: Structure) -> Phrase:
    """Describe the allowed values of `scale_weights`."""
    bounds = {"low": f"{SMALLEST_FACTOR:g}", "high": f"{LARGEST_FACTOR:g}"}
    layers = scalable_layers(structure)
    if not layers:
        return phrase("errors.scaling_shared", **bounds)
    return phrase("errors.scaling", **bounds, layers=layers)


def scaling_to_text(value: ScalingValue) -> str:
    """Format a scaling for the command line: "10", or "10@3" for layer 3 alone."""
    factor, layer = value
    return to_text(factor) if layer is None else f"{to_text(factor)}@{layer}"


def scaling_from_text(text: str, structure: Structure) -> ScalingValue:
    """Parse the format of `scaling_to_text`. Raise ConfigError if the scaling is not allowed."""
    written, at, layer = text.partition("@")
    # `float()` and `int()` would also accept digits of other scripts, and would read 1_0 as 10.
    if text.isascii() and "_" not in text and (not at or (layer.isdecimal() and len(layer) < 5)):
        try:
            value = (float(written), int(layer) if at else None)
            return _check_scaling(value, structure)
        # `ValueError` includes the `ConfigError` from above, whose message would quote the number
        # instead of the text
        except ValueError:
            pass
    raise ConfigError(SCALE_WEIGHTS, text, scaling_rule(structure))
