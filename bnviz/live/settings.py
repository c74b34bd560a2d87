"""Settings of the server, read from environment variables `BNVIZ_<NAME>`."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any

from bnviz.device import CPU_LIMITS
from bnviz.host import MEGABYTE, Host, this_host
from bnviz.live.client_addresses import read_ip_networks
from bnviz.sweeps.ray_address import host_and_port

MOST_WORKERS = 64
# Memory of the server process and of the libraries that all processes share, and memory of a worker
# together with its measuring process; all measured by `benchmarks.memory` with eight usual runs.
# `RUNS_SHARE` is the share of the memory that workers leave to runs, pages and files.
SERVER_BYTES, WORKER_BYTES, RUNS_SHARE = 450 * MEGABYTE, 300 * MEGABYTE, 1 / 4
# Memory of a run relative to its estimate: twice in its worker, and as much again while it is
# measured (measured for runs with large networks).
RUN_FACTOR = 4.0
# Number of runs at a time on a host with enough memory, and the smallest number and total size of
# runs for which a server is useful. The largest preset is estimated at 18 MB.
USUAL_RUNS = 48
LEAST_RUNS, LEAST_RUNS_BYTES = 4, 24 * MEGABYTE
# Minimum number of characters of a secret. A shorter secret could be guessed from a single cookie.
SHORTEST_SECRET = 16
Good = Callable[[Any], object]
LEVELS = ("debug", "info", "warning")
# Pattern of one entry in `frame_ancestors`.
SITE = re.compile(r"self|https?://(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::[0-9]{1,5})?", re.I)


class SettingsError(ValueError):
    """Invalid environment variable. The message names the variable."""


def _setting(default: Any, allowed: str, good: Good, secret: bool = False) -> Any:
    metadata = {"allowed": allowed, "good": good, "secret": secret}
    return field(default=default, metadata=metadata, repr=not secret)


def _limit(default: float, low: float, high: float) -> Any:
    allowed = f"a number between {low:.15g} and {high:.15g}"
    return _setting(default, allowed, lambda value: low <= value <= high)


def _secret() -> Any:
    allowed = f"a string of at least {SHORTEST_SECRET} characters"
    return _setting("", allowed, lambda text: not text or len(text) >= SHORTEST_SECRET, secret=True)


def _are_sites(text: str) -> bool:
    return all(map(SITE.fullmatch, text.split()))


def _are_networks(text: str) -> bool:
    return read_ip_networks(text) is not None


def _is_cluster(text: str) -> bool:
    return text in ("", "auto", "local") or bool(host_and_port(text))


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Limits on what the server may use and keep, and how it is deployed.

    These defaults are for a host with much memory. `fitting` returns smaller ones for other hosts.

    An owner is a browser, a viewer is an open WebSocket, and a room is a class.

    Attributes:
        workers: worker processes; 0 for as many as the cores and the memory allow, at most 64.
        max_runs: runs at a time. Further runs wait in the queue.
        runs_bytes: estimated memory of the networks of all runs at a time. Further runs wait, and a
            larger run is refused.
        max_queue: runs in the queue. Runs of one address leave half of it to other addresses.
        runs_per_owner: runs per browser, including queued runs.
        viewers_per_address: viewers per address in browsers without a cookie of this server.
        history_bytes: memory for kept frames per run.
        checkpoint_bytes: maximum size of a kept checkpoint. Without one, a run is replayed.
        checkpoint_seconds: seconds of work between two checkpoints of a run.
        grace_seconds: an unwatched run continues for this long.
        away_seconds: an unwatched run is still measured for this long, because a reloaded page
            returns soon.
        lease_seconds: an unwatched run is kept for this long.
        pin_seconds: a pinned run is kept for this long, watched or not.
        silence_seconds: a worker that does not answer for this long is replaced.
        hang_seconds: a worker is replaced if a slice of work takes longer than this and longer than
            four steps of its run.
        idle_seconds: a visible viewer that acknowledges nothing for this long is disconnected.
        request_seconds: a connection on which the client makes no progress for this long is closed.
        send_seconds: a viewer is disconnected if a send blocks for this long.
        measured_at_once: runs per worker whose slow probes are measured in turns. Other runs wait.
        maps_per_owner: maps per browser that are drawn at a time.
        max_maps: maps that continue once all maps have max_maps × map_networks networks.
        map_patience_seconds: a map that no browser requests for this long is paused.
        kept_maps, kept_map_bytes: number and memory of finished and paused maps that are kept.
        map_cluster: Ray cluster that draws maps: HOST:PORT, auto (the cluster of this machine) or
            local (a cluster started here). If empty, the workers draw them.
        room_idle_seconds: a class ends when its teacher's page is silent for this long.
        cookies_per_minute: new browsers that may start runs, per address or IPv6 /64 network. The
            default suffices for a full lecture hall behind one address.
        frame_ancestors: sites that may show this app in a frame; self for this site only. If empty,
            any site may show pages with embed=1.
        state_dir: folder for what survives a restart: runs, classes, talks and the secret. If
            empty, nothing is saved. `bnviz serve` has a default.
        state_bytes: maximum size of the saved state. Beyond it, runs are saved without
            checkpoints, and are replayed from their start.
        secret: key that signs the cookies. If empty, it is random, and kept in `state_dir`. Without
            `state_dir`, every browser then counts as a new one after a restart of the server.
        status_token: requests with `Authorization: Bearer <token>` get process ids in /status. If
            empty, no request gets them.
    """

    workers: int = _limit(0, 0, MOST_WORKERS)
    max_runs: int = _limit(USUAL_RUNS, 1, 10_000)
    runs_bytes: int = _limit(USUAL_RUNS * CPU_LIMITS.bytes_per_run, 2**20, 2**45)
    max_queue: int = _limit(40, 0, 10_000)
    runs_per_owner: int = _limit(8, 1, 1_000)
    starts_per_minute: int = _limit(40, 1, 10_000)
    viewers_per_run: int = _limit(320, 1, 100_000)
    max_viewers: int = _limit(600, 1, 100_000)
    viewers_per_browser: int = _limit(60, 1, 100_000)
    viewers_per_address: int = _limit(300, 1, 100_000)
    pages_per_address: int = _limit(1_000, 1, 100_000)
    history_bytes: int = _limit(8 * MEGABYTE, 65_536, 2**32)
    checkpoint_bytes: int = _limit(32 * MEGABYTE, 0, 2**32)
    checkpoint_seconds: float = _limit(1.0, 0.1, 600)
    grace_seconds: float = _limit(10.0, 0.1, 3600)
    away_seconds: float = _limit(3.0, 0, 60)
    lease_seconds: float = _limit(600.0, 0.2, 86_400)
    pin_seconds: float = _limit(86_400.0, 0.2, 604_800)
    pins_per_owner: int = _limit(2, 0, 1_000)
    max_pins: int = _limit(24, 0, 10_000)
    pinned_bytes: int = _limit(256 * MEGABYTE, 0, 2**40)
    silence_seconds: float = _limit(30.0, 1, 3600)
    hang_seconds: float = _limit(5.0, 1, 600)
    idle_seconds: float = _limit(120.0, 1, 86_400)
    request_seconds: float = _limit(20.0, 0.1, 3600)
    send_seconds: float = _limit(5.0, 0.1, 60)
    message_bytes: int = _limit(4096, 256, MEGABYTE)
    measured_at_once: int = _limit(6, 1, 1_000)
    max_steps: int = _limit(200_000, 100, 10**9)
    maps_per_owner: int = _limit(2, 1, 1_000)
    max_maps: int = _limit(12, 1, 10_000)
    map_networks: int = _limit(20_000, 1, 1_000_000)
    map_patience_seconds: float = _limit(5.0, 0.1, 3600)
    kept_maps: int = _limit(100, 0, 100_000)
    kept_map_bytes: int = _limit(64 * MEGABYTE, 0, 2**40)
    map_cluster: str = _setting("", "auto, local or HOST:PORT", _is_cluster)
    max_rooms: int = _limit(100, 1, 10_000)
    ballots_per_room: int = _limit(1_000, 1, 100_000)
    room_idle_seconds: float = _limit(7_200.0, 1, 604_800)
    rooms_per_address: int = _limit(40, 1, 10_000)
    rooms_per_minute: int = _limit(20, 1, 10_000)
    wrong_codes_per_minute: int = _limit(60, 1, 10_000)
    cookies_per_minute: int = _limit(600, 1, 1_000_000)
    trusted_proxies: str = _setting(
        "",
        "addresses or networks separated by commas, such as 127.0.0.1, 10.0.0.0/8",
        _are_networks,
    )
    frame_ancestors: str = _setting(
        "",
        "self, or addresses of sites separated by spaces, such as https://moodle.example",
        _are_sites,
    )
    state_dir: str = _setting("", "a folder", lambda text: "\0" not in text)
    state_bytes: int = _limit(256 * MEGABYTE, 0, 2**40)
    secret: str = _secret()
    status_token: str = _secret()
    log_level: str = _setting("info", "one of debug, info, warning", LEVELS.__contains__)

    def __post_init__(self) -> None:
        for limit in fields(self):
            value, good = getattr(self, limit.name), False
            with suppress(ValueError):
                good = limit.metadata["good"](value)
            if not good:
                # Errors are logged, but a secret must not be logged.
                secret = limit.metadata["secret"]
                raise _error(limit, f"{len(value)} characters" if secret else repr(value))

    def workers_on(self, host: Host) -> tuple[int, str]:
        """Return the number of workers, at least one, and what limits it.

        That is "affinity", "quota" or "memory" of the host, or "setting", or "most" for
        `MOST_WORKERS`.
        """
        if self.workers:
            return self.workers, "setting"
        apart = SERVER_BYTES + RUNS_SHARE * host.memory
        count, limit = host.processes(bytes_each=WORKER_BYTES, bytes_apart=apart)
        return (count, limit) if count <= MOST_WORKERS else (MOST_WORKERS, "most")

    def fitting(self, host: Host) -> dict[str, int]:
        """Return the limits that keep the server within the host's memory.

        Limits that are not in the result do not depend on the memory.
        """
        if math.isinf(host.memory):
            return {}
        workers, _ = self.workers_on(host)
        spare = (host.memory - SERVER_BYTES - workers * WORKER_BYTES) / RUN_FACTOR

        def between(low: float, value: float, usual: float) -> int:
            return int(min(max(low, value), usual))

        runs_bytes = between(LEAST_RUNS_BYTES, spare, self.runs_bytes)
        return {
            "runs_bytes": runs_bytes,
            # A usual run is estimated at 4 to 7 MB.
            "max_runs": between(LEAST_RUNS, runs_bytes / (8 * MEGABYTE), self.max_runs),
            # A usual run needs 26 MB more while it is measured.
            "measured_at_once": between(
                2, runs_bytes / workers / (26 * MEGABYTE), self.measured_at_once
            ),
            "history_bytes": between(2 * MEGABYTE, host.memory / 256, self.history_bytes),
            "pinned_bytes": between(0, host.memory / 16, self.pinned_bytes),
            "kept_map_bytes": between(0, host.memory / 32, self.kept_map_bytes),
            "max_maps": between(2, host.memory / (256 * MEGABYTE), self.max_maps),
        }

    @classmethod
    def from_environment(
        cls, environment: Mapping[str, str] | None = None, host: Host | None = None
    ) -> Settings:
        """Read the settings, and ignore unknown `BNVIZ_` variables. May raise `SettingsError`.

        The defaults of the other settings fit the memory of `host`, by default of this machine.
        """
        environment = os.environ if environment is None else environment
        given: dict[str, Any] = {}
        for limit in fields(cls):
            text = environment.get(_variable(limit.name))
            if text is not None:
                try:
                    given[limit.name] = type(getattr(cls, limit.name))(text)
                except ValueError:
                    raise _error(limit, repr(text)) from None
        return cls(**{**cls(**given).fitting(host or this_host()), **given})


def _variable(name: str) -> str:
    return f"BNVIZ_{name.upper()}"


def _error(limit: Any, given: str) -> SettingsError:
    allowed = limit.metadata["allowed"]
    return SettingsError(f"`{_variable(limit.name)}` must be {allowed}, got {given}.")
