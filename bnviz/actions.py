"""Live actions: what is done once to the networks of a run, between two of its steps.

An action stands in the log of changes beside live knobs, under its name. A knob is a setting and
has a value from then on; an action changes the state and leaves the settings alone, so no
`RunConfig` has one.

`scale_weights` multiplies the weights of all hidden layers, or of one, by a factor. Biases, γ and
β, the output layer, running statistics and what an optimizer remembers stay as they are.
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

# As a change has it: the factor, and the hidden layer, from 1, or None for all of them.
ScalingValue = tuple[float, int | None]


class Scaling(NamedTuple):
    """A value of `scale_weights`.

    Attributes:
        factor: by which the weights are multiplied.
        layer: the hidden layer, from 1; None: all of them.
    """

    factor: float
    layer: int | None = None


def knobs_in(values: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a change that sets knobs."""
    return {name: value for name, value in values.items() if name not in ACTIONS}


def scaling_in(values: Mapping[str, Any]) -> Scaling | None:
    """The scaling that a change has, which was checked before; None: it has none."""
    value = values.get(SCALE_WEIGHTS)
    return None if value is None else Scaling(*value)


def check_actions(values: Mapping[str, Any], structure: Structure) -> dict[str, ScalingValue]:
    """The actions of a change, by name, as its log has them.

    Args:
        values: of the change, knobs included. An action's value is a factor and a layer, or None.
        structure: the run's config.

    Raises:
        ConfigError: a factor or a layer is not allowed.
    """
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
    """How many layers can be scaled by themselves; 0 where all of them share their weights."""
    return 0 if structure.network == "recurrent" else layer_count(structure)


def scaling_rule(structure: Structure) -> Phrase:
    """What a value of `scale_weights` may be."""
    bounds = {"low": f"{SMALLEST_FACTOR:g}", "high": f"{LARGEST_FACTOR:g}"}
    layers = scalable_layers(structure)
    if not layers:
        return phrase("errors.scaling_shared", **bounds)
    return phrase("errors.scaling", **bounds, layers=layers)


def scaling_to_text(value: ScalingValue) -> str:
    """A scaling as a command line has it: "10", or "10@3" for layer 3 alone."""
    factor, layer = value
    return to_text(factor) if layer is None else f"{to_text(factor)}@{layer}"


def scaling_from_text(text: str, structure: Structure) -> ScalingValue:
    """What a command line says of `scale_weights`; see `scaling_to_text`.

    Raises:
        ConfigError: it cannot be read, or is not allowed.
    """
    written, at, layer = text.partition("@")
    # Python would also read digits of other scripts, and 1_0 as 10.
    if text.isascii() and "_" not in text and (not at or (layer.isdecimal() and len(layer) < 5)):
        try:
            value = (float(written), int(layer) if at else None)
            return _check_scaling(value, structure)
        except ValueError:  # a ConfigError is one, too: it would quote the number, not the text
            pass
    raise ConfigError(SCALE_WEIGHTS, text, scaling_rule(structure))
