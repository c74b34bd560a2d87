"""Where the stacks of maps are run: in the hub's workers, or on the cluster that it has joined.

Which map's stack goes where, and what comes of it.

Looking through a survey may take a good part of a second: it is done on a thread of its own, one
map after the other. All else here is done with the state's lock held.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from bnviz.live import log
from bnviz.live.errors import HubNotRunning
from bnviz.live.maps.cluster import CLUSTER, MapCluster
from bnviz.live.maps.live_map import LiveMap, MapProgress, MapStack
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.wire import Header, problem_text
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.worker_process import Death, OnMessage
from bnviz.sweeps.cells import Cell, Outcome, read_outcome
from bnviz.words.phrase import Phrase, PhraseText, phrase

# Stacks for one core: one in work, and the next, so that it does not wait for the hub.
MOST_SENT = 2


class MapWorkers:
    """The places of workers, or the cluster's alone. Used with the state's lock held.

    Attributes:
        sent_at: the number of the last stack that each place got.
    """

    def __init__(self, state: RunRegistry) -> None:
        self._state = state
        self.cluster: MapCluster | None = None
        self.sent_at: dict[int, int] = {}

    @property
    def cores(self) -> int:
        """Into how many stacks work is split, if need be: a cluster's cores would else idle.

        Workers have runs besides; for them large stacks, which take less time in all, are better.
        """
        return max(1, self.cluster.cores) if self.cluster is not None else 1

    def free(self, sent: Mapping[int, int]) -> int | None:
        """The place for another stack: of workers the one with the least to do, the idle in turn.

        A worker in which somebody watches a run at full pace takes none, if there are others: cores
        that all work slow each other down, beyond the share of a worker's time that maps take.

        Args:
            sent: how many stacks each place has.
        """
        state = self._state
        if self.cluster is not None:
            return CLUSTER if sent.get(CLUSTER, 0) < MOST_SENT * self.cluster.cores else None
        workers = state.workers
        if workers is None:
            return None

        def load(place: int) -> tuple[float, ...]:
            worker = workers.at(place)
            busy = round(worker.busy_share, 1) if worker else 0.0
            return sent.get(place, 0), busy, self.sent_at.get(place, 0)

        ready = {worker.number for worker in workers.living() if worker.ready}
        watched = {
            run.worker for run in state.runs.values()
            if run.seen and run.pace == "full" and run.status == "running"
        }  # fmt: skip
        free = [place for place in ready - watched or ready if sent.get(place, 0) < MOST_SENT]
        return min(free, key=load, default=None)

    def send(self, place: int, header: Header) -> None:
        """Send a message to a place; on the event loop."""
        if place == CLUSTER:
            if self.cluster is not None:
                self.cluster.send(header)
        elif self._state.workers is not None:
            self._state.workers.send(place, header)


def why_ended(death: Death) -> Phrase:
    """What is said of a map whose stack was lost too often, the last time by this death."""
    if death.place == CLUSTER:
        return phrase("errors.map_cluster_lost")
    return phrase("errors.map_hung" if death.hung else "errors.map_died")


# A stack in whose slices workers died or hung so often is not tried again ...
MOST_BLAMED = 2
# ... nor one that was lost so often for whatever reason.
MOST_LOST = 5
# An owner that had nothing to run for a while is not given more than this ahead of the others.
LAG_SECONDS = 2.0


class MapDispatch:
    """Sends stacks and takes answers.

    Args:
        state: of the hub.
        on_change: called when something may be sent.

    Attributes:
        networks: how many were run, of all maps so far.
        lost: stacks lost with the processes that had them.
    """

    def __init__(self, state: RunRegistry, on_change: Callable[[], None]) -> None:
        self._state, self._on_change = state, on_change
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="surveys")
        self._numbers = itertools.count(1)
        self._maps: dict[int, LiveMap] = {}
        # Seconds of the workers' time that each owner has had; of those who want something.
        self._used: dict[str, float] = {}
        self._floor = 0.0
        self._places = MapWorkers(state)
        self.networks = self.lost = 0

    @property
    def cluster(self) -> MapCluster | None:
        """Where stacks are run; None: by the workers."""
        return self._places.cluster

    def start(self, on_message: OnMessage, on_death: Callable[[Death], None]) -> None:
        """Begin to join the cluster that the settings name."""
        if self._state.settings.map_cluster:
            self._places.cluster = MapCluster(self._state.settings, on_message, on_death)
            self._places.cluster.start()

    async def close(self) -> None:
        """The hub is over."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        cluster, self._places.cluster = self._places.cluster, None
        if cluster is not None:
            await cluster.stop()

    # Surveys.

    def survey(self, live_map: LiveMap, found: Sequence[tuple[Cell, Outcome]] = ()) -> None:
        """Take outcomes into a map, and find out what to run next.

        What comes while its survey is being looked through waits, and is then taken in at once.
        """
        live_map.found.extend(found)
        if not live_map.surveying:
            found, live_map.found = live_map.found, []
            live_map.surveying = True
            self._thread.submit(self._look_through, live_map, found)

    def _look_through(self, live_map: LiveMap, found: Sequence[tuple[Cell, Outcome]]) -> None:
        with contextlib.suppress(HubNotRunning):
            try:
                known, stacks = live_map.advance(found, self._places.cores)
            except Exception as problem:
                log.event("map not surveyed", exc_info=True, map=live_map.key[:8])
                self._state.call_soon(self._not_surveyed, live_map, problem_text(problem))
            else:
                self._state.call_soon(self._surveyed, live_map, known, stacks)

    def _not_surveyed(self, live_map: LiveMap, problem: str) -> None:
        with self._state.lock:
            live_map.surveying = False
            self.fail(live_map, problem)

    def _surveyed(self, live_map: LiveMap, known: MapProgress, stacks: list[list[Cell]]) -> None:
        """What was found out; on the event loop."""
        with self._state.lock:
            live_map.surveying = False
            live_map.known = known
            if live_map.found:
                self.survey(live_map)
            live_map.ready.extend(MapStack(cells) for cells in stacks)
            live_map.count(time.monotonic())
            live_map.version += 1
            self._end_early(live_map)
            if known.phase in ("refining", "done") and not live_map.edge_asked:
                live_map.edge_asked = True
                if (edge := live_map.edge_stack()) is not None:
                    live_map.ready.appendleft(edge)
            if live_map.over:
                log.event("map over", map=live_map.key[:8], networks=known.networks)
            self._on_change()

    def _end_early(self, live_map: LiveMap) -> None:
        """A map that grows beyond what one may have is not refined further."""
        most = self._state.settings.map_networks
        waiting = sum(len(stack.cells) for stack in live_map.ready)
        if live_map.known.networks + waiting > most and live_map.known.phase == "refining":
            live_map.ready.clear()
            live_map.ended = True

    # To where they are run.

    def dispatch(self, running: Iterable[LiveMap], now: float) -> None:
        """Send stacks of these maps while there is room for them."""
        able = [each for each in running if each.ready]
        while able and (place := self._free_place()) is not None:
            chosen = self._next(able, now)
            if chosen is None:
                return
            self._send(chosen, chosen.ready.popleft(), place)
            able = [each for each in able if each.ready]

    def _free_place(self) -> int | None:
        sent = Counter(each.under_way[number].place for number, each in self._maps.items())
        return self._places.free(sent)

    def _next(self, able: Sequence[LiveMap], now: float) -> LiveMap | None:
        """The map whose owner had the least time so far; of that owner's, the one that had."""
        patience = self._state.settings.map_patience_seconds
        owned: dict[str, list[LiveMap]] = {}
        for each in able:
            for owner in each.wanters(now, patience):
                owned.setdefault(owner, []).append(each)
        if not owned:
            return None
        lowest = self._floor - LAG_SECONDS
        self._used = {owner: used for owner, used in self._used.items() if used > lowest}
        owner = min(owned, key=lambda each: self._used.get(each, lowest))
        self._floor = max(self._floor, self._used.get(owner, lowest))
        return min(owned[owner], key=lambda each: each.used)

    def _send(self, chosen: LiveMap, stack: MapStack, place: int) -> None:
        stack.number, stack.place = next(self._numbers), place
        chosen.under_way[stack.number] = stack
        self._maps[stack.number] = chosen
        self._places.sent_at[place] = stack.number
        self._charge(chosen, stack.seconds)
        header = {
            "type": stack.kind, "map": chosen.key, "number": stack.number,
            "cells": [cell.config.to_query() for cell in stack.cells],
            "steps": stack.cells[0].steps,
        }  # fmt: skip
        self._state.call_soon(self._places.send, place, header)

    def _charge(self, live_map: LiveMap, seconds: float) -> None:
        """Put time on the account of a map and of those who want it."""
        live_map.used += seconds
        patience = self._state.settings.map_patience_seconds
        owners = live_map.wanters(time.monotonic(), patience)
        for owner in owners:
            before = self._used.get(owner, self._floor - LAG_SECONDS)
            self._used[owner] = before + seconds / len(owners)

    def drop(self, live_map: LiveMap) -> None:
        """A map is no more: its stacks stop where they are."""
        places = {stack.place for stack in live_map.under_way.values()}
        for number in live_map.under_way:
            del self._maps[number]
        live_map.under_way.clear()
        live_map.ready.clear()
        for place in places:
            header = {"type": "drop_map", "map": live_map.key}
            self._state.call_soon(self._places.send, place, header)

    # From there.

    def take(self, header: Header) -> None:
        """Take in an answer; one to a stack that was given up meanwhile is dropped."""
        live_map = self._maps.pop(header["number"], None)
        if live_map is None:
            return
        stack = live_map.under_way.pop(header["number"])
        if stack.kind == "edge":
            # Without it a map has one line less.
            live_map.take_edge(header.get("edge"))
        elif header["type"] == "stack_failed":
            self.fail(live_map, server_messages.read_words(header))
        else:
            self._charge(live_map, header["seconds"] - stack.seconds)
            outcomes = [read_outcome(row) for row in header["outcomes"]]
            self.networks += len(outcomes)
            self.survey(live_map, list(zip(stack.cells, outcomes, strict=True)))

    def fail(self, live_map: LiveMap, problem: str) -> None:
        """A map goes no further."""
        log.event("map failed", map=live_map.key[:8], problem=problem)
        self.drop(live_map)
        live_map.problem, live_map.failed_at = problem, time.monotonic()
        live_map.version += 1

    def recover(self, death: Death) -> None:
        """Ask again for the stacks that a dead worker had."""
        theirs = [
            (live_map, live_map.under_way[number]) for number, live_map in list(self._maps.items())
            if live_map.under_way[number].place == death.place
        ]  # fmt: skip
        for live_map, stack in theirs:
            if self._maps.pop(stack.number, None) is None:
                continue  # its map has failed
            del live_map.under_way[stack.number]
            self.lost += 1
            stack.lost += 1
            stack.blamed += death.run == f"map:{live_map.key}:{stack.number}"
            log.event("stack lost", map=live_map.key[:8], blamed=stack.blamed, worker=death.place)
            given_up = stack.blamed >= MOST_BLAMED or stack.lost >= MOST_LOST
            if given_up and stack.kind == "stack":
                self.fail(live_map, PhraseText(why_ended(death)))
            elif not given_up:
                live_map.ready.appendleft(stack)
