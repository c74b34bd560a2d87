"""State of one map on the server: its points, its owners and its stacks in progress.

A stack is a group of networks that one worker trains together. The map's survey
(`bnviz.sweeps.survey`) makes the stacks, and `bnviz.live.maps.dispatch` sends them.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bnviz.device import Device, limits_of, this_gpu
from bnviz.live.protocol import server_messages
from bnviz.sweeps.cells import Cell, CellOutcome
from bnviz.sweeps.reading import reading
from bnviz.sweeps.setting import MapSetting
from bnviz.sweeps.stack_sizes import fits_device
from bnviz.sweeps.survey import Survey

# Memory of a finished network and its setting, in bytes (measured).
NETWORK_BYTES = 9_000
# Maximum number of networks in one stack for the GPU.
MOST_ON_GPU = 4_096
# Period in seconds over which the drawing rate of a map (networks per second) is measured.
RATE_SECONDS = 10.0


@dataclass(eq=False)
class MapStack:
    """Networks that one worker trains together.

    Attributes:
        on_gpu: whether to train the networks on the GPU, if it is still available.
        number: number of the message. It changes with each sending, to detect late results.
        place: number of the worker that has the stack, or the cluster's place.
        blamed: number of deaths and hangs of workers while they ran the stack.
        lost: number of deaths of workers or clusters that had the stack, for any reason.
    """

    cells: Sequence[Cell]
    on_gpu: bool = False
    number: int = 0
    place: int = 0
    blamed: int = 0
    lost: int = 0

    @property
    def seconds(self) -> float:
        """Estimated duration in seconds."""
        first = self.cells[0]
        limits = limits_of("cuda" if self.on_gpu else "cpu")
        operations = first.config.flops_per_step() * first.steps * len(self.cells)
        return operations / limits.flops_per_second


@dataclass(frozen=True)
class MapProgress:
    """Progress of a map, created on the survey thread and immutable.

    `total` is the estimated final number of networks. `reading` is a result of
    `bnviz.sweeps.reading`.
    """

    rows: int = 0
    networks: int = 0
    total: int = 0
    phase: str = "first"
    reading: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MapUpdate:
    """Snapshot of a map for one poll of a browser. It stays the same while the map continues.

    Attributes:
        cache_key: equal for updates with the same content.
        rows: all points of the map. More may be appended later.
        begin, end: range of the points in this update.
        facts: all other values sent to the browser.
    """

    cache_key: tuple[Any, ...]
    rows: list[list[Any]]
    begin: int
    end: int
    facts: dict[str, Any]

    def plain(self) -> dict[str, Any]:
        return {**self.facts, "n": self.end, "points": self.rows[self.begin : self.end]}


# A finished network: its cell of the map and its outcome.
Ran = tuple[Cell, CellOutcome]
# Result of survey work: the map's progress and the next stacks.
Surveyed = tuple[MapProgress, list[MapStack]]


class LiveMap:
    """Map with its survey, its stacks and the owners who want it drawn.

    Attributes:
        survey: points of the map, used by one thread at a time.
        progress: progress after the last work on the survey.
        ready: stacks to be sent.
        under_way: stacks in progress, by number.
        outcomes: results not yet added to the survey.
        wanted_by: time of each owner's last request to draw the map.
        given_up: whether the map was replaced while a knob was dragged. A new request restarts it.
        version: number that increases when an update differs in more than its status.
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
        # (time, number of networks run by then), for measuring the drawing rate.
        self._counts: deque[tuple[float, int]] = deque()

    @property
    def over(self) -> bool:
        """Return whether no more networks will run: the map failed, was given up or is complete."""
        if self.problem is not None or self.given_up:
            return True
        busy = self.ready or self.under_way or self.surveying or self.outcomes
        return self.progress.phase == "done" and not busy

    @property
    def waiting(self) -> int:
        """Number of networks in the stacks to be sent."""
        return sum(len(stack.cells) for stack in self.ready)

    def next_ready(self, device: Device) -> MapStack | None:
        """Return the next stack to send to this device, or None."""
        on_gpu = device == "cuda"
        return next((stack for stack in self.ready if stack.on_gpu == on_gpu), None)

    @property
    def size(self) -> int:
        return NETWORK_BYTES * (self.progress.networks + self.waiting + 1)

    def forget_owners(self, before: float) -> None:
        """Remove the owners whose last request was earlier than `before`."""
        self.wanted_by = {owner: at for owner, at in self.wanted_by.items() if at >= before}

    # Updates for browsers.

    def update(self, status: dict[str, Any], problem: str | None, after: int) -> MapUpdate:
        """Return the state of the map without its first `after` points.

        Args:
            status: status of the map, and its place in the queue.
            problem: reason why the map does not continue for this browser, or None.
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
        """Return the numbers of finished and expected networks, networks per second, and seconds
        left.
        """
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
        """Return the GPU's name and the norms that it supports, or None without a GPU."""
        gpu, config = this_gpu(), self.setting.config
        if gpu is None:
            return None
        alone = {norm: config.model_copy(update={"norms": (norm,)}) for norm in config.norms}
        fitting = [norm for norm, one in alone.items() if fits_device(one)]
        return {"name": gpu.name, "norms": fitting}

    def count(self, now: float) -> None:
        """Record the time and the number of finished networks, for measuring the drawing rate."""
        self._counts.append((now, self.progress.networks))
        while len(self._counts) > 2 and self._counts[1][0] <= now - RATE_SECONDS:
            self._counts.popleft()

    def restart_count(self, now: float) -> None:
        """Restart the measurement of the drawing rate."""
        self._counts.clear()
        self.count(now)

    # On the survey thread.

    def advance(self, outcomes: Sequence[Ran], cores: int, *, gpu: bool) -> Surveyed:
        """Add outcomes to the survey. Return the map's progress and the next stacks.

        Args:
            cores: number of cores to provide stacks for, if there is enough work.
            gpu: whether there is a GPU, which trains networks of all shapes in one stack.
        """
        survey = self.survey
        survey.take(outcomes)
        stacks = survey.next_stacks(at_least=cores)
        progress = MapProgress(
            len(survey.rows), len(survey.done), survey.total(), survey.phase(), reading(survey)
        )
        return progress, _for_devices(stacks, gpu=gpu)


def _for_devices(stacks: Sequence[Sequence[Cell]], *, gpu: bool) -> list[MapStack]:
    """Return the stacks to send. Networks that the GPU can train are combined into large stacks."""
    on_gpu = [cell for cells in stacks for cell in cells if gpu and fits_device(cell.config)]
    found = [MapStack(cells) for cells in stacks if not (gpu and fits_device(cells[0].config))]
    for first in range(0, len(on_gpu), MOST_ON_GPU):
        found.append(MapStack(on_gpu[first : first + MOST_ON_GPU], on_gpu=True))
    return found
