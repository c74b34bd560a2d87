"""The maps of a server: opened by scripts, polled by browsers, drawn while somebody wants them."""

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
from bnviz.recent import RecentlyUsed
from bnviz.sweeps.cells import Cell, Outcome, to_row
from bnviz.sweeps.setting import MapSetting
from bnviz.words.phrase import PhraseText, phrase

# The messages of workers that are for maps.
WORKER_MESSAGES = ("stacked", "stack_failed")
# A page polls several times in this time. A map that was not polled for so long was left: it does
# not count when its owner opens another one.
ABANDONED_SECONDS = 1.5
# A map that has failed may be opened anew after this time.
RETRY_SECONDS = 600.0
# Below this size, compressing costs more than it saves.
LEAST_COMPRESSED = 2_048
# The quickest: what compresses well does so at any level.
GZIP_LEVEL = 1
# Updates that are kept encoded, the least recently used being dropped, and their bytes.
MOST_CACHED, MOST_CACHED_BYTES = 1_000, 32 * 2**20
# An update as JSON, and the same by gzip; None: it is too small for that.
Encoded = tuple[bytes, bytes | None]


class Maps:
    """All maps, by key. Nothing in it waits."""

    def __init__(self, registry: RunRegistry) -> None:
        self._registry = registry
        self._maps: dict[str, LiveMap] = {}
        # Those that somebody wants, in the order in which that began.
        self._wanted: dict[str, LiveMap] = {}
        self._dispatch = MapDispatch(registry, self.look_after)
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

    # What scripts ask for.

    def open(
        self, owner: str, setting: MapSetting, *, replaces: str | None = None,
        wanted: bool = True, dragged: bool = False,
    ) -> str:  # fmt: skip
        """Open a map, which is drawn for as long as somebody polls it.

        Args:
            owner: the secret of the browser.
            setting: what it shows. Owners who ask for the same share one map.
            replaces: the key of the map that the owner's page showed before.
            wanted: whether it is to be drawn now; later on, every poll says so.
            dragged: whether a knob is being dragged. The map that it replaces is then given up
                where nobody else wants it, and the whole drag counts as one start.

        Returns:
            The map's key.

        Raises:
            LimitReached: a limit is reached.
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
            registry.call_soon(self.look_after)
        return key

    def setting(self, key: str) -> MapSetting:
        """What a map shows.

        Raises:
            NoSuchMap: the server does not have it, or not any more.
        """
        with self._registry.lock:
            return self._map(key).setting

    def outcomes(self, key: str) -> Mapping[Cell, Outcome]:
        """The outcome of each network that was run, by cell. It grows while the map is drawn.

        Raises:
            NoSuchMap: the server does not have it, or not any more.
        """
        with self._registry.lock:
            return MappingProxyType(self._map(key).survey.done)

    def rows(self, key: str) -> list[dict[str, Any]]:
        """The networks that were run, as rows of a table, in the order in which they were.

        Raises:
            NoSuchMap: the server does not have it, or not any more.
        """
        with self._registry.lock:
            done = self._map(key).survey.done
        return [to_row(cell, outcome) for cell, outcome in list(done.items())]

    # What browsers ask for.

    def poll(self, key: str, owner: str | None, after: int, wanted: bool) -> MapUpdate:
        """What a browser does not have yet of a map, and take note that it wants the map.

        Args:
            key: of the map.
            owner: of the browser; None: it has no cookie, and only sees what others have drawn.
            after: how many points it has.
            wanted: whether the map is to be drawn further for it.

        Raises:
            NoSuchMap: the server does not have it, or not any more.
        """
        with self._registry.lock:
            live_map = self._map(key)
            problem = self._note_poll(live_map, owner, wanted)
            return live_map.update(self._status(live_map), problem, after)

    def encode(self, update: MapUpdate) -> Encoded:
        """An update as JSON, made once for all browsers that get the same; always on one thread."""
        if (found := self._encoded.use(update.cache_key)) is not None:
            return found
        plain = orjson.dumps(update.plain())
        large = len(plain) > LEAST_COMPRESSED
        encoded = plain, gzip.compress(plain, GZIP_LEVEL, mtime=0) if large else None
        self._encoded.put(update.cache_key, encoded)
        return encoded

    def _note_poll(self, live_map: LiveMap, owner: str | None, wanted: bool) -> str | None:
        """Note who wants a map. Returns why it is not drawn, or no further, for that one."""
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

    # Which maps are drawn.

    def look_after(self) -> None:
        """Stop drawing what nobody wants any more, send stacks, forget old maps."""
        with self._registry.lock:
            now = time.monotonic()
            if self.cluster is not None:
                self.cluster.check()
            for live_map in self._maps.values():
                self._settle(live_map, now)
            self._dispatch.dispatch(self._running())
            self._forget_oldest(now)

    def _settle(self, live_map: LiveMap, now: float) -> bool:
        """Find out whether somebody wants a map now. Returns whether that has just begun."""
        live_map.forget_owners(now - self._registry.settings.map_patience_seconds)
        wanted = bool(live_map.wanted_by) and not live_map.over
        if wanted and live_map.key not in self._wanted:
            self._wanted[live_map.key] = live_map
            live_map.restart_count(now)
            return True
        if not wanted and self._wanted.pop(live_map.key, None) is not None:
            log.event("map rests", map=live_map.key, networks=live_map.progress.networks)
        return False

    def _running(self) -> list[LiveMap]:
        """The maps that are drawn: all that somebody wants; their owners take turns.

        Once all of them together have as many networks as `max_maps` maps may have, only those that
        were wanted first go on, and the others wait: networks take memory.
        """
        settings, wanted = self._registry.settings, list(self._wanted.values())
        networks = sum(each.progress.networks for each in wanted)
        full = networks >= settings.max_maps * settings.map_networks
        return wanted[: settings.max_maps] if full else wanted

    def _status(self, live_map: LiveMap) -> dict[str, Any]:
        """Its status and, where it waits for other maps, its place in the queue, from 1."""
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
        """Make sure that an owner may have one more map drawn; abandoned ones are given up for it.

        Raises:
            LimitReached: too many of the owner's maps are being drawn.
        """
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
            log.event("map forgotten", map=oldest.key, networks=oldest.progress.networks)

    # What workers send.

    def receive(self, header: Header) -> bool:
        """Take in a message of a worker. Returns whether it was one for maps."""
        if header["type"] not in WORKER_MESSAGES:
            return False
        with self._registry.lock:
            self._dispatch.receive(header)
            self.look_after()
        return True

    def recover(self, death: Death) -> None:
        """A worker has died: run its stacks again. The registry's lock is held."""
        self._dispatch.recover(death)
        self.look_after()

    def status(self) -> dict[str, Any]:
        """Plain values for `/status`. No keys: they tell what others look at."""
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
