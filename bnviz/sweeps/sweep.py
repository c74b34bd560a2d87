"""Sweep over learning rates and batch sizes, with the same results, to the bit, as live runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bnviz.config import ConfigError, RunConfig
from bnviz.sweeps.cells import Cell, CellOutcome
from bnviz.sweeps.plane import Axis, Plane, planes_of
from bnviz.sweeps.pool import Pool
from bnviz.sweeps.rows import in_order
from bnviz.words.phrase import phrase

MOST_CELLS = 100_000
MOST_STEPS = 100_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class SweepResult:
    """Outcomes of a sweep; arrays have the axes [norm, learning rate, batch size]."""

    norms: tuple[str, ...]
    learning_rates: tuple[float, ...]
    batch_sizes: tuple[int, ...]
    steps: int
    seeds: tuple[int, ...]
    cells: tuple[Cell, ...] = field(repr=False)
    outcomes: Mapping[Cell, CellOutcome] = field(repr=False)

    @property
    def state(self) -> np.ndarray:
        """State of the first seed's network after the last step; "paused" if no step was taken."""
        return self._of_first_seed(lambda outcome: outcome.state)

    @property
    def break_step(self) -> np.ndarray:
        """Step at which the first seed's network broke; -1 if it did not break."""
        return self._of_first_seed(lambda outcome: outcome.broke.step if outcome.broke else -1)

    @property
    def test_accuracy(self) -> np.ndarray:
        """Test accuracy after the last step, 0 to 1: median over seeds, with NaN as 0."""
        found = self.by_seed(lambda outcome: outcome.test_accuracy)
        return np.asarray(np.median(np.nan_to_num(found, nan=0.0), axis=-1))

    @property
    def test_loss(self) -> np.ndarray:
        """Mean loss of the first seed's network on the test set; NaN if not finite."""
        return self._of_first_seed(lambda outcome: outcome.test_loss)

    @property
    def learned(self) -> np.ndarray:
        """Share of the seeds with a test accuracy of at least `LEARNED`."""
        found = self.by_seed(lambda outcome: outcome.learned)
        return np.asarray(found.mean(axis=-1))

    def rows(self) -> list[dict[str, Any]]:
        return in_order(self.cells, self.outcomes)

    def by_seed(self, value: Callable[[CellOutcome], Any]) -> np.ndarray:
        """Return `value` of every outcome, [norm, learning rate, batch size, seed]."""
        shape = tuple(map(len, (self.norms, self.learning_rates, self.batch_sizes, self.seeds)))
        return np.array([value(self.outcomes[cell]) for cell in self.cells]).reshape(shape)

    def _of_first_seed(self, value: Callable[[CellOutcome], Any]) -> np.ndarray:
        return self.by_seed(value)[..., 0]


def sweep(
    config: RunConfig,
    *,
    learning_rates: Sequence[float],
    batch_sizes: Sequence[int],
    steps: int,
    progress: Progress | None = None,
    seeds: int = 1,
    workers: int = 1,
) -> SweepResult:
    """Run every network of a config at every learning rate and batch size, from step 0.

    Args:
        config: All other knobs; its own learning rate and batch size are ignored.
        progress: Called after each stack with the numbers of finished networks and of all networks.
        seeds: Number of runs per cell. Their seeds count upwards from the config's seed.
        workers: Number of processes.

    Raises:
        ConfigError: If a value is out of range.
    """
    cells = grid(
        config, learning_rates=learning_rates, batch_sizes=batch_sizes, steps=steps, seeds=seeds
    )
    done: dict[Cell, CellOutcome] = {}
    with Pool(workers) as pool:
        for found in pool.run_cells(cells):
            done.update(found)
            if progress is not None:
                progress(len(done), len(cells))
    return SweepResult(
        config.norms, tuple(learning_rates), tuple(batch_sizes), steps,
        tuple(range(config.seed, config.seed + seeds)), tuple(cells), done,
    )  # fmt: skip


def grid(
    config: RunConfig,
    *,
    learning_rates: Sequence[float],
    batch_sizes: Sequence[int],
    steps: int,
    seeds: int = 1,
) -> list[Cell]:
    """Return cells ordered by norm, rate, batch size and seed; raise `ConfigError` if invalid."""
    for name, values in (("learning_rates", learning_rates), ("batch_sizes", batch_sizes)):
        if not values or len(set(values)) < len(values):
            raise ConfigError(name, list(values), phrase("errors.distinct_values"))
    for name, value, high in (("steps", steps, MOST_STEPS), ("seeds", seeds, MOST_CELLS)):
        if not 1 <= value <= high:
            raise ConfigError(name, value, phrase("errors.int_between", low=1, high=high))
    count = len(config.norms) * len(learning_rates) * len(batch_sizes) * seeds
    if count > MOST_CELLS:
        raise ConfigError("networks", count, phrase("errors.int_between", low=1, high=MOST_CELLS))
    return [
        Cell(
            config.replace(
                norms=(norm,), learning_rate=rate, learning_rates=None, batch_size=size, seed=seed
            ),
            steps,
        )
        for norm in config.norms
        for rate in learning_rates
        for size in batch_sizes
        for seed in range(config.seed, config.seed + seeds)
    ]


def planes(
    config: RunConfig,
    *,
    learning_rates: Sequence[float],
    batch_sizes: Sequence[int],
    steps: int,
    seeds: int = 1,
) -> tuple[Plane, ...]:
    """Return a refinable map for each network of a config; raise `ConfigError` as `grid` does."""
    grid(config, learning_rates=learning_rates, batch_sizes=batch_sizes, steps=steps, seeds=seeds)
    columns = Axis("learning_rate", tuple(sorted(learning_rates)))
    rows = Axis("batch_size", tuple(sorted(batch_sizes)))
    return planes_of(config, columns, rows, steps, seeds)
