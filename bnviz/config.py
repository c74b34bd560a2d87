"""`RunConfig`: every knob of a run, with its range and default.

Widgets, links, the command line and the workers read these definitions, and only this module
validates knobs. It does not import torch. Names and help are in
`assets/texts/<language>/knobs.toml`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, NamedTuple

from annotated_types import Ge, Gt, Le
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bnviz.actions import ACTIONS, check_actions, knobs_in, scaling_from_text
from bnviz.checks import check
from bnviz.knobs import ConfigError, Knob, describe, from_text, to_text
from bnviz.networks import NETWORKS
from bnviz.records import Change
from bnviz.sizes import bytes_per_run, flops_per_step, layer_count
from bnviz.words.phrase import Phrase, listed, phrase

__all__ = [
    "KNOBS", "LIVE_KNOBS", "OPTIMIZER_DEFAULTS", "ConfigError", "Knob", "RunConfig", "StepSettings",
    "check_live", "check_live_name", "defaults", "read_changes", "with_change",
]  # fmt: skip


def _knob(default: Any, *, live: bool = False) -> Any:
    return Field(default, json_schema_extra={"live": live})


# Knobs whose default depends on the optimizer. β₁ is from Kingma & Ba 2015.
OPTIMIZER_DEFAULTS: dict[str, dict[str, Any]] = {"adam": {"momentum": 0.9}}

Rate = Annotated[float, Ge(1e-5), Le(100)]
Factor = Annotated[float, Ge(0), Le(1000)]
UpToOne = Annotated[float, Ge(0), Le(1)]

# Order of `rate_factors`: hidden weights and biases, γ and β, output layer.
RATE_GROUPS = ("weights", "norms", "output")
UNIT_FACTORS = (1.0, 1.0, 1.0)


class StepSettings(NamedTuple):
    """Settings of one network's next step."""

    learning_rate: float
    momentum: float
    weight_decay: float
    rate_factors: tuple[float, ...] = UNIT_FACTORS


class RunConfig(BaseModel):
    """Settings that determine a run's result. Immutable and validated on construction.

    Raises:
        ConfigError: if a knob is unknown, of the wrong type or out of range, or the run is too
            large.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    dataset: str = _knob("digits")
    noise: UpToOne | None = _knob(None)
    input_scaling: Literal["standardize", "per_feature", "unit", "binary"] = _knob("standardize")
    norms: tuple[str, ...] = _knob(("none", "batch"))
    network: str = _knob("mlp")
    sequence: Literal["rows", "pixels"] = _knob("rows")
    depth: Annotated[int, Ge(1), Le(50)] = _knob(6)
    width: Annotated[int, Ge(2), Le(512)] = _knob(100)
    skip: Annotated[int, Ge(0), Le(10)] = _knob(0)
    activation: Literal["sigmoid", "tanh", "relu", "gelu", "linear"] = _knob("tanh")
    init: Literal["glorot", "he", "orthogonal", "normal"] = _knob("glorot")
    init_std: Annotated[float, Gt(0), Le(10)] | None = _knob(None)
    branch_start: UpToOne = _knob(1.0)
    loss: Literal["cross_entropy", "squared"] = _knob("cross_entropy")
    learning_rate: Rate = _knob(0.1, live=True)
    learning_rates: tuple[Rate, ...] | None = _knob(None, live=True)
    rate_factors: tuple[Factor, ...] = _knob(UNIT_FACTORS, live=True)
    batch_size: Annotated[int, Ge(1), Le(1024)] = _knob(60, live=True)
    optimizer: Literal["sgd", "adam"] = _knob("sgd")
    momentum: Annotated[float, Ge(0), Le(0.999)] = _knob(0.0, live=True)
    weight_decay: UpToOne = _knob(0.0, live=True)
    norm_eps: UpToOne = _knob(1e-5)
    norm_momentum: Annotated[float, Gt(0), Le(1)] | None = _knob(0.1)
    norm_statistics: Literal["batch", "running"] = _knob("batch", live=True)
    norm_affine: bool = _knob(True)
    norm_position: Literal["before", "after"] = _knob("before")
    norm_groups: Annotated[int, Ge(1), Le(512)] = _knob(4)
    dropout: Annotated[float, Ge(0), Le(0.9)] = _knob(0.2)
    ghost_size: Annotated[int, Ge(2), Le(1024)] = _knob(8)
    recurrent_gamma: Annotated[float, Gt(0), Le(10)] = _knob(0.1)
    ablation_statistics: Literal["both", "mean", "variance"] = _knob("both")
    ablation_gradient: bool = _knob(True)
    ablation_affine: bool = _knob(True)
    ablation_bias: bool = _knob(False)
    ablation_layers: tuple[Annotated[int, Ge(1), Le(50)], ...] | None = _knob(None)
    seed: Annotated[int, Ge(0), Le(2**31 - 1)] = _knob(0)
    device: Literal["auto", "cpu", "cuda"] = _knob("auto")

    def __init__(self, /, **values: Any) -> None:
        values = {**defaults(values.get("network"), values.get("optimizer")), **values}
        for name, value in values.items():
            kind = KNOBS[name].kind if name in KNOBS else ""
            parts = value if isinstance(value, list | tuple) else (value,)
            if kind.startswith(("int", "float")) and any(isinstance(part, bool) for part in parts):
                raise ConfigError(name, value, KNOBS[name].rule)
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _config_error(error) from None
        self._note_chosen(self.changed())

    @model_validator(mode="after")
    def _check_together(self) -> RunConfig:
        check(self)
        return self

    @property
    def layer_count(self) -> int:
        """Number L of rows in measurements per layer: hidden layers, or time steps."""
        return layer_count(self)

    def flops_per_step(self) -> float:
        return flops_per_step(self)

    def bytes_per_run(self) -> float:
        return bytes_per_run(self)

    def rates(self) -> dict[str, float]:
        """Learning rate by norm name, before `rate_factors`."""
        rates = self.learning_rates or (self.learning_rate,) * len(self.norms)
        return dict(zip(self.norms, rates, strict=True))

    def step_settings(self, norm: str) -> StepSettings:
        return StepSettings(self.rates()[norm], self.momentum, self.weight_decay, self.rate_factors)

    @property
    def fixed_statistics(self) -> bool:
        """Return whether norms use their running averages as constants in training."""
        return self.norm_statistics == "running"

    @property
    def stability_edge(self) -> float | None:
        """Value of rate × curvature at the stability edge, 2(1 + β) / f (Cohen et al. 2021).

        β is the momentum and f the common factor of all rates. The result is None for Adam, for f =
        0 and for factors that differ, because a step is then not the gradient times one positive
        rate.
        """
        factor, *others = self.rate_factors
        if self.optimizer != "sgd" or not factor or any(each != factor for each in others):
            return None
        return 2 * (1 + self.momentum) / factor

    def stability_limits(self) -> dict[str, float | None]:
        """Curvature at the stability edge of each network, 2(1 + β)/η, by norm name."""
        edge = self.stability_edge
        return {norm: edge and edge / rate for norm, rate in self.rates().items()}

    def replace(self, **changes: Any) -> RunConfig:
        """Return a validated copy with some knobs changed.

        Knobs that were never set explicitly get the defaults of the new network and optimizer. An
        explicitly set value stays, even if it equals the default of an optimizer: SGD with momentum
        0.9 is unchanged after a switch to Adam and back.
        """
        chosen = {name: getattr(self, name) for name in self.model_fields_set}
        config = RunConfig(**{**chosen, **changes})
        config._note_chosen(config.model_fields_set | (chosen.keys() - changes.keys()))
        return config

    def _note_chosen(self, names: Iterable[str]) -> None:
        """Set pydantic's `model_fields_set` to these knobs. This does not affect equality."""
        object.__setattr__(self, "__pydantic_fields_set__", set(names))

    def changed(self) -> dict[str, Any]:
        """The knobs that differ from their default."""
        unset = {name: knob.default for name, knob in KNOBS.items()}
        unset |= defaults(self.network, self.optimizer)
        return {name: value for name, value in self.model_dump().items() if value != unset[name]}

    def to_query(self) -> dict[str, str]:
        """The knobs that differ from their default, as strings for a link."""
        return {name: to_text(value) for name, value in self.changed().items()}

    @classmethod
    def from_query(cls, query: Mapping[str, str | Iterable[str]]) -> RunConfig:
        """Parse the query of a link.

        Raises:
            ConfigError: names the knob, the value and what is allowed.
        """
        values: dict[str, Any] = {}
        for name, given in query.items():
            if name not in KNOBS:
                raise ConfigError(name, given, _a_knob())
            if not isinstance(given, str):
                parts = list(given)
                if len(parts) != 1:
                    raise ConfigError(name, parts, phrase("errors.once"))
                given = parts[0]
            values[name] = from_text(KNOBS[name], given)
        return cls(**values)


def defaults(network: object, optimizer: object) -> dict[str, Any]:
    """Defaults that depend on the network and the optimizer."""
    entry = NETWORKS.get(network) if isinstance(network, str) else None
    own = OPTIMIZER_DEFAULTS.get(optimizer) if isinstance(optimizer, str) else None
    return {**(entry.defaults if entry else {}), **(own or {})}


def _config_error(error: ValidationError) -> ConfigError:
    first = error.errors(include_url=False)[0]
    problem = first.get("ctx", {}).get("error")
    if isinstance(problem, ConfigError):
        return problem
    name = str(first["loc"][0])
    return ConfigError(name, first["input"], KNOBS[name].rule if name in KNOBS else _a_knob())


def _a_knob() -> Phrase:
    return phrase("errors.knob", names=listed(KNOBS))


KNOBS: dict[str, Knob] = {}
KNOBS.update({
    name: describe(name, RunConfig.model_fields[name].default, schema)
    for name, schema in RunConfig.model_json_schema()["properties"].items()
})  # fmt: skip
LIVE_KNOBS = tuple(name for name, knob in KNOBS.items() if knob.live)


def check_live_name(name: str, value: Any) -> None:
    """Raise ConfigError unless a knob of this name exists and can change during a run."""
    if name not in LIVE_KNOBS:
        key = "errors.not_live" if name in KNOBS else "errors.no_knob"
        raise ConfigError(name, value, phrase(key, names=listed((*LIVE_KNOBS, *ACTIONS))))


def check_live(values: Mapping[str, Any]) -> None:
    """Check that these knobs can change during a run and have JSON types.

    Ranges and actions are not checked here: see `RunConfig` and `check_actions`. Raise ConfigError
    with the name of the knob.
    """
    for name, value in knobs_in(values).items():
        check_live_name(name, value)
        allowed = str if KNOBS[name].kind == "choice" else int | float | None
        for part in value if isinstance(value, list | tuple) else (value,):
            if isinstance(part, bool) or not isinstance(part, allowed):
                raise ConfigError(name, value, KNOBS[name].rule)


def with_change(config: RunConfig, values: Mapping[str, Any]) -> tuple[RunConfig, dict[str, Any]]:
    """Check and apply a live change. Return the new config and the change's values for the log.

    Raises:
        ConfigError: if a knob cannot change during a run, or a value is not allowed.
    """
    check_live(values)
    knobs, actions = knobs_in(values), check_actions(values, config)
    config = config.replace(**knobs)
    return config, {**{name: getattr(config, name) for name in knobs}, **actions}


def read_changes(given: Iterable[tuple[int, str, str]], config: RunConfig) -> list[Change]:
    """Parse live changes from steps, names and texts, and sort them by step.

    Values with the same step form one change. An action that is repeated at a step becomes a
    separate change, so that one step can scale several layers. Raise ConfigError if a name or text
    is not allowed.
    """
    changes: list[Change] = []
    for step, name, text in sorted(given, key=lambda one: one[0]):
        value: Any
        if name in ACTIONS:
            value = scaling_from_text(text, config)
        else:
            check_live_name(name, text)
            config = RunConfig.from_query({**config.to_query(), name: text})
            value = getattr(config, name)
        again = name in ACTIONS and changes and name in changes[-1].values
        if not changes or changes[-1].step < step or again:
            changes.append(Change(step, {}))
        changes[-1].values[name] = value
    return changes
