"""The server's settings, each an environment variable `BNVIZ_<NAME>` with a sane default."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any

from bnviz.cores import usable_cores
from bnviz.live.addresses import networks
from bnviz.sweeps.ray_address import host_and_port

MEGABYTE = 2**20
MOST_WORKERS = 64
# A shorter secret could be guessed from one cookie.
SHORTEST_SECRET = 16
Good = Callable[[Any], object]
LEVELS = ("debug", "info", "warning")
# One of the words in `frame_ancestors`.
SITE = re.compile(r"self|https?://(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::[0-9]{1,5})?", re.I)


class SettingsError(ValueError):
    """An environment variable is out of range; the message names it."""


def _setting(default: Any, allowed: str, good: Good, secret: bool = False) -> Any:
    metadata = {"allowed": allowed, "good": good, "secret": secret}
    return field(default=default, metadata=metadata, repr=not secret)


def _limit(default: float, low: float, high: float) -> Any:
    allowed = f"a number between {low:.15g} and {high:.15g}"
    return _setting(default, allowed, lambda value: low <= value <= high)


def _secret() -> Any:
    allowed = f"a text of at least {SHORTEST_SECRET} characters"
    return _setting("", allowed, lambda text: not text or len(text) >= SHORTEST_SECRET, secret=True)


def _are_sites(text: str) -> bool:
    return all(map(SITE.fullmatch, text.split()))


def _are_networks(text: str) -> bool:
    return networks(text) is not None


def _is_cluster(text: str) -> bool:
    return text in ("", "auto", "local") or bool(host_and_port(text))


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Limits on what the server may use and keep, and how it is deployed.

    Attributes:
        workers: worker processes; 0: one a core, 64 at most.
        max_runs: runs at a time, beyond which new ones queue.
        max_queue: runs in the queue; runs of one address leave half of it to other addresses.
        runs_per_owner: runs of one browser, the queue included.
        starts_per_minute: runs one browser may start in a minute.
        viewers_per_run: sockets watching one run.
        max_viewers: sockets in all.
        viewers_per_browser: sockets of one browser.
        viewers_per_address: sockets of one address whose browsers have no cookie of this server.
        pages_per_address: open pages of one address.
        history_bytes: kept frames of one run.
        checkpoint_bytes: largest checkpoint kept; a run with larger ones is replayed.
        checkpoint_seconds: work between two checkpoints of a run.
        grace_seconds: an unwatched run goes on this long.
        away_seconds: and is measured this long: a page that is loaded again is soon back.
        lease_seconds: an unwatched run is kept this long.
        pin_seconds: a pinned run is kept this long, watched or not.
        pins_per_owner: runs that one browser may pin.
        max_pins: pinned runs in all.
        pinned_bytes: memory of the pinned runs.
        silence_seconds: a worker that answers nothing for this long is replaced.
        hang_seconds: a worker whose slice lasts this long, and four steps of its run, is replaced.
        idle_seconds: a visible viewer that acknowledges nothing for this long is dropped.
        request_seconds: a connection whose other side does nothing for this long is closed.
        send_seconds: a send blocked for this long drops the viewer.
        message_bytes: largest message from a browser.
        measured_at_once: runs of a worker whose slow measurements take turns; further ones wait.
        max_steps: steps after which a run is finished.
        maps_per_owner: maps of one browser that are drawn at a time.
        max_maps: maps that go on once all maps have max_maps × map_networks networks.
        map_networks: networks of one map.
        map_patience_seconds: a map that no browser asked for in this time rests.
        kept_maps: maps kept that are finished or rest.
        kept_map_bytes: memory of the maps kept.
        map_cluster: the Ray cluster on which maps are drawn: HOST:PORT; auto for the one of which
            this machine is part; local for one that is started here; left out: the workers draw
            them.
        max_rooms: classes at a time that are asked questions.
        ballots_per_room: browsers that may vote in one class.
        room_idle_seconds: a class whose teacher's page is silent this long is over.
        rooms_per_address: classes at a time of one address.
        rooms_per_minute: new classes of one address.
        wrong_codes_per_minute: wrong codes of classes of one address.
        cookies_per_minute: new browsers of one address, or of one IPv6 network of 64 bits, that may
            start runs: a full hall behind one address at once, and again every minute.
        trusted_proxies: proxies whose X-Forwarded-For and X-Forwarded-Proto are believed.
        frame_ancestors: sites whose pages may show this app in a frame; self: only its own; left
            out: all, but only pages with embed=1.
        secret: signs the cookies; left out: a random one, and each restart of the server makes
            every browser a new one.
        status_token: who sends it as `Authorization: Bearer <token>` gets process ids in /status;
            left out: nobody gets them.
        log_level: debug, info or warning.
    """

    workers: int = _limit(0, 0, MOST_WORKERS)
    max_runs: int = _limit(48, 1, 10_000)
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
    secret: str = _secret()
    status_token: str = _secret()
    log_level: str = _setting("info", "one of debug, info, warning", LEVELS.__contains__)

    def __post_init__(self) -> None:
        for limit in fields(self):
            value, good = getattr(self, limit.name), False
            with suppress(ValueError):
                good = limit.metadata["good"](value)
            if not good:
                # Errors get into logs, and a secret must not.
                secret = limit.metadata["secret"]
                raise _error(limit, f"{len(value)} characters" if secret else repr(value))

    @property
    def worker_count(self) -> int:
        """Worker processes to start: at least one."""
        return self.workers or min(usable_cores(), MOST_WORKERS)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Read the variables of these settings. Others with the prefix `BNVIZ_` are left alone.

        Raises:
            SettingsError: names the variable, its value and what is allowed.
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
        return cls(**given)


def _variable(name: str) -> str:
    return f"BNVIZ_{name.upper()}"


def _error(limit: Any, given: str) -> SettingsError:
    allowed = limit.metadata["allowed"]
    return SettingsError(f"`{_variable(limit.name)}` must be {allowed}, got {given}.")
