"""The server's settings, each an environment variable `BNVIZ_<NAME>` with a sane default."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from bnviz.cores import usable_cores
from bnviz.live.addresses import networks
from bnviz.sweeps.ray_address import host_and_port

MEGABYTE = 2**20
MOST_WORKERS = 64
# A shorter secret could be guessed from one cookie.
SHORTEST_SECRET = 16
# One of the words in `frame_ancestors`.
SITE = re.compile(r"self|https?://(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::[0-9]{1,5})?", re.I)


class SettingsError(ValueError):
    """An environment variable is out of range; the message names it."""


def _limit(default: Any, low: float, high: float, description: str) -> Any:
    return field(default=default, metadata={"low": low, "high": high, "help": description})


def _text(
    allowed: str, good: Callable[[str], object], description: str, *, secret: bool = False
) -> Any:
    metadata = {"allowed": allowed, "good": good, "help": description, "secret": secret}
    return field(default="", metadata=metadata, repr=not secret)


def _secret(description: str) -> Any:
    return _text(
        f"a text of at least {SHORTEST_SECRET} characters",
        lambda text: not text or len(text) >= SHORTEST_SECRET, description, secret=True,
    )  # fmt: skip


def _are_sites(text: str) -> bool:
    return all(map(SITE.fullmatch, text.split()))


def _are_networks(text: str) -> bool:
    try:
        networks(text)
    except ValueError:
        return False
    return True


def _is_cluster(text: str) -> bool:
    try:
        return text in ("", "auto", "local") or bool(host_and_port(text))
    except ValueError:
        return False


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Limits on what the server may use and keep, and how it is deployed."""

    workers: int = _limit(
        0, 0, MOST_WORKERS, f"worker processes; 0: one a core, {MOST_WORKERS} at most"
    )
    max_runs: int = _limit(48, 1, 10_000, "runs at a time, beyond which new ones queue")
    max_queue: int = _limit(
        40, 0, 10_000, "runs in the queue; runs of one address leave half of it to other addresses"
    )
    runs_per_owner: int = _limit(8, 1, 1_000, "runs of one browser, the queue included")
    starts_per_minute: int = _limit(40, 1, 10_000, "runs one browser may start in a minute")
    viewers_per_run: int = _limit(320, 1, 100_000, "sockets watching one run")
    max_viewers: int = _limit(600, 1, 100_000, "sockets in all")
    viewers_per_browser: int = _limit(60, 1, 100_000, "sockets of one browser")
    viewers_per_address: int = _limit(
        300, 1, 100_000, "sockets of one address whose browsers have no cookie of this server"
    )
    pages_per_address: int = _limit(1_000, 1, 100_000, "open pages of one address")
    history_bytes: int = _limit(8 * MEGABYTE, 65_536, 2**32, "kept frames of one run")
    checkpoint_bytes: int = _limit(
        32 * MEGABYTE, 0, 2**32, "largest checkpoint kept; a run with larger ones is replayed"
    )
    checkpoint_seconds: float = _limit(1.0, 0.1, 600, "work between two checkpoints of a run")
    grace_seconds: float = _limit(10.0, 0.1, 3600, "an unwatched run goes on this long")
    away_seconds: float = _limit(
        3.0, 0, 60, "and is measured this long: a page that is loaded again is soon back"
    )
    lease_seconds: float = _limit(600.0, 0.2, 86_400, "an unwatched run is kept this long")
    pin_seconds: float = _limit(
        86_400.0, 0.2, 604_800, "a pinned run is kept this long, watched or not"
    )
    pins_per_owner: int = _limit(2, 0, 1_000, "runs that one browser may pin")
    max_pins: int = _limit(24, 0, 10_000, "pinned runs in all")
    pinned_bytes: int = _limit(256 * MEGABYTE, 0, 2**40, "memory of the pinned runs")
    silence_seconds: float = _limit(
        30.0, 1, 3600, "a worker that answers nothing for this long is replaced"
    )
    hang_seconds: float = _limit(
        5.0, 1, 600, "a worker whose slice lasts this long, and four steps of its run, is replaced"
    )
    idle_seconds: float = _limit(
        120.0, 1, 86_400, "a visible viewer that acknowledges nothing for this long is dropped"
    )
    request_seconds: float = _limit(
        20.0, 0.1, 3600, "a connection whose other side does nothing for this long is closed"
    )
    send_seconds: float = _limit(5.0, 0.1, 60, "a send blocked for this long drops the viewer")
    message_bytes: int = _limit(4096, 256, MEGABYTE, "largest message from a browser")
    measured_at_once: int = _limit(
        6, 1, 1_000, "runs of a worker whose slow measurements take turns; further ones wait"
    )
    max_steps: int = _limit(200_000, 100, 10**9, "steps after which a run is finished")
    maps_per_owner: int = _limit(2, 1, 1_000, "maps of one browser that are drawn at a time")
    max_maps: int = _limit(
        12, 1, 10_000, "maps that go on once all maps have max_maps × map_networks networks"
    )
    map_networks: int = _limit(20_000, 1, 1_000_000, "networks of one map")
    map_patience_seconds: float = _limit(
        5.0, 0.1, 3600, "a map that no browser asked for in this time rests"
    )
    kept_maps: int = _limit(100, 0, 100_000, "maps kept that are finished or rest")
    kept_map_bytes: int = _limit(64 * MEGABYTE, 0, 2**40, "memory of the maps kept")
    map_cluster: str = _text(
        "auto, local or HOST:PORT", _is_cluster,
        "the Ray cluster on which maps are drawn: HOST:PORT; auto for the one of which this "
        "machine is part; local for one that is started here; left out: the workers draw them",
    )  # fmt: skip
    max_rooms: int = _limit(100, 1, 10_000, "classes at a time that are asked questions")
    ballots_per_room: int = _limit(1_000, 1, 100_000, "browsers that may vote in one class")
    room_idle_seconds: float = _limit(
        7_200.0, 1, 604_800, "a class whose teacher's page is silent this long is over"
    )
    rooms_per_address: int = _limit(40, 1, 10_000, "classes at a time of one address")
    rooms_per_minute: int = _limit(20, 1, 10_000, "new classes of one address")
    wrong_codes_per_minute: int = _limit(60, 1, 10_000, "wrong codes of classes of one address")
    cookies_per_minute: int = _limit(
        600, 1, 1_000_000,
        "new browsers of one address, or of one IPv6 network of 64 bits, that may start runs: a "
        "full hall behind one address at once, and again every minute",
    )  # fmt: skip
    trusted_proxies: str = _text(
        "addresses or networks separated by commas, such as 127.0.0.1, 10.0.0.0/8", _are_networks,
        "proxies whose X-Forwarded-For and X-Forwarded-Proto are believed",
    )  # fmt: skip
    frame_ancestors: str = _text(
        "self, or addresses of sites separated by spaces, such as https://moodle.example",
        _are_sites,
        "sites whose pages may show this app in a frame; self: only its own; left out: all, but "
        "only pages with embed=1",
    )  # fmt: skip
    secret: str = _secret(
        "signs the cookies; left out: a random one, and each restart of the server makes every "
        "browser a new one"
    )
    status_token: str = _secret(
        "who sends it as `Authorization: Bearer <token>` gets process ids in /status; left out: "
        "nobody gets them"
    )
    log_level: str = field(default="info", metadata={"choices": ("debug", "info", "warning")})

    def __post_init__(self) -> None:
        for limit in fields(self):
            _check(limit.name, limit.metadata, getattr(self, limit.name))

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
                given[limit.name] = _read(limit.name, limit.metadata, type(limit.default), text)
        return cls(**given)


def _variable(name: str) -> str:
    return f"BNVIZ_{name.upper()}"


def _allowed(metadata: Mapping[str, Any]) -> str:
    if "allowed" in metadata:
        return str(metadata["allowed"])
    if "choices" in metadata:
        return f"one of {', '.join(metadata['choices'])}"
    return f"a number between {metadata['low']:.15g} and {metadata['high']:.15g}"


def _read(name: str, metadata: Mapping[str, Any], kind: type, text: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise SettingsError(
            f"`{_variable(name)}` must be {_allowed(metadata)}, got {text!r}."
        ) from None


def _check(name: str, metadata: Mapping[str, Any], value: Any) -> None:
    if "choices" in metadata:
        good = value in metadata["choices"]
    elif "good" in metadata:
        good = metadata["good"](value)
    else:
        good = metadata["low"] <= value <= metadata["high"]
    if not good:
        # Errors get into logs, and a secret must not.
        given = f"{len(value)} characters" if metadata.get("secret") else repr(value)
        raise SettingsError(f"`{_variable(name)}` must be {_allowed(metadata)}, got {given}.")
