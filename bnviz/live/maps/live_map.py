"""A map as the hub holds it: what is known of it, who wants it, which stacks are on their way."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bnviz.checks import FLOPS_PER_SECOND
from bnviz.config import RunConfig
from bnviz.sweeps.cells import Cell, Outcome
from bnviz.sweeps.reading import reading
from bnviz.sweeps.setting import MapSetting
from bnviz.sweeps.survey import Survey

# What a network that was run costs in memory, with its setting (measured).
NETWORK_BYTES = 9_000
# The rate is that of the last so many seconds.
RATE_SECONDS = 10.0
# Axes along which the edge of stability at step 0 changes: one number would not be the map's.
START_KNOBS = ("depth", "init_std")


@dataclass(eq=False)
class MapStack:
    """Work for one worker: networks that train at once, or a measurement.

    Attributes:
        kind: the message's: "stack" or "edge".
        cells: its networks.
        number: of the message; each sending has another one, so that late answers are known.
        place: of the worker, or the cluster's.
        blamed: how often a worker has died or hung in its slices.
        lost: how often it was lost with a worker, blamed or not, or with the whole cluster.
    """

    cells: Sequence[Cell]
    kind: str = "stack"
    number: int = 0
    place: int = 0
    blamed: int = 0
    lost: int = 0

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        config, steps = self.cells[0].config, self.cells[0].steps
        return config.flops_per_step() * steps * len(self.cells) / FLOPS_PER_SECOND


@dataclass(frozen=True)
class MapProgress:
    """What is known of a map at one moment; made where surveys are looked through.

    Attributes:
        rows: how many points.
        networks: how many were run.
        total: about how many there will be.
        phase: see `Survey.phase`.
        reading: its sentences and figures; see `Reading`.
    """

    rows: int = 0
    networks: int = 0
    total: int = 0
    phase: str = "first"
    reading: dict[str, Any] = field(default_factory=dict)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to run."""
        return self.phase == "done"


class LiveMap:
    """One map.

    Attributes:
        setting: what it shows.
        survey: its points; only one thread at a time takes something in.
        known: what is known of it.
        ready: stacks to be sent.
        under_way: stacks that are being run, by number.
        found: outcomes that wait to be taken in.
        surveying: whether its survey is being looked through.
        wanted_by: when each owner last asked for it and wanted it to go on.
        asked_at: when anybody last asked for it.
        problem: why it goes no further; a text that may know its phrase.
        failed_at: when that was found.
        ended: it has as many networks as a map may have.
        edges: 2/λ at step 0, by norm.
        version: changes with everything that its feed says, but for its status.
    """

    def __init__(self, setting: MapSetting, now: float) -> None:
        self.setting, self.key = setting, setting.key
        self.survey = Survey(setting)
        self.known = MapProgress(total=self.survey.total())
        self.ready: deque[MapStack] = deque()
        self.under_way: dict[int, MapStack] = {}
        self.found: list[tuple[Cell, Outcome]] = []
        self.surveying = False
        self.wanted_by: dict[str, float] = {}
        self.asked_at = now
        self.problem: str | None = None
        self.failed_at: float | None = None
        self.ended = False
        self.edges: dict[str, float] = {}
        self.edge_asked = False
        self.used = 0.0
        self.version = 0
        self._counts: deque[tuple[float, int]] = deque()

    @property
    def over(self) -> bool:
        """Whether no more of it will be run."""
        if self.problem is not None:
            return True
        busy = self.ready or self.under_way or self.surveying or self.found
        return (self.ended or self.known.finished) and not busy

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        waiting = sum(len(stack.cells) for stack in self.ready)
        return NETWORK_BYTES * (self.known.networks + waiting + 1)

    def wanters(self, now: float, patience: float) -> list[str]:
        """The owners who want it now."""
        return [owner for owner, asked in self.wanted_by.items() if now - asked <= patience]

    def failed_since(self, now: float) -> float:
        """Seconds since it failed; 0 if it did not."""
        return 0.0 if self.failed_at is None else now - self.failed_at

    # How fast it is.

    def count(self, now: float) -> None:
        """Note how many networks there are."""
        self._counts.append((now, self.known.networks))
        while len(self._counts) > 2 and self._counts[1][0] <= now - RATE_SECONDS:
            self._counts.popleft()

    def restart_count(self, now: float) -> None:
        """It goes on after a pause, which does not count."""
        self._counts.clear()
        self.count(now)

    def progress(self) -> dict[str, Any]:
        """How far it is, for its feed."""
        known, rate = self.known, None
        if len(self._counts) > 1:
            (began, before), (now, networks) = self._counts[0], self._counts[-1]
            rate = (networks - before) / (now - began) if now > began else None
        left = max(0, known.total - known.networks)
        return {
            "done": known.networks, "total": max(known.total, known.networks),
            "seconds_left": left / rate if rate and not self.over else None,
            "rate": rate, "phase": known.phase,
        }  # fmt: skip

    # The edge of stability.

    def edge_stack(self) -> MapStack | None:
        """The measurement of 2/λ at step 0 of the plain network, where that means something.

        The loss of a norm that uses the mini-batch has another curvature at each size of it, and
        its networks begin beyond the edge and learn.
        """
        setting = self.setting
        config: RunConfig = setting.config
        axes = {setting.across.knob, setting.up.knob}
        if "none" not in config.norms or axes & set(START_KNOBS) or config.stability_edge is None:
            return None
        return MapStack([Cell(config.replace(norms=("none",), learning_rates=None), 0)], "edge")

    def take_edge(self, edge: float | None) -> None:
        """The value of `edge_stack`, if there is one."""
        if edge is not None and math.isfinite(edge):
            self.edges["none"] = edge
            self.version += 1

    # For the thread that looks through surveys.

    def advance(
        self, found: Sequence[tuple[Cell, Outcome]], cores: int
    ) -> tuple[MapProgress, list[list[Cell]]]:
        """Take in outcomes. What is known then, and the stacks to be run next.

        Args:
            found: cells and what became of them.
            cores: about so many stacks, if there is work for so many.
        """
        survey = self.survey
        survey.take(found)
        stacks = survey.next_stacks(at_least=cores)
        known = MapProgress(
            len(survey.rows), len(survey.done), survey.total(), survey.phase(), reading(survey)
        )
        return known, stacks
