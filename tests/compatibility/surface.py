"""The recorded surface, the present one, the decisions, and what differs without a decision."""

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

# Each area with what its keys begin with.
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
# A key of these kinds holds a sample: an address, a message, a command. The present code reads the
# samples that are recorded, whatever it would write itself.
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
    """An entry of `decisions.toml`: a recorded key may differ.

    Attributes:
        key: the key; with a star at its end, all keys that begin so.
        reason: why.
        now: the only other value that is allowed; None: any value.
        gone: whether the key has to be gone.
    """

    key: str
    reason: str = ""
    now: Any = None
    gone: bool = False

    def covers(self, key: str, present: Surface) -> bool:
        """Whether it allows how a key differs."""
        prefix = self.key.removesuffix("*")
        if not (key.startswith(prefix) if prefix != self.key else key == self.key):
            return False
        if self.gone or key not in present:
            return self.gone and key not in present
        return self.now is None or bool(present[key] == self.now)


def recorded() -> Surface:
    """The surface in the file."""
    found: Surface = json.loads(RECORDED.read_text("utf-8"))
    return found


def decisions() -> list[Decision]:
    """The decisions in the file."""
    given = tomllib.loads(DECISIONS.read_text("utf-8")).get("decision", [])
    return [Decision(**each) for each in given]


def present(samples: Iterable[str]) -> Surface:
    """The surface of the present code.

    Args:
        samples: keys; those of a kind of sample are read anew.
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
    # Tuples become lists, as in the file.
    plain: Surface = json.loads(json.dumps(found))
    return plain


def holds(was: Any, now: Any) -> bool:
    """Whether a recorded value is still true: a limit may be raised, a list in order extended."""
    if isinstance(was, dict) and isinstance(now, dict) and was.keys() == now.keys():
        if was.keys() == {"at least"}:
            return bool(now["at least"] >= was["at least"])
        if was.keys() == {"in this order"}:
            # The key of a name that is gone says so.
            then, today = was["in this order"], now["in this order"]
            return [one for one in then if one in today] == [one for one in today if one in then]
    return bool(was == now)


def area_of(key: str) -> str | None:
    """The area that a key is in; None: the key is a sample's, or an area's own."""
    return next((name for name, (_, starts) in AREAS.items() if key.startswith(starts)), None)


def undecided(was: Surface, now: Surface, decided: Iterable[Decision]) -> list[str]:
    """Every recorded key that is gone or differs without a decision, and every idle decision.

    Keys that were not recorded are allowed. Of an area that cannot be read, only this is said.
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
    """Record the keys that are not recorded yet. Returns them; no recorded key changes.

    Args:
        samples: keys of new samples, such as "link reads: /lab?depth=3".

    Raises:
        ValueError: a key is no sample's.
    """
    samples = list(samples)
    for key in samples:
        if key.partition(": ")[0] not in SAMPLES:
            raise ValueError(f"{key}: must begin with one of {', '.join(SAMPLES)}, and a colon")
    was = recorded() if RECORDED.exists() else {}
    new = {key: value for key, value in present([*was, *samples]).items() if key not in was}
    lines = (f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
             for key, value in sorted({**was, **new}.items()))  # fmt: skip
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    return sorted(new)
