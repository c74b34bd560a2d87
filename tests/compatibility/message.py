"""Message of a failed comparison: how each key differs, and where to record a decision."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any

BEGIN = (
    "This breaks what others depend on. Undo it, or record a decision in "
    "tests/compatibility/decisions.toml (see CONTRIBUTING.md):"
)
# Maximum number of lines with the same beginning. If there are more, only the first line is
# printed.
MOST_ALIKE = 5
# Number of characters of JSON above which only the differing parts are printed.
LONG = 120
ALIKE = re.compile(r"[\w ]+: [^=,~]*|\w+[ .\[\]]+\w*")


def failure(lines: Iterable[str]) -> str:
    """Return the error message for the lines of `undecided`."""
    groups: dict[str, list[str]] = {}
    for line in lines:
        found = ALIKE.match(line.partition(": recorded ")[0])
        groups.setdefault(found[0] if found else line, []).append(line)
    return "\n".join([BEGIN, *(line for group in groups.values() for line in _shortened(group))])


def _shortened(group: list[str]) -> Iterator[str]:
    if len(group) <= MOST_ALIKE:
        yield from group
        return
    keys = [line.partition(": recorded ")[0] for line in group]
    yield group[0]
    start = keys[0][: _alike(*keys)]
    yield f"{start}… and {len(group) - 1} more (python -m tests.compatibility prints all)"


def difference(key: str, was: Any, now: Any) -> str:
    """Return a line about a changed key, with only the differing parts of long values."""
    if len(json.dumps(was)) + len(json.dumps(now)) > LONG:
        was, now = _differing(was, now)
    return f"{key}: recorded {json.dumps(was)}, now {json.dumps(now)}"


def _differing(was: Any, now: Any) -> tuple[Any, Any]:
    """Return two values without their common parts."""
    if isinstance(was, dict) and isinstance(now, dict):
        pairs = {name: _differing(was[name], now[name]) for name in was.keys() & now.keys()
                 if was[name] != now[name]}  # fmt: skip
        return tuple({name: pairs[name][side] if name in pairs else value
                      for name, value in one.items() if name in pairs or name not in other}
                     for side, (one, other) in enumerate(((was, now), (now, was))))  # fmt: skip
    if isinstance(was, list) and isinstance(now, list):
        start = _alike(was, now)
        end = _alike(was[start:][::-1], now[start:][::-1])
        return was[start : len(was) - end], now[start : len(now) - end]
    return was, now


def _alike(first: Sequence[Any], *others: Sequence[Any]) -> int:
    """Return the length of the common prefix of all sequences."""
    items = zip(first, *others, strict=False)
    same = takewhile(lambda those: all(one == those[0] for one in those), items)
    return sum(1 for _ in same)
