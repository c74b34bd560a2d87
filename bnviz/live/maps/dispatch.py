"""Dispatch of map stacks to workers or to a Ray cluster, and processing of their results.

A stack is a group of networks that are trained together. The process `python -m
bnviz.live.worker.cluster` runs stacks on a cluster. The server never imports Ray, so an error in
the cluster ends only that process.

Updating the survey of a map (`bnviz.sweeps.survey`) may take much of a second. One thread does it,
for one map at a time. All other code here runs with the registry's lock held.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from bnviz.device import Device
from bnviz.live import log
from bnviz.live.errors import HubNotRunning
from bnviz.live.maps.live_map import LiveMap, MapStack, Ran, Surveyed
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.wire import Header, problem_text
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.worker_process import Death, OnMessage, WorkerProcess
from bnviz.live.runs.workers import Workers
from bnviz.live.settings import Settings
from bnviz.sweeps.rows import plain_cells, read_outcome
from bnviz.words.phrase import PhraseText, phrase

MODULE = "bnviz.live.worker.cluster"
# Worker number that represents the cluster, also in the log.
CLUSTER = -1
# Maximum number of stacks sent per core: the current stack and the next, so that the core does not
# wait for the hub.
MOST_SENT = 2
# A stack is not retried after this many deaths or hangs of workers that were running it.
MOST_BLAMED = 2
# A stack is not retried after it was lost with its worker this many times, for any reason.
MOST_LOST = 5
# Maximum number of seconds of worker time by which an owner is preferred to the others after an
# idle period.
LAG_SECONDS = 2.0


class MapCluster(Workers):
    """Process that joins the Ray cluster named in the settings, and rejoins it if it is lost."""

    trains = False
    # Each attempt to join takes seconds of CPU time, even without a cluster.
    longest_pause = 30.0

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, (CLUSTER,))
        self.program = (MODULE, settings.map_cluster)
        self._facts: Header = {"cores": 0, "lost": 0}
        self._problem = PhraseText(phrase("errors.map_cluster_joining"))

    @property
    def cores(self) -> int:
        """Number of cores of the cluster's machines, as last reported; 0 while it is not joined."""
        return int(self._facts["cores"]) if self.problem is None else 0

    @property
    def problem(self) -> str | None:
        """Reason why the cluster cannot run stacks now, or None while it is joined."""
        process = self.at(CLUSTER)
        return None if process is not None and process.ready else self._problem

    def status(self) -> dict[str, Any]:
        process = self.at(CLUSTER)
        return {
            "pid": process and process.pid, "times_ended": self.deaths,
            "cores": self.cores, "stacks_run_again": self._facts["lost"],
            "problem": self.problem and str(self.problem),
        }  # fmt: skip

    def take(self, header: Header) -> bool:
        """Read the cluster's state from a message. Return whether the hub must process it too."""
        if header["type"] == "not_joined":
            self._problem = PhraseText(phrase(header["key"]))
            return False
        if header["type"] == "ready":
            # From now on, this problem is shown if the process ends.
            self._problem = PhraseText(phrase("errors.map_cluster_broke"))
        self._facts = header.get("cluster", self._facts)
        return True


class MapDispatch:
    """Dispatcher of surveys and stacks, which shares worker time fairly among owners.

    Stacks run on the hub's workers or on the cluster of the settings. Each worker has a place (its
    number), and the cluster is one place.

    Attributes:
        networks: number of networks run so far, over all maps.
        lost: number of stacks lost with their processes.
    """

    def __init__(self, registry: RunRegistry, on_change: Callable[[], None]) -> None:
        self._registry, self._on_change = registry, on_change
        self.cluster: MapCluster | None = None
        # Number of the last stack sent to each place.
        self._last_sent: dict[int, int] = {}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="surveys")
        self._numbers = itertools.count(1)
        # Map of each stack in progress, by the number of the stack.
        self._maps: dict[int, LiveMap] = {}
        # Seconds of worker time per owner. Entries at or below `_floor - LAG_SECONDS` are dropped.
        # `_floor` is the worker time of the owner who was served last, and it never decreases.
        self._used_seconds: dict[str, float] = {}
        self._floor = 0.0
        self.networks = self.lost = 0
        self._closed = False

    def start(self, on_message: OnMessage, on_death: Callable[[Death], None]) -> None:
        """Start joining the cluster of the settings, if any. Call this on the event loop."""
        if self._registry.settings.map_cluster:
            self.cluster = cluster = MapCluster(self._registry.settings)

            def receive(process: WorkerProcess, header: Header, payload: bytes) -> None:
                if cluster.take(header):
                    on_message(process, header, payload)

            cluster.start(receive, lambda _place: None, on_death)

    async def close(self) -> None:
        """End the thread, drop surveys that wait for it, and leave the cluster."""
        self._closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)
        cluster, self.cluster = self.cluster, None
        if cluster is not None:
            await cluster.stop()

    # Surveys.

    def survey(self, live_map: LiveMap, outcomes: Sequence[Ran] = ()) -> None:
        """Add outcomes to a map's survey, on the survey thread, and get the next stacks.

        Outcomes that arrive while the survey is busy are added later, all together.
        """
        live_map.outcomes.extend(outcomes)
        if not live_map.surveying and not self._closed:
            outcomes, live_map.outcomes = live_map.outcomes, []
            live_map.surveying = True
            # Number of cores for which the survey provides stacks. Without a cluster, the number is
            # 1, because workers also have runs, and a few large stacks take less time than many
            # small ones.
            cores = max(1, self.cluster.cores) if self.cluster is not None else 1
            gpu = self._registry.workers.has_gpu
            work = self._thread.submit(live_map.advance, outcomes, cores, gpu=gpu)
            work.add_done_callback(partial(self._announce, live_map))

    def _announce(self, live_map: LiveMap, work: Future[Surveyed]) -> None:
        """Pass the result of survey work to the event loop. Called on the survey thread."""
        with contextlib.suppress(HubNotRunning):
            self._registry.call_soon(self._surveyed, live_map, work)

    def _surveyed(self, live_map: LiveMap, work: Future[Surveyed]) -> None:
        if work.cancelled():
            return
        with self._registry.lock:
            live_map.surveying = False
            if (problem := work.exception()) is not None:
                log.event("map survey failed", exc_info=problem, map=live_map.key)
                self.fail(live_map, problem_text(problem))
                return
            live_map.progress, stacks = work.result()
            if live_map.outcomes:
                self.survey(live_map)
            live_map.ready.extend(stacks)
            live_map.count(time.monotonic())
            live_map.version += 1
            if live_map.over:
                log.event("map finished", map=live_map.key, networks=live_map.progress.networks)
            self._on_change()

    # Stacks.

    def dispatch(self, running: Iterable[LiveMap]) -> None:
        running, devices = list(running), tuple[Device, ...](("cpu", "cuda"))
        for device in devices:
            able = [each for each in running if each.next_ready(device)]
            while able and (place := self._free_place(device)) is not None:
                chosen = self._next(able)
                if chosen is None:
                    return
                stack = chosen.next_ready(device)
                assert stack is not None
                chosen.ready.remove(stack)
                self._send(chosen, stack, place)
                able = [each for each in able if each.next_ready(device)]

    def _free_place(self, device: Device) -> int | None:
        """Return the place for another stack on a device, or None if all are busy.

        Choose the worker with the least work. If several have the least work, choose the one whose
        last stack is the oldest. If possible, avoid workers that train a watched run at full pace.
        That run would lose more than the maps' share of the time, because busy cores slow each
        other down.
        """
        sent = Counter(each.under_way[number].place for number, each in self._maps.items())
        if self.cluster is not None and device == "cpu":
            return CLUSTER if sent[CLUSTER] < MOST_SENT * self.cluster.cores else None
        workers = self._registry.workers
        able = workers.worker_indices(device)
        living = (each for each in workers.living() if each.worker_index in able)
        ready = {each.worker_index: each for each in living if each.ready}
        full_pace_workers = {
            run.placement.worker for run in self._registry.runs.values()
            if run.frames_wanted and run.pace == "full" and run.status == "running"
        }  # fmt: skip
        free = [
            place for place in ready.keys() - full_pace_workers or ready if sent[place] < MOST_SENT
        ]

        def load(place: int) -> tuple[float, ...]:
            busy = round(ready[place].busy_share, 1)
            return sent[place], busy, self._last_sent.get(place, 0)

        return min(free, key=load, default=None)

    def _tell(self, place: int, header: Header) -> None:
        """Send a message to a place, if it still exists. Called on the event loop."""
        workers = self.cluster if place == CLUSTER else self._registry.workers
        if workers is not None:
            workers.send(place, header)

    def _next(self, able: Sequence[LiveMap]) -> LiveMap | None:
        """Return the least served map of the least served owner, or None if no owner wants a
        map.
        """
        owned: dict[str, list[LiveMap]] = {}
        for each in able:
            for owner in each.wanted_by:
                owned.setdefault(owner, []).append(each)
        if not owned:
            return None
        lowest = self._floor - LAG_SECONDS
        self._used_seconds = {
            owner: used for owner, used in self._used_seconds.items() if used > lowest
        }
        owner = min(owned, key=lambda each: self._used_seconds.get(each, lowest))
        self._floor = max(self._floor, self._used_seconds.get(owner, lowest))
        return min(owned[owner], key=lambda each: each.used_seconds)

    def _send(self, chosen: LiveMap, stack: MapStack, place: int) -> None:
        stack.number, stack.place = next(self._numbers), place
        chosen.under_way[stack.number] = stack
        self._maps[stack.number] = chosen
        self._last_sent[place] = stack.number
        self._charge(chosen, stack.seconds)
        on_gpu = stack.on_gpu and self._registry.workers.has_gpu
        header = {
            "type": "stack", "map": chosen.key, "number": stack.number, "on_gpu": on_gpu,
            **plain_cells(stack.cells),
        }  # fmt: skip
        self._registry.call_soon(self._tell, place, header)

    def _charge(self, live_map: LiveMap, seconds: float) -> None:
        """Add worker time to a map, and divide it equally among the map's owners."""
        live_map.used_seconds += seconds
        for owner in live_map.wanted_by:
            before = self._used_seconds.get(owner, self._floor - LAG_SECONDS)
            self._used_seconds[owner] = before + seconds / len(live_map.wanted_by)

    def drop(self, live_map: LiveMap) -> None:
        """Drop all stacks of a map, including stacks that workers already have."""
        places = {stack.place for stack in live_map.under_way.values()}
        for number in live_map.under_way:
            del self._maps[number]
        live_map.under_way.clear()
        live_map.ready.clear()
        for place in places:
            header = {"type": "drop_map", "map": live_map.key}
            self._registry.call_soon(self._tell, place, header)

    def receive(self, header: Header) -> None:
        """Process the result of a stack. Ignore it if the stack was dropped."""
        live_map = self._maps.pop(header["number"], None)
        if live_map is None:
            return
        stack = live_map.under_way.pop(header["number"])
        if header["type"] == "stack_failed":
            self.fail(live_map, server_messages.read_words(header))
        else:
            self._charge(live_map, header["seconds"] - stack.seconds)
            outcomes = [read_outcome(row) for row in header["outcomes"]]
            self.networks += len(outcomes)
            self.survey(live_map, list(zip(stack.cells, outcomes, strict=True)))

    def fail(self, live_map: LiveMap, problem: str) -> None:
        """End a map. `problem` is the reason, as a text or a translatable `PhraseText`."""
        log.event("map failed", map=live_map.key, problem=problem)
        self.drop(live_map)
        live_map.problem, live_map.failed_at = problem, time.monotonic()
        live_map.version += 1

    def recover(self, death: Death) -> None:
        """Queue the stacks of a dead process again. If a stack was lost too often, end its map."""
        for number, live_map in list(self._maps.items()):
            stack = live_map.under_way.get(number)
            if stack is None or stack.place != death.worker_index:
                continue  # the stack's map has failed, or another process runs the stack
            del self._maps[number], live_map.under_way[number]
            self.lost += 1
            stack.lost += 1
            stack.blamed += death.run == f"map:{live_map.key}:{number}"
            log.event(
                "stack lost", map=live_map.key, blamed=stack.blamed, worker=death.worker_index
            )
            given_up = stack.blamed >= MOST_BLAMED or stack.lost >= MOST_LOST
            if given_up:
                key = "errors.map_hung" if death.hung else "errors.map_died"
                if death.worker_index == CLUSTER:
                    key = "errors.map_cluster_lost"
                self.fail(live_map, PhraseText(phrase(key)))
            else:
                live_map.ready.appendleft(stack)
