"""What browsers are told of a map, as JSON that is made once for all who ask the same.

The maps of a server: opened by scripts, polled by browsers, run while somebody wants them.
"""

from __future__ import annotations

import gzip
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from bnviz.live import log
from bnviz.live.errors import HubNotRunning, LimitReached, NoSuchMap
from bnviz.live.maps.cluster import MapCluster
from bnviz.live.maps.dispatch import MapDispatch
from bnviz.live.maps.live_map import LiveMap
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.wire import Header
from bnviz.live.runs.admission import Admission
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.worker_process import Death, OnMessage
from bnviz.sweeps.cells import Cell, Outcome, to_row
from bnviz.sweeps.setting import MapSetting
from bnviz.words.phrase import PhraseText, phrase, phrase_of

# Below this, compressing costs more than it saves.
LEAST_COMPRESSED = 2_048
# Quick: what compresses well does so at any level.
GZIP_LEVEL = 1
# Answers of all maps together that are kept, those asked for last, and their bytes.
MOST_CACHED, MOST_CACHED_BYTES = 1_000, 32 * 2**20


class EncodedUpdate(NamedTuple):
    """JSON, plain and, where it is large, compressed."""

    plain: bytes
    packed: bytes | None

    @property
    def size(self) -> int:
        """Its bytes."""
        return len(self.plain) + len(self.packed or b"")


@dataclass(frozen=True)
class MapUpdate:
    """What a browser asked, and what the answer goes by; it does not change any more.

    Attributes:
        mark: the same for all who get the same answer.
        rows: the map's points; more may come, but not before `end`.
        begin: the first one that the browser does not have.
        end: the first one that is not known yet.
        facts: everything else that is told.
    """

    mark: tuple[Any, ...]
    rows: list[list[Any]]
    begin: int
    end: int
    facts: dict[str, Any]

    @property
    def points(self) -> int:
        """How many are told."""
        return self.end - self.begin

    def told(self) -> dict[str, Any]:
        """The answer, as plain values."""
        return {**self.facts, "n": self.end, "points": self.rows[self.begin : self.end]}


def map_update(
    live_map: LiveMap, status: dict[str, Any], problem: str | None, after: int
) -> MapUpdate:
    """What is known of a map but for its first `after` points."""
    end = live_map.known.rows
    begin = min(after, end)
    facts = {
        "key": live_map.key, **status, "progress": live_map.progress(),
        "edges": dict(live_map.edges), "reading": live_map.known.reading,
        "problem": None if problem is None else server_messages.words_of(problem),
    }  # fmt: skip
    mark = (live_map.key, live_map.version, *status.values(), problem, begin)
    return MapUpdate(mark, live_map.survey.rows, begin, end, facts)


class UpdateCache:
    """The answers that were given last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[Any, ...], EncodedUpdate] = OrderedDict()
        self._size = 0

    def answer(self, asked: MapUpdate) -> EncodedUpdate:
        """What is told, encoded; in any thread."""
        with self._lock:
            if (found := self._kept.get(asked.mark)) is not None:
                self._kept.move_to_end(asked.mark)
                return found
        plain = orjson.dumps(asked.told())
        packed = (
            gzip.compress(plain, GZIP_LEVEL, mtime=0) if len(plain) > LEAST_COMPRESSED else None
        )
        found = EncodedUpdate(plain, packed)
        with self._lock:
            if asked.mark not in self._kept:
                self._kept[asked.mark] = found
                self._size += found.size
            while len(self._kept) > MOST_CACHED or self._size > MOST_CACHED_BYTES:
                self._size -= self._kept.popitem(last=False)[1].size
        return found


# The messages of workers that are meant for maps.
WORKER_MESSAGES = ("stacked", "stack_failed", "edged")
# A page polls several times in this time: a map of which it heard nothing for so long was left,
# and makes room for the next one of its owner.
ABANDONED_SECONDS = 1.5
# A map that failed is not tried again before.
RETRY_SECONDS = 600.0


def refusal_text(refused: LimitReached) -> str:
    """Why, as a text that knows its phrase if it is one."""
    found = phrase_of(refused)
    return PhraseText(found) if found else str(refused)


def check_size(setting: MapSetting, most: int) -> None:
    """Make sure that a map is small enough.

    Raises:
        LimitReached: it has more than `most` networks.
    """
    points = len(setting.across.rungs) * len(setting.up.rungs)
    networks = points * len(setting.config.norms) * setting.seeds
    if networks > most:
        raise LimitReached(
            "map_networks", phrase("errors.too_many_networks", count=networks, most=most)
        )


class Maps:
    """All maps, by key. Nothing in it waits."""

    def __init__(self, state: RunRegistry, admission: Admission) -> None:
        self._state, self._admission = state, admission
        self._maps: dict[str, LiveMap] = {}
        # Those that somebody wants, in the order in which that began.
        self._wanted: dict[str, LiveMap] = {}
        self._dispatch = MapDispatch(state, self.look_after)
        self._feed = UpdateCache()
        self._opened = 0

    def start(self, on_message: OnMessage, on_death: Callable[[Death], None]) -> None:
        """Join the cluster that the settings name, if they name one; on the event loop.

        Args:
            on_message: takes its messages.
            on_death: called when it has broken.
        """
        self._dispatch.start(on_message, on_death)

    @property
    def cluster(self) -> MapCluster | None:
        """The cluster that runs the stacks; None: the workers do."""
        return self._dispatch.cluster

    # What scripts ask for.

    def open(
        self, owner: str, setting: MapSetting, *, replaces: str | None = None, wanted: bool = True
    ) -> str:
        """Have a map drawn, for as long as somebody polls it.

        Args:
            owner: the secret of the browser.
            setting: two owners who ask for the same get the same map.
            replaces: the key of this owner's map that the same page showed until now.
            wanted: whether it is to go on; polls will say so from then on.

        Returns:
            The map's key.

        Raises:
            LimitReached: a limit is reached.
        """
        state, now, key = self._state, time.monotonic(), setting.key
        with state.lock:
            if state.workers is None:
                raise HubNotRunning
            if not owner:
                raise LimitReached("owner", phrase("errors.map_needs_cookie"))
            if replaces != key and (left := self._maps.get(replaces or "")) is not None:
                left.wanted_by.pop(owner, None)
            live_map = self._maps.get(key)
            if live_map is not None and live_map.failed_since(now) > RETRY_SECONDS:
                live_map = None  # once more
            if live_map is None:
                check_size(setting, state.settings.map_networks)
            if wanted and (live_map is None or not live_map.over):
                self._make_room(owner, key, now)
            if live_map is None:
                self._admission.count_start(owner)
                live_map = self._maps[key] = LiveMap(setting, now)
                self._opened += 1
                self._dispatch.survey(live_map)
                log.event("map opened", map=key[:8], setting=setting.to_query())
            live_map.asked_at = now
            if wanted:
                live_map.wanted_by[owner] = now
            state.call_soon(self.look_after)
        return key

    def setting(self, key: str) -> MapSetting:
        """What a map shows.

        Raises:
            NoSuchMap: the server does not have it, or not any more.
        """
        with self._state.lock:
            return self._map(key).setting

    def outcomes(self, key: str) -> Mapping[Cell, Outcome]:
        """What became of a map's networks, as far as they were run; it grows while they are.

        Raises:
            NoSuchMap: the server does not have it, or not any more.
        """
        with self._state.lock:
            return MappingProxyType(self._map(key).survey.done)

    def rows(self, key: str) -> list[dict[str, Any]]:
        """Every network that was run, in the order in which they were.

        Raises:
            NoSuchMap: the server does not have it, or not any more.
        """
        with self._state.lock:
            done = self._map(key).survey.done
        return [to_row(cell, outcome) for cell, outcome in list(done.items())]

    # What browsers ask for, on the event loop.

    def feed(self, key: str, owner: str | None, after: int, wanted: bool) -> dict[str, Any]:
        """What is known of a map.

        Args:
            key: of the map.
            owner: of the browser that asks; None: it has no cookie, and cannot have a map drawn.
            after: leave out so many points, which it has.
            wanted: whether the map is to go on for it.

        Raises:
            NoSuchMap: the server does not have it, or not any more.
        """
        return self.poll(key, owner, after, wanted).told()

    def poll(self, key: str, owner: str | None, after: int, wanted: bool) -> MapUpdate:
        """The same, to be put together by `encoded`; in any thread.

        Raises:
            NoSuchMap: the server does not have it, or not any more.
        """
        with self._state.lock:
            live_map = self._map(key)
            problem = self._note_poll(live_map, owner, wanted)
            return map_update(live_map, self._status(live_map), problem, after)

    def encoded(self, asked: MapUpdate) -> EncodedUpdate:
        """What is told, as JSON; made once for all who ask the same."""
        return self._feed.answer(asked)

    def _note_poll(self, live_map: LiveMap, owner: str | None, wanted: bool) -> str | None:
        """Take note of who wants a map. Returns why it is not drawn for that one, or no further."""
        now, problem = time.monotonic(), None
        live_map.asked_at = now
        if owner and not wanted:
            live_map.wanted_by.pop(owner, None)
        elif owner and not live_map.over:
            if owner not in live_map.wanted_by:
                try:
                    self._make_room(owner, live_map.key, now)
                except LimitReached as refused:
                    problem = refusal_text(refused)
            if problem is None:
                live_map.wanted_by[owner] = now
        if self._settle(live_map, now):
            self._dispatch.dispatch(self._running(), now)
        if live_map.ended:
            most = self._state.settings.map_networks
            problem = PhraseText(phrase("errors.map_ends_here", most=most))
        elif problem is None and live_map.key in self._wanted:
            problem = self._away
        return problem or live_map.problem

    @property
    def _away(self) -> str | None:
        """Why no map is drawn now: the cluster that does it is not there."""
        return self.cluster.problem if self.cluster is not None else None

    # Who gets a turn.

    def look_after(self) -> None:
        """See who still wants what, send what can be sent, forget what is too much."""
        with self._state.lock:
            now = time.monotonic()
            if self.cluster is not None:
                self.cluster.check()
            for live_map in self._maps.values():
                self._settle(live_map, now)
            self._dispatch.dispatch(self._running(), now)
            self._trim(now)

    def _settle(self, live_map: LiveMap, now: float) -> bool:
        """Find out whether somebody wants a map. Returns whether it begins or goes on now."""
        patience = self._state.settings.map_patience_seconds
        for owner in set(live_map.wanted_by) - set(live_map.wanters(now, patience)):
            del live_map.wanted_by[owner]
        wanted = bool(live_map.wanted_by) and not live_map.over
        if wanted and live_map.key not in self._wanted:
            self._wanted[live_map.key] = live_map
            live_map.restart_count(now)
            return True
        if not wanted and self._wanted.pop(live_map.key, None) is not None:
            log.event("map rests", map=live_map.key[:8], networks=live_map.known.networks)
        return False

    def _running(self) -> list[LiveMap]:
        return list(self._wanted.values())[: self._state.settings.max_maps]

    def _status(self, live_map: LiveMap) -> dict[str, Any]:
        if live_map.problem is not None:
            return {"status": "failed"}
        if live_map.over:
            return {"status": "finished"}
        if live_map.key not in self._wanted:
            return {"status": "paused"}
        if self._away is not None:
            return {"status": "waiting"}
        place = list(self._wanted).index(live_map.key) - self._state.settings.max_maps
        return {"status": "running"} if place < 0 else {"status": "waiting", "place": place + 1}

    def _make_room(self, owner: str, key: str, now: float) -> None:
        """Make sure that an owner may have one more map drawn.

        Raises:
            LimitReached: so many of its maps are being drawn already.
        """
        limit = self._state.settings.maps_per_owner
        own = [
            each for each in self._maps.values()
            if owner in each.wanted_by and each.key != key and not each.over
        ]  # fmt: skip
        own.sort(key=lambda each: each.wanted_by[owner])
        while len(own) >= limit and now - own[0].wanted_by[owner] > self._left_seconds:
            del own.pop(0).wanted_by[owner]
        if len(own) >= limit:
            raise LimitReached("maps_per_owner", phrase("errors.too_many_own_maps", count=len(own)))

    @property
    def _left_seconds(self) -> float:
        return min(ABANDONED_SECONDS, self._state.settings.map_patience_seconds)

    def _map(self, key: str) -> LiveMap:
        live_map = self._maps.get(key)
        if live_map is None:
            raise NoSuchMap
        return live_map

    def _trim(self, now: float) -> None:
        """Forget the maps that nobody asked for the longest, if there are too many."""
        settings = self._state.settings
        kept = [each for each in self._maps.values() if each.key not in self._wanted]
        kept.sort(key=lambda each: each.asked_at)
        size = sum(each.size for each in kept)
        while kept and (len(kept) > settings.kept_maps or size > settings.kept_map_bytes):
            oldest = kept.pop(0)
            if now - oldest.asked_at <= settings.map_patience_seconds:
                return
            size -= oldest.size
            self._dispatch.drop(oldest)
            del self._maps[oldest.key]
            log.event("map forgotten", map=oldest.key[:8], networks=oldest.known.networks)

    # From workers.

    def receive(self, header: Header) -> bool:
        """Take in a message of a worker. Returns whether it was one for maps."""
        if header["type"] not in WORKER_MESSAGES:
            return False
        with self._state.lock:
            self._dispatch.take(header)
            self.look_after()
        return True

    def recover(self, death: Death) -> None:
        """A worker has died; the lock is held."""
        self._dispatch.recover(death)
        self.look_after()

    async def close(self) -> None:
        """The hub is over."""
        await self._dispatch.close()

    def status(self) -> dict[str, Any]:
        """Plain values for `/status`. No keys: they tell what others look at."""
        cluster = self.cluster
        with self._state.lock:
            statuses = [self._status(each)["status"] for each in self._maps.values()]
            return {
                "maps": {status: statuses.count(status) for status in sorted(set(statuses))},
                "maps_opened": self._opened,
                "map_networks": self._dispatch.networks,
                "map_stacks_under_way": sum(len(each.under_way) for each in self._maps.values()),
                "map_stacks_lost": self._dispatch.lost,
                "map_bytes": sum(each.size for each in self._maps.values()),
                "map_cluster": cluster and cluster.status(),
            }
