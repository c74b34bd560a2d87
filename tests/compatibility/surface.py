"""Recorded and current public interface, decisions, and differences without a decision."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.compatibility import commands, files, links, registries, runs, server
from tests.compatibility.message import difference

Surface = dict[str, Any]

FOLDER = Path(__file__).parent
RECORDED, DECISIONS = FOLDER / "surface.json", FOLDER / "decisions.toml"

# Areas of the public interface, each with the function that reads its current state and the
# prefixes of its keys.
AREAS: dict[str, tuple[Callable[[], Mapping[str, Any]], tuple[str, ...]]] = {
    "registries": (registries.surface, (
        "norm: ", "probe: ", "data set: ", "network: ", "chart: ", "claim: ", "lesson", "preset",
        "talk: ", "action: ", "language: ", "knob ", "statement ", "storage ",
    )),
    "commands": (commands.surface, (
        "command", "train ", "sweep ", "claim JSON", "exit status of ", "variable",
    )),
    "server": (server.surface, ("page ", "route: ", "parameter of ", "claims page ", "cookie ")),
    "runs": (runs.surface, ("python ", "frame", "run ", "server message ", "status page")),
    "files": (files.surface, ("limit: ", "digits file ", "log line")),
}  # fmt: skip
READ = "read"
# Functions that read sample keys, each of which contains an address, a message or a command. The
# current code must still read recorded samples, even if it writes them differently.
SAMPLES: dict[str, Callable[[str], Any]] = {
    "link reads": links.read,
    "link writes": links.written,
    "link is framed": links.framed,
    "link only watches": links.watching,
    "redirect": server.redirected,
    "client message": runs.client_message,
    "exit status": commands.exit_status,
}


class Decision(NamedTuple):
    """Entry of `decisions.toml` that allows a recorded key to differ.

    Attributes:
        key: the key, or a prefix of keys that ends in a star.
        now: the only allowed new value, or None for any value.
        gone: whether the key must be absent.
    """

    key: str
    reason: str = ""
    now: Any = None
    gone: bool = False

    def covers(self, key: str, present: Surface) -> bool:
        """Return whether this decision allows a key to differ as it does."""
        prefix = self.key.removesuffix("*")
        if not (key.startswith(prefix) if prefix != self.key else key == self.key):
            return False
        if self.gone or key not in present:
            return self.gone and key not in present
        return self.now is None or bool(present[key] == self.now)


def recorded() -> Surface:
    """Return the public interface stored in `surface.json`."""
    found: Surface = json.loads(RECORDED.read_text("utf-8"))
    return found


def decisions() -> list[Decision]:
    """Return the decisions stored in `decisions.toml`."""
    given = tomllib.loads(DECISIONS.read_text("utf-8")).get("decision", [])
    return [Decision(**each) for each in given]


def present(samples: Iterable[str]) -> Surface:
    """Return the public interface of the current code.

    Args:
        samples: recorded keys. The current code reads the sample in each key of a sample kind.
    """
    found: Surface = {}
    for name, (area, _) in AREAS.items():
        try:
            found |= {**area(), f"area {name}": READ}
        except Exception as error:
            found[f"area {name}"] = f"fails: {error!r}"
    for key in samples:
        kind, _, sample = key.partition(": ")
        if kind not in SAMPLES:
            continue
        try:
            found[key] = SAMPLES[kind](sample)
        except Exception as error:
            found[key] = f"fails: {error!r}"
    # JSON turns tuples into lists, as they are in the file.
    plain: Surface = json.loads(json.dumps(found))
    return plain


def holds(was: Any, now: Any) -> bool:
    """Return whether a recorded value still holds. Limits may rise, and ordered lists may grow."""
    if isinstance(was, dict) and isinstance(now, dict) and was.keys() == now.keys():
        if was.keys() == {"at least"}:
            return bool(now["at least"] >= was["at least"])
        if was.keys() == {"in this order"}:
            # A removed name is reported under its own key.
            then, today = was["in this order"], now["in this order"]
            return [one for one in then if one in today] == [one for one in today if one in then]
    return bool(was == now)


def area_of(key: str) -> str | None:
    """Return the area of a key, or None for a sample key or the key of an area itself."""
    return next((name for name, (_, starts) in AREAS.items() if key.startswith(starts)), None)


def undecided(was: Surface, now: Surface, decided: Iterable[Decision]) -> list[str]:
    """Return recorded keys that changed without a decision, and decisions without effect.

    New keys are allowed. If an area cannot be read, only that failure is reported for it.
    """
    all_decisions = list(decided)
    wrong = [f"{each.key}: this decision has no reason" for each in all_decisions
             if not each.reason.strip()]  # fmt: skip
    needed: list[Decision] = []
    for key, value in was.items():
        if key in now and holds(value, now[key]):
            continue
        if key not in now and now.get(f"area {area_of(key)}", READ) != READ:
            continue
        covering = [each for each in all_decisions if each.covers(key, now)]
        needed += covering
        if not covering:
            wrong.append(difference(key, value, now.get(key, "gone")))
    idle = (each for each in all_decisions if each not in needed)
    return wrong + [f"{each.key}: this decision is not needed" for each in idle]


def add(samples: Iterable[str] = ()) -> list[str]:
    """Record and return new keys, without changing recorded keys.

    Args:
        samples: keys of new samples, such as "link reads: /lab?depth=3".

    Raises:
        ValueError: If a key is not of a sample kind.
    """
    samples = list(samples)
    for key in samples:
        if key.partition(": ")[0] not in SAMPLES:
            raise ValueError(f"{key!r} must start with one of {', '.join(SAMPLES)}, and a colon.")
    was = recorded() if RECORDED.exists() else {}
    new = {key: value for key, value in present([*was, *samples]).items() if key not in was}
    lines = (f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
             for key, value in sorted({**was, **new}.items()))  # fmt: skip
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    return sorted(new)
