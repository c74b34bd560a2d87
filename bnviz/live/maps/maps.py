"""Maps of a server: opened by scripts, polled by browsers, drawn while someone wants them."""

from __future__ import annotations

import gzip
import time
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import orjson

from bnviz.live import log
from bnviz.live.errors import HubNotRunning, LimitReached, NoSuchMap
from bnviz.live.maps.dispatch import MapCluster, MapDispatch
from bnviz.live.maps.live_map import LiveMap, MapUpdate
from bnviz.live.protocol.wire import Header
from bnviz.live.runs.admission import count_start
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.worker_process import Death
from bnviz.recently_used import RecentlyUsed
from bnviz.sweeps.cells import Cell, CellOutcome
from bnviz.sweeps.rows import to_row
from bnviz.sweeps.setting import MapSetting
from bnviz.words.phrase import PhraseText, phrase

# Types of the worker messages that concern maps.
WORKER_MESSAGES = ("stacked", "stack_failed")
# A page polls several times within this many seconds. A map that has not been polled for longer
# than this counts as abandoned, so its owner may open another one.
ABANDONED_SECONDS = 1.5
# Seconds after which a failed map may be opened again.
RETRY_SECONDS = 600.0
# Size in bytes up to which compression costs more than it saves.
LEAST_COMPRESSED = 2_048
# Fastest compression level. The updates shrink well at any level.
GZIP_LEVEL = 1
# Maximum number of entries, and maximum total bytes, in the cache of encoded updates.
MOST_CACHED, MOST_CACHED_BYTES = 1_000, 32 * 2**20
# (update as JSON, the same bytes compressed with gzip). The second item is None if the update is
# too small for compression.
Encoded = tuple[bytes, bytes | None]


class Maps:
    """All maps by key. No method blocks, and an unknown key raises `NoSuchMap`."""

    def __init__(self, registry: RunRegistry) -> None:
        self._registry = registry
        self._maps: dict[str, LiveMap] = {}
        # Maps that someone wants, in the order in which they became wanted.
        self._wanted: dict[str, LiveMap] = {}
        self._dispatch = MapDispatch(registry, self.maintain)
        self.start, self.close = self._dispatch.start, self._dispatch.close
        self._encoded: RecentlyUsed[tuple[Any, ...], Encoded] = RecentlyUsed(
            MOST_CACHED,
            most_size=MOST_CACHED_BYTES,
            size=lambda encoded: sum(len(each or b"") for each in encoded),
        )
        self._opened = 0

    @property
    def cluster(self) -> MapCluster | None:
        return self._dispatch.cluster

    # For scripts.

    def open(
        self, owner: str, setting: MapSetting, *, replaces: str | None = None,
        wanted: bool = True, dragged: bool = False,
    ) -> str:  # fmt: skip
        """Open a map, which is drawn as long as someone polls it, and return its key.

        Args:
            setting: content of the map. Owners with the same setting share one map.
            replaces: key of the map that the owner's page showed before.
            wanted: whether to draw the map now. Later, each poll repeats this value.
            dragged: whether a knob is being dragged. The replaced map is then given up if nobody
                else wants it, and the whole drag counts as one start.
        """
        registry, now, key = self._registry, time.monotonic(), setting.key
        with registry.lock:
            if not registry.running:
                raise HubNotRunning
            if not owner:
                raise LimitReached("owner", phrase("errors.map_needs_cookie"))
            if replaces != key and (left := self._maps.get(replaces or "")) is not None:
                left.wanted_by.pop(owner, None)
                if dragged and not (left.wanted_by or left.over):
                    self._dispatch.drop(left)
                    left.given_up = True
            live_map = self._maps.get(key)
            if live_map is None or live_map.given_up or now - live_map.failed_at > RETRY_SECONDS:
                points = len(setting.across.rungs) * len(setting.up.rungs)
                networks = points * len(setting.config.norms) * setting.seeds
                if networks > (most := registry.settings.map_networks):
                    why = phrase("errors.too_many_networks", count=networks, most=most)
                    raise LimitReached("map_networks", why)
                live_map = LiveMap(setting, now)
            if wanted and not live_map.over:
                self._check_owner(owner, key, now)
            if self._maps.get(key) is not live_map:
                if not dragged:
                    count_start(registry, owner)
                self._maps[key] = live_map
                self._opened += 1
                self._dispatch.survey(live_map)
                log.event("map opened", map=key, setting=setting.to_query())
            live_map.asked_at = now
            if wanted:
                live_map.wanted_by[owner] = now
            registry.call_soon(self.maintain)
        return key

    def setting(self, key: str) -> MapSetting:
        with self._registry.lock:
            return self._map(key).setting

    def outcomes(self, key: str) -> Mapping[Cell, CellOutcome]:
        """Return the outcome of each finished network. The mapping grows while the map is drawn."""
        with self._registry.lock:
            return MappingProxyType(self._map(key).survey.done)

    def rows(self, key: str) -> list[dict[str, Any]]:
        """Return the finished networks as table rows, in the order in which they finished."""
        with self._registry.lock:
            done = self._map(key).survey.done
        return [to_row(cell, outcome) for cell, outcome in list(done.items())]

    # For browsers.

    def poll(self, key: str, owner: str | None, after: int, wanted: bool) -> MapUpdate:
        """Return the part of a map that a browser lacks, and record whether the browser wants more.

        `after` is the number of points that the browser already has. Without a cookie (`owner` is
        None), the browser only receives the points drawn for others.
        """
        with self._registry.lock:
            live_map = self._map(key)
            problem = self._note_poll(live_map, owner, wanted)
            return live_map.update(self._status(live_map), problem, after)

    def encode(self, update: MapUpdate) -> Encoded:
        """Encode an update as JSON, once for all browsers. Call this on one thread only."""
        if (found := self._encoded.use(update.cache_key)) is not None:
            return found
        plain = orjson.dumps(update.plain())
        large = len(plain) > LEAST_COMPRESSED
        encoded = plain, gzip.compress(plain, GZIP_LEVEL, mtime=0) if large else None
        self._encoded.put(update.cache_key, encoded)
        return encoded

    def _note_poll(self, live_map: LiveMap, owner: str | None, wanted: bool) -> str | None:
        """Record who wants a map. Return why it is not drawn further for this owner, or None."""
        live_map.asked_at = now = time.monotonic()
        problem: str | None = None
        if owner and not wanted:
            live_map.wanted_by.pop(owner, None)
        elif owner and not live_map.over:
            try:
                if owner not in live_map.wanted_by:
                    self._check_owner(owner, live_map.key, now)
                live_map.wanted_by[owner] = now
            except LimitReached as refused:
                problem = PhraseText(refused.phrase)
        if self._settle(live_map, now):
            self._dispatch.dispatch(self._running())
        if problem is None and live_map.key in self._wanted:
            problem = self._cluster_problem
        return problem or live_map.problem

    @property
    def _cluster_problem(self) -> str | None:
        return self.cluster.problem if self.cluster is not None else None

    # Selection of the maps to draw.

    def maintain(self) -> None:
        """Stop drawing unwanted maps, send stacks, and forget old maps."""
        with self._registry.lock:
            now = time.monotonic()
            if self.cluster is not None:
                self.cluster.check()
            for live_map in self._maps.values():
                self._settle(live_map, now)
            self._dispatch.dispatch(self._running())
            self._forget_oldest(now)

    def _settle(self, live_map: LiveMap, now: float) -> bool:
        """Update a map's owners and whether it is wanted. Return whether it has just become
        wanted.
        """
        live_map.forget_owners(now - self._registry.settings.map_patience_seconds)
        wanted = bool(live_map.wanted_by) and not live_map.over
        if wanted and live_map.key not in self._wanted:
            self._wanted[live_map.key] = live_map
            live_map.restart_count(now)
            return True
        if not wanted and self._wanted.pop(live_map.key, None) is not None:
            log.event("map paused", map=live_map.key, networks=live_map.progress.networks)
        return False

    def _running(self) -> list[LiveMap]:
        """Return the maps to draw: all wanted maps, whose owners take turns.

        Networks take memory. When the wanted maps together have as many networks as `max_maps` full
        maps, only the `max_maps` maps that were wanted first continue, and the other maps wait.
        """
        settings, wanted = self._registry.settings, list(self._wanted.values())
        networks = sum(each.progress.networks for each in wanted)
        full = networks >= settings.max_maps * settings.map_networks
        return wanted[: settings.max_maps] if full else wanted

    def _status(self, live_map: LiveMap) -> dict[str, Any]:
        """Return the status and, if the map waits for other maps, its place in the queue (1 is
        next).
        """
        if live_map.problem is not None:
            return {"status": "failed"}
        if live_map.given_up:
            return {"status": "paused"}
        if live_map.over:
            return {"status": "finished"}
        if live_map.key not in self._wanted:
            return {"status": "paused"}
        if self._cluster_problem is not None:
            return {"status": "waiting"}
        running = self._running()
        if live_map in running:
            return {"status": "running"}
        place = list(self._wanted).index(live_map.key) - len(running)
        return {"status": "waiting", "place": place + 1}

    def _check_owner(self, owner: str, key: str, now: float) -> None:
        """Drop an owner's abandoned maps. Raise `LimitReached` if too many are still drawn."""
        settings = self._registry.settings
        limit = settings.maps_per_owner
        abandoned = min(ABANDONED_SECONDS, settings.map_patience_seconds)
        own = [
            each for each in self._maps.values()
            if owner in each.wanted_by and each.key != key and not each.over
        ]  # fmt: skip
        own.sort(key=lambda each: each.wanted_by[owner])
        while len(own) >= limit and now - own[0].wanted_by[owner] > abandoned:
            del own.pop(0).wanted_by[owner]
        if len(own) >= limit:
            raise LimitReached("maps_per_owner", phrase("errors.too_many_own_maps", count=len(own)))

    def _map(self, key: str) -> LiveMap:
        live_map = self._maps.get(key)
        if live_map is None:
            raise NoSuchMap
        return live_map

    def _forget_oldest(self, now: float) -> None:
        settings = self._registry.settings
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
            log.event("map deleted", map=oldest.key, networks=oldest.progress.networks)

    # For workers.

    def receive(self, header: Header) -> bool:
        """Process a message of a worker. Return whether it was about maps."""
        if header["type"] not in WORKER_MESSAGES:
            return False
        with self._registry.lock:
            self._dispatch.receive(header)
            self.maintain()
        return True

    def recover(self, death: Death) -> None:
        """Run the stacks of a dead worker again. The registry's lock must be held."""
        self._dispatch.recover(death)
        self.maintain()

    def status(self) -> dict[str, Any]:
        """Return plain values for `/status`, without keys, which would reveal others' settings."""
        cluster = self.cluster
        with self._registry.lock:
            maps = self._maps.values()
            return {
                "maps": Counter(sorted(self._status(each)["status"] for each in maps)),
                "maps_opened": self._opened,
                "map_networks": self._dispatch.networks,
                "map_stacks_under_way": sum(len(each.under_way) for each in maps),
                "map_stacks_lost": self._dispatch.lost,
                "map_bytes": sum(each.size for each in maps),
                "map_cluster": cluster and cluster.status(),
            }
