"""Who may start another run, and which unwatched one makes room for it."""

from __future__ import annotations

import time
from collections import deque

from bnviz.live.errors import Refused
from bnviz.live.hub.hub_state import HubState
from bnviz.live.hub.run import idle_since
from bnviz.phrase import phrase
from bnviz.sweeps.setting import MapSetting

MINUTE = 60.0


class Admission:
    """The limits on starting runs. Called with the state's lock held."""

    def __init__(self, state: HubState) -> None:
        self._state = state
        self._starts: dict[str, deque[float]] = {}

    def check(self, owner: str) -> None:
        """Make sure that `owner` may start a run now; unwatched runs may end to make room.

        Raises:
            Refused: names the limit.
        """
        if not owner:
            raise Refused("owner", phrase("errors.needs_cookie"))
        self.count_start(owner)
        self._check_owner(owner)
        waiting = len(self._state.queue())
        if not self._state.has_room() and waiting >= self._state.settings.max_queue:
            raise Refused(
                "max_runs",
                phrase("errors.full", places=self._state.settings.max_runs, waiting=waiting),
            )

    def count_start(self, owner: str) -> None:
        """Count a start, of a run or a map.

        Raises:
            Refused: so many were within the last minute.
        """
        now, limit = time.monotonic(), self._state.settings.starts_per_minute
        for name in [name for name, times in self._starts.items() if times[-1] < now - MINUTE]:
            del self._starts[name]
        starts = self._starts.setdefault(owner, deque(maxlen=limit))
        if len(starts) == limit and starts[0] > now - MINUTE:
            wait = int(starts[0] + MINUTE - now) + 1
            raise Refused(
                "starts_per_minute",
                phrase("errors.too_many_starts", limit=limit, seconds=wait),
            )
        starts.append(now)

    def check_map(self, setting: MapSetting) -> None:
        """Make sure that a map is small enough.

        Raises:
            Refused: names the limit.
        """
        most = self._state.settings.map_networks
        points = len(setting.across.rungs) * len(setting.up.rungs)
        networks = points * len(setting.config.norms) * setting.seeds
        if networks > most:
            raise Refused(
                "map_networks", phrase("errors.too_many_networks", count=networks, most=most)
            )

    def _check_owner(self, owner: str) -> None:
        limit = self._state.settings.runs_per_owner
        own = [run for run in self._state.runs.values() if run.owner == owner]
        unwatched = [run for run in own if not run.viewers]
        while len(own) >= limit and unwatched:
            oldest = min(unwatched, key=idle_since)
            unwatched.remove(oldest)
            own.remove(oldest)
            self._state.end(oldest, "too many of its owner")
        if len(own) >= limit:
            raise Refused(
                "runs_per_owner",
                phrase("errors.too_many_own", count=len(own)),
            )
