"""`RunConfig`: every knob of a run, with its range, default and help text, once.

Widgets, links, the command line and the workers all read it; nothing else validates. torch is not
imported here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, Le
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bnviz.data import DATASETS
from bnviz.knobs import ConfigError, Knob, describe, from_text, listed, to_text
from bnviz.norms import NORMS

__all__ = ["KNOBS", "LIVE_KNOBS", "ConfigError", "Knob", "RunConfig"]

# A worker core does roughly this many floating point operations a second on layers of 100 to 512
# units; used only to turn a config's size into words a person understands.
FLOPS_PER_SECOND = 3e10
MAX_SECONDS_PER_STEP = 0.25
MAX_BYTES_PER_RUN = 256 * 2**20


def _knob(default: Any, label: str, description: str, *, live: bool = False, **extra: Any) -> Any:
    return Field(
        default, title=label, description=description, json_schema_extra={"live": live, **extra}
    )


Rate = Annotated[float, Ge(1e-5), Le(100)]


class RunConfig(BaseModel):
    """Everything that decides a run's result. Frozen; validated on construction.

    Raises:
        ConfigError: a knob is unknown, of the wrong type or out of range, or the knobs together
            ask for more work or memory than a run may use.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    dataset: str = _knob("digits", "Data", "What the networks learn to classify.")
    noise: Annotated[float, Ge(0), Le(1)] | None = _knob(
        None, "Noise", "Standard deviation of Gaussian noise added to the inputs before they are "
        "scaled; none given: the data set's own.",
    )  # fmt: skip
    input_scaling: Literal["standardize", "per_feature", "binary"] = _knob(
        "standardize", "Input scaling",
        "standardize: one mean and one standard deviation for all inputs, from the training part. "
        "per_feature: one pair an input. binary: above half of the range or not, as in Ioffe & "
        "Szegedy 2015.",
    )  # fmt: skip
    norms: tuple[str, ...] = _knob(
        ("none", "batch"), "Compare", "The networks trained side by side, named by their "
        "normalization. Same data, same initial weights, same mini-batches.",
    )  # fmt: skip
    depth: Annotated[int, Ge(1), Le(50)] = _knob(6, "Hidden layers", "Number of hidden layers.")
    width: Annotated[int, Ge(2), Le(512)] = _knob(
        100, "Units per layer", "Number of units in each hidden layer."
    )
    activation: Literal["sigmoid", "tanh", "relu", "gelu", "linear"] = _knob(
        "tanh", "Activation", "The nonlinearity of every hidden layer."
    )
    init: Literal["glorot", "he", "orthogonal", "normal"] = _knob(
        "glorot", "Initial weights", "How the weights are drawn at step 0; biases start at 0. The "
        "same weights in every network compared.",
    )  # fmt: skip
    init_std: Annotated[float, Gt(0), Le(10)] | None = _knob(
        None, "σ of the initial weights",
        "Standard deviation of normal initial weights; none given: 0.1. Only with init=normal.",
    )  # fmt: skip
    learning_rate: Rate = _knob(
        0.1, "Learning rate", "The factor on the gradient in each step. Acts at once.", live=True
    )
    learning_rates: tuple[Rate, ...] | None = _knob(
        None, "Learning rate of each network",
        "One rate a network, in the order of norms; none given: all run at learning_rate.",
        live=True,
    )  # fmt: skip
    batch_size: Annotated[int, Ge(1), Le(1024)] = _knob(
        60, "Batch size", "Examples in each mini-batch. Acts at once.", live=True
    )
    optimizer: Literal["sgd", "adam"] = _knob(
        "sgd",
        "Optimizer",
        "sgd: gradient descent, heavy-ball momentum. adam: Kingma & Ba 2015.",
    )
    momentum: Annotated[float, Ge(0), Le(0.999)] = _knob(
        0.0, "Momentum", "Share of the last update kept in the next one (SGD), or Adam's β₁. "
        "Acts at once.", live=True,
    )  # fmt: skip
    weight_decay: Annotated[float, Ge(0), Le(1)] = _knob(
        0.0, "Weight decay", "This times each weight is added to its gradient. Acts at once.",
        live=True,
    )  # fmt: skip
    norm_eps: Annotated[float, Ge(0), Le(1)] = _knob(
        1e-5, "ε", "Added to the variance before the square root."
    )
    norm_momentum: Annotated[float, Gt(0), Le(1)] = _knob(
        0.1, "Running-statistics momentum",
        "Weight of the new value in BN's running mean and variance (torch's convention).",
    )  # fmt: skip
    norm_affine: bool = _knob(
        True, "Learn γ and β", "Whether scale and shift after the normalization are learned."
    )
    norm_position: Literal["before", "after"] = _knob(
        "before", "Norm's place", "Before or after the nonlinearity."
    )
    seed: Annotated[int, Ge(0), Le(2**31 - 1)] = _knob(
        0, "Seed", "Decides initial weights, order of the data and their noise."
    )
    device: Literal["auto", "cpu", "cuda"] = _knob(
        "auto", "Device", "auto: the GPU if there is one."
    )

    def __init__(self, **values: Any) -> None:
        for name, value in values.items():
            if isinstance(value, bool) and name in KNOBS and KNOBS[name].kind in ("int", "float"):
                raise ConfigError(name, value, KNOBS[name].allowed)
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _config_error(error) from None

    @model_validator(mode="after")
    def _check_together(self) -> RunConfig:
        _check_name("dataset", self.dataset, DATASETS)
        for norm in self.norms:
            _check_name("norms", norm, NORMS)
        if not 1 <= len(self.norms) <= 4 or len(set(self.norms)) < len(self.norms):
            raise _Problem("norms", self.norms, f"1 to 4 different names of {listed(NORMS)}")
        if self.learning_rates is not None and len(self.learning_rates) != len(self.norms):
            raise _Problem(
                "learning_rates", self.learning_rates,
                f"one rate for each of the {len(self.norms)} networks",
            )  # fmt: skip
        if self.init_std is not None and self.init != "normal":
            raise _Problem("init_std", self.init_std, "left out unless init is normal")
        self._check_size()
        return self

    def _check_size(self) -> None:
        seconds = self.flops_per_step() / FLOPS_PER_SECOND
        if seconds > MAX_SECONDS_PER_STEP:
            raise _Problem(
                "depth × width² × batch_size × networks",
                _Estimate(f"about {seconds:.2g} s a step"),
                f"at most {MAX_SECONDS_PER_STEP:g} s of work a step (fewer layers, units, examples "
                "or networks)",
            )
        size = self.bytes_per_run()
        if size > MAX_BYTES_PER_RUN:
            raise _Problem(
                "depth × width² × networks",
                _Estimate(f"about {size / 2**20:.0f} MB"),
                f"at most {MAX_BYTES_PER_RUN // 2**20} MB of memory a run (fewer layers, units or "
                "networks)",
            )

    def parameter_count(self) -> int:
        """Weights and biases of one network, γ and β not counted."""
        data = DATASETS[self.dataset]
        hidden = (self.depth - 1) * (self.width + 1) * self.width
        return (data.features + 1) * self.width + hidden + (self.width + 1) * data.classes

    def flops_per_step(self) -> float:
        """Estimated floating point operations of one step of every network (2 forward, 4 back)."""
        return 6.0 * self.parameter_count() * self.batch_size * len(self.norms)

    def bytes_per_run(self) -> float:
        """Estimated memory: weights, gradients, two optimizer slots, a checkpoint, activations."""
        values = 5 * self.parameter_count() + 8 * self.batch_size * self.width * self.depth
        return 4.0 * values * len(self.norms)

    def rates(self) -> dict[str, float]:
        """Learning rate by norm name."""
        rates = self.learning_rates or (self.learning_rate,) * len(self.norms)
        return dict(zip(self.norms, rates, strict=True))

    def replace(self, **changes: Any) -> RunConfig:
        """A new config with some knobs changed, validated as a whole."""
        return RunConfig(**{**self.model_dump(), **changes})

    def changed(self) -> dict[str, Any]:
        """The knobs that differ from their default."""
        return {
            name: value
            for name, value in self.model_dump().items()
            if value != type(self).model_fields[name].default
        }

    def to_query(self) -> dict[str, str]:
        """The knobs that differ from their default, as strings for a link."""
        return {name: to_text(value) for name, value in self.changed().items()}

    @classmethod
    def from_query(cls, query: Mapping[str, str | Iterable[str]]) -> RunConfig:
        """Read a link's query.

        Raises:
            ConfigError: names the knob, the value and what is allowed.
        """
        values: dict[str, Any] = {}
        for name, given in query.items():
            if name not in KNOBS:
                raise ConfigError(name, given, f"one of the knobs {listed(KNOBS)}")
            if not isinstance(given, str):
                parts = list(given)
                if len(parts) != 1:
                    raise ConfigError(name, parts, "given once")
                given = parts[0]
            values[name] = from_text(KNOBS[name], given)
        return cls(**values)


class _Estimate(str):
    """A value in words of ours; shown without the quotes that what was given has."""

    def __repr__(self) -> str:
        return str(self)


class _Problem(ValueError):
    """Carries the three parts of a `ConfigError` through pydantic."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        super().__init__(field)
        self.parts = (field, value, allowed)


def _config_error(error: ValidationError) -> ConfigError:
    first = error.errors(include_url=False)[0]
    problem = first.get("ctx", {}).get("error")
    if isinstance(problem, _Problem):
        return ConfigError(*problem.parts)
    name = str(first["loc"][0])
    if name not in KNOBS:
        return ConfigError(name, first["input"], f"one of the knobs {listed(KNOBS)}")
    return ConfigError(name, first["input"], KNOBS[name].allowed)


def _check_name(field: str, value: str, registry: Mapping[str, object]) -> None:
    if value not in registry:
        raise _Problem(field, value, f"one of {listed(registry)}")


KNOBS: dict[str, Knob] = {}
KNOBS.update({name: describe(name, info) for name, info in RunConfig.model_fields.items()})
LIVE_KNOBS = tuple(name for name, knob in KNOBS.items() if knob.live)
