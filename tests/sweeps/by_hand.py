"""Maps whose outcomes are given by a function of the test."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from bnviz.records import Break
from bnviz.sweeps.cells import Cell, CellOutcome
from bnviz.sweeps.setting import BASE, MapSetting, Span
from bnviz.sweeps.survey import Survey

LEARNED = CellOutcome("learning", None, None, 0.9, 0.3)
BROKEN = CellOutcome("stuck", Break.because(3, "layer 1", "saturated"), None, 0.1, 2.3)
STUCK = CellOutcome("learning", None, None, 0.4, 1.9)
NOT_FINITE = CellOutcome("diverged", Break.because(5, "output", "blown_up"), 7, math.nan, math.nan)
RATES, SIZES = (0.1, 0.2, 0.4, 0.8), (4, 8, 16, 32)

Became = Callable[[Cell], CellOutcome]


def setting(*norms: str, **changes: object) -> MapSetting:
    """Return a map setting with four rates, each twice the previous one, and four batch sizes."""
    config = BASE.replace(depth=2, width=8, norms=norms or ("none", "batch"))
    across, up = Span("learning_rate", 0.1, 0.8, 4), Span("batch_size", 4, 32, 4)
    return MapSetting(config, across, up).replace(**changes)


def whole_steps(asked: MapSetting, became: Became) -> Survey:
    """Return a survey in which only the grid of whole steps is known."""
    survey, spans = Survey(asked.planes()), (asked.across, asked.up)
    while not survey.base_done:
        cells = [cell for stack in survey.next_stacks() for cell in stack]
        whole = [c for c in cells if all(getattr(c.config, s.knob) in s.rungs for s in spans)]
        survey.take([(cell, became(cell)) for cell in whole])
    return survey


def finished(asked: MapSetting, became: Became) -> Survey:
    """Return a survey that is fully refined."""
    survey = Survey(asked.planes(), refined=True)
    while stacks := survey.next_stacks():
        survey.take([(cell, became(cell)) for stack in stacks for cell in stack])
    return survey


def reaching(reaches: Mapping[str, Sequence[int]]) -> Became:
    """Return a rule for outcomes: a network learns at its n lowest rates. `reaches` gives n by norm
    and batch size.
    """

    def became(cell: Cell) -> CellOutcome:
        reach = reaches[cell.norm][SIZES.index(cell.config.batch_size)]
        return LEARNED if RATES.index(cell.config.learning_rate) < reach else BROKEN

    return became
