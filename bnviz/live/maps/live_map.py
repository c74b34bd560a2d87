"""One map as the server holds it: its points, who wants it, and which stacks of it are being run.

A stack is a few networks that one worker trains at once. Which ones are run next is for the map's
survey to say (`bnviz.sweeps.survey`); stacks are sent by `bnviz.live.maps.dispatch`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bnviz.device import Device, limits_of, this_gpu
from bnviz.live.protocol import server_messages
from bnviz.sweeps.cells import Cell, Outcome
from bnviz.sweeps.reading import reading
from bnviz.sweeps.setting import MapSetting
from bnviz.sweeps.stack_sizes import fits_device
from bnviz.sweeps.survey import Survey

# What a network that was run costs in memory, with its setting (measured).
NETWORK_BYTES = 9_000
# Networks that are sent to the GPU at once.
MOST_ON_GPU = 4_096
# How fast a map is drawn is measured over the last so many seconds.
RATE_SECONDS = 10.0


@dataclass(eq=False)
class MapStack:
    """Work for one worker: networks that train at once.

    Attributes:
        cells: its networks.
        on_gpu: whether they train on the GPU, if there still is one.
        number: of the message. Each sending has another one, so that a late result is told apart.
        place: of the worker that has it, or the cluster's.
        blamed: how often a worker has died or hung while it worked on it.
        lost: how often a worker, or the cluster, has died that had it, blamed or not.
    """

    cells: Sequence[Cell]
    on_gpu: bool = False
    number: int = 0
    place: int = 0
    blamed: int = 0
    lost: int = 0

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        first = self.cells[0]
        limits = limits_of("cuda" if self.on_gpu else "cpu")
        operations = first.config.flops_per_step() * first.steps * len(self.cells)
        return operations / limits.flops_per_second


@dataclass(frozen=True)
class MapProgress:
    """How far a map is. Made on the thread that works on surveys, and never changed.

    Attributes:
        rows: how many points it has.
        networks: how many networks were run.
        total: about how many there will be.
        phase: see `Survey.phase`.
        reading: its sentences and figures; see `bnviz.sweeps.reading`.
    """

    rows: int = 0
    networks: int = 0
    total: int = 0
    phase: str = "first"
    reading: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MapUpdate:
    """The answer to one poll of a browser. It stays the same while the map goes on.

    Attributes:
        cache_key: equal for all updates that have the same content.
        rows: the map's points, to which more may be appended.
        begin: the index of the first point that the browser does not have.
        end: the index after the last point of this update.
        facts: everything else that the browser is sent.
    """

    cache_key: tuple[Any, ...]
    rows: list[list[Any]]
    begin: int
    end: int
    facts: dict[str, Any]

    def plain(self) -> dict[str, Any]:
        return {**self.facts, "n": self.end, "points": self.rows[self.begin : self.end]}


# A network that was run.
Ran = tuple[Cell, Outcome]
# How far a map is after work on its survey, and the stacks to run next.
Surveyed = tuple[MapProgress, list[MapStack]]


class LiveMap:
    """One map.

    Attributes:
        setting: what it shows.
        survey: its points; only one thread at a time works on it.
        progress: how far it was when its survey was last worked on.
        ready: stacks to be sent.
        under_way: stacks that are being run, by number.
        outcomes: results of networks that its survey has not taken in yet.
        surveying: whether the thread works on its survey now.
        wanted_by: when each owner who wants it to go on last asked for it.
        asked_at: when anybody last asked for it.
        problem: why it has failed, a text that may know its phrase; None: it has not.
        failed_at: when it has failed; infinity: it has not.
        given_up: whether a knob was dragged on from it: it is not gone on with, but drawn anew.
        used_seconds: of the workers' time.
        version: grows with every change of its updates but for the status.
    """

    def __init__(self, setting: MapSetting, now: float) -> None:
        self.setting, self.key = setting, setting.key
        self.survey = Survey(setting.planes())
        self.progress = MapProgress(total=self.survey.total())
        self.ready: deque[MapStack] = deque()
        self.under_way: dict[int, MapStack] = {}
        self.outcomes: list[Ran] = []
        self.surveying = False
        self.wanted_by: dict[str, float] = {}
        self.asked_at = now
        self.problem: str | None = None
        self.failed_at = math.inf
        self.given_up = False
        self.used_seconds = 0.0
        self.version = 0
        # When how many networks had been run.
        self._counts: deque[tuple[float, int]] = deque()

    @property
    def over(self) -> bool:
        """Whether no more will be run: it failed, was given up, or has all it may have, at rest."""
        if self.problem is not None or self.given_up:
            return True
        busy = self.ready or self.under_way or self.surveying or self.outcomes
        return self.progress.phase == "done" and not busy

    @property
    def waiting(self) -> int:
        """How many networks are in the stacks to be sent."""
        return sum(len(stack.cells) for stack in self.ready)

    def next_ready(self, device: Device) -> MapStack | None:
        """The next of the stacks to be sent to this device."""
        on_gpu = device == "cuda"
        return next((stack for stack in self.ready if stack.on_gpu == on_gpu), None)

    @property
    def size(self) -> int:
        return NETWORK_BYTES * (self.progress.networks + self.waiting + 1)

    def forget_owners(self, before: float) -> None:
        """Forget the owners who have not asked for it since then."""
        self.wanted_by = {owner: at for owner, at in self.wanted_by.items() if at >= before}

    # What browsers are sent.

    def update(self, status: dict[str, Any], problem: str | None, after: int) -> MapUpdate:
        """All of it but for the first `after` points.

        Args:
            status: whether it runs, waits, rests …, and its place in the queue.
            problem: why it does not go on for the browser that asks; None: it does.
            after: how many points the browser has.
        """
        end = self.progress.rows
        begin = min(after, end)
        facts = {
            "key": self.key, **status, "progress": self.progress_facts(),
            "reading": self.progress.reading, "gpu": self.gpu_facts(),
            "problem": None if problem is None else server_messages.words_of(problem),
        }  # fmt: skip
        cache_key = (self.key, self.version, *status.values(), problem, begin)
        return MapUpdate(cache_key, self.survey.rows, begin, end, facts)

    def progress_facts(self) -> dict[str, Any]:
        """How many networks were run, how many there will be, how fast, and how long that takes."""
        progress, rate = self.progress, None
        if len(self._counts) > 1:
            (began, before), (now, networks) = self._counts[0], self._counts[-1]
            rate = (networks - before) / (now - began) if now > began else None
        left = max(0, progress.total - progress.networks)
        return {
            "done": progress.networks, "total": max(progress.total, progress.networks),
            "seconds_left": left / rate if rate and not self.over else None,
            "rate": rate, "phase": progress.phase,
        }  # fmt: skip

    def gpu_facts(self) -> dict[str, Any] | None:
        """The GPU, and the networks that train on it; None: there is none."""
        gpu, config = this_gpu(), self.setting.config
        if gpu is None:
            return None
        alone = {norm: config.model_copy(update={"norms": (norm,)}) for norm in config.norms}
        fitting = [norm for norm, one in alone.items() if fits_device(one)]
        return {"name": gpu.name, "norms": fitting}

    def count(self, now: float) -> None:
        """Note for the rate how many networks have been run by now."""
        self._counts.append((now, self.progress.networks))
        while len(self._counts) > 2 and self._counts[1][0] <= now - RATE_SECONDS:
            self._counts.popleft()

    def restart_count(self, now: float) -> None:
        """Measure the rate anew, without the time before."""
        self._counts.clear()
        self.count(now)

    # On the thread that works on surveys.

    def advance(self, outcomes: Sequence[Ran], cores: int, *, gpu: bool) -> Surveyed:
        """Take outcomes into the survey. Returns how far it is then, and the stacks to run next.

        Args:
            outcomes: cells and what became of them.
            cores: for how many cores there are to be stacks, if there is so much work.
            gpu: whether there is a GPU, which trains stacks of all shapes at once.
        """
        survey = self.survey
        survey.take(outcomes)
        stacks = survey.next_stacks(at_least=cores)
        progress = MapProgress(
            len(survey.rows), len(survey.done), survey.total(), survey.phase(), reading(survey)
        )
        return progress, _for_devices(stacks, gpu=gpu)


def _for_devices(stacks: Sequence[Sequence[Cell]], *, gpu: bool) -> list[MapStack]:
    """Stacks as they are sent: what the GPU can train goes there, all together."""
    on_gpu = [cell for cells in stacks for cell in cells if gpu and fits_device(cell.config)]
    found = [MapStack(cells) for cells in stacks if not (gpu and fits_device(cells[0].config))]
    for first in range(0, len(on_gpu), MOST_ON_GPU):
        found.append(MapStack(on_gpu[first : first + MOST_ON_GPU], on_gpu=True))
    return found
