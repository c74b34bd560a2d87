"""Facts about a run that decide which parts its script needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Any

from bnviz.actions import SCALE_WEIGHTS, knobs_in, scaling_in
from bnviz.config import UNIT_FACTORS, RunConfig
from bnviz.data import DATASETS
from bnviz.networks import GRID, NETWORKS
from bnviz.norms import NORMS
from bnviz.records import Change

# Approximate number of steps at which a script prints its numbers.
PRINTED = 20

Values = dict[str, Any]


@dataclass(frozen=True)
class ScriptedRun:
    """Run to write as a script.

    Attributes:
        config: settings at step 0.
        log: live changes in order, as `with_change` returns them. Changes after `steps` are
            ignored.
        steps: last step.
        stand_in: data set that replaced the one of the config, or None.
    """

    config: RunConfig
    log: Sequence[Change] = ()
    steps: int = 100
    stand_in: str | None = None

    @property
    def dataset(self) -> str:
        return self.stand_in or self.config.dataset

    @property
    def images(self) -> bool:
        return DATASETS[self.dataset].side is not None

    @property
    def noise(self) -> float:
        """Standard deviation of the noise in the inputs."""
        own = self.config.noise
        return DATASETS[self.dataset].noise if own is None else own

    @property
    def every(self) -> int:
        """Steps between two printed lines, as in the command line of the dialog."""
        return max(1, math.ceil(self.steps / PRINTED))

    @property
    def times(self) -> int:
        """Number of time steps of a recurrent network."""
        features = DATASETS[self.dataset].features
        return features if self.config.sequence == "pixels" else isqrt(features)

    @property
    def unit_shape(self) -> tuple[int, ...]:
        """Shape of one value per unit, which broadcasts against a layer's values."""
        return (1, self.config.width, *((1, 1) if self.config.network == "conv" else ()))

    @property
    def batch_axes(self) -> tuple[int, ...]:
        """Axes over which batch statistics are computed."""
        return (0, 2, 3) if self.config.network == "conv" else (0,)

    # Live changes.

    @cached_property
    def _stages(self) -> list[tuple[int, Values]]:
        """Live settings at step 0 and after each step with changes."""
        config, found = self.config, [(0, _live(self.config))]
        for change in self.log:
            if change.step > self.steps:
                break
            # The values were checked when the log took them. To check them again would take most of
            # the time for a run with thousands of changes.
            config = config.model_copy(update=knobs_in(change.values))
            found.append((change.step, _live(config)))
        return found

    @cached_property
    def changed(self) -> frozenset[str]:
        """Names of the live settings and actions that change during the run."""
        start = self._stages[0][1]
        names = {
            name for _, values in self._stages for name in values if values[name] != start[name]
        }
        return frozenset(names | ({SCALE_WEIGHTS} if self._scalings else set()))

    @cached_property
    def _scalings(self) -> dict[int, list[tuple[float, int | None]]]:
        """Factors and layers (None: all) by which weights are multiplied, by step."""
        found: dict[int, list[tuple[float, int | None]]] = {}
        for change in self.log:
            scaling = scaling_in(change.values)
            if scaling is not None and change.step <= self.steps:
                found.setdefault(change.step, []).append((scaling.factor, scaling.layer))
        return found

    @property
    def changes(self) -> dict[int, Values]:
        """New values of the live settings, and actions, by step."""
        found: dict[int, Values] = {}
        before = self._stages[0][1]
        for step, values in self._stages[1:]:
            new = {name: value for name, value in values.items() if value != before[name]}
            found.setdefault(step, {}).update(new)
            before = values
        for step, scalings in self._scalings.items():
            found.setdefault(step, {})[SCALE_WEIGHTS] = scalings
        return {step: values for step, values in sorted(found.items()) if values}

    @property
    def knobs(self) -> Values:
        """Values at step 0 of the live settings that change later."""
        return {name: value for name, value in self._stages[0][1].items() if name in self.changed}

    def ever(self, name: str) -> list[Any]:
        """Return all values that a live setting has during the run."""
        return [values[name] for _, values in self._stages]

    @property
    def own_rates(self) -> bool:
        """Return whether groups of parameters ever have different learning rates."""
        return any(tuple(factors) != UNIT_FACTORS for factors in self.ever("rate_factors"))

    @property
    def fixes_statistics(self) -> bool:
        """Return whether norms ever train with their running averages."""
        return "running" in self.ever("norm_statistics")

    # Norms.

    @property
    def after(self) -> tuple[str, ...]:
        """Networks whose norms follow the nonlinearity."""
        position = self.config.norm_position
        if self.config.network == "recurrent":
            return ()
        return tuple(
            norm for norm in self.config.norms
            if norm != "none" and not NORMS[norm].stands_first(position)
        )  # fmt: skip

    @property
    def before(self) -> bool:
        """Return whether a norm of any network precedes the nonlinearity."""
        return any(norm not in (*self.after, "none") for norm in self.config.norms)

    @property
    def drops(self) -> bool:
        """Return whether a norm also drops outputs of its layer."""
        return any(NORMS[norm].drops for norm in self.config.norms)

    @property
    def pausing(self) -> tuple[str, ...]:
        """Networks that pause while a mini-batch is too small for their norm."""
        places = GRID**2 if self.config.network == "conv" else 1
        if all(size * places > 1 for size in self.ever("batch_size")):
            return ()
        return tuple(norm for norm in self.config.norms if NORMS[norm].minimum_batch > 1)

    @property
    def branches(self) -> bool:
        """Return whether residual branches start at another size."""
        config = self.config
        return NETWORKS[config.network].skips and config.skip > 0 and config.branch_start != 1


def _live(config: RunConfig) -> Values:
    """Return the live settings, with the learning rate of each network."""
    rates = config.rates()
    return {
        "learning_rate": rates, "rate_factors": config.rate_factors,
        "batch_size": config.batch_size, "momentum": config.momentum,
        "weight_decay": config.weight_decay, "norm_statistics": config.norm_statistics,
    }  # fmt: skip
