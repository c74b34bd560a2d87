"""Which map's stack goes where, and what comes of it.

Looking through a survey may take a good part of a second: it is done on a thread of its own, one
map after the other. All else here is done with the state's lock held.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from bnviz.live import log
from bnviz.live.errors import HubNotRunning
from bnviz.live.hub.hub_state import HubState
from bnviz.live.hub.live_map import Known, LiveMap, Stack
from bnviz.live.hub.map_places import MapPlaces, why_ended
from bnviz.live.hub.worker_process import Death
from bnviz.live.protocol import messages
from bnviz.live.protocol.wire import Header, problem_text
from bnviz.phrase import Spoken
from bnviz.sweeps.cells import Cell, Outcome
from bnviz.sweeps.rows import read_outcome

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

    def __init__(self, state: HubState, on_change: Callable[[], None]) -> None:
        self._state, self._on_change = state, on_change
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="surveys")
        self._numbers = itertools.count(1)
        self._maps: dict[int, LiveMap] = {}
        # Seconds of the workers' time that each owner has had; of those who want something.
        self._used: dict[str, float] = {}
        self._floor = 0.0
        self._places = MapPlaces(state)
        self.networks = self.lost = 0

    def close(self) -> None:
        """The hub is over."""
        self._thread.shutdown(wait=False, cancel_futures=True)

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

    def _surveyed(self, live_map: LiveMap, known: Known, stacks: list[list[Cell]]) -> None:
        """What was found out; on the event loop."""
        with self._state.lock:
            live_map.surveying = False
            live_map.known = known
            if live_map.found:
                self.survey(live_map)
            live_map.ready.extend(Stack(cells) for cells in stacks)
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

    def _send(self, chosen: LiveMap, stack: Stack, place: int) -> None:
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
            self.fail(live_map, messages.heard(header))
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

    def rescue(self, death: Death) -> None:
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
                self.fail(live_map, Spoken(why_ended(death)))
            elif not given_up:
                live_map.ready.appendleft(stack)
