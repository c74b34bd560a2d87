"""What browsers are told of a map, as JSON that is made once for all who ask the same."""

from __future__ import annotations

import gzip
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from bnviz.live.hub.live_map import LiveMap
from bnviz.live.protocol import messages

# Below this, compressing costs more than it saves.
SMALL = 2_048
# Quick: what compresses well does so at any level.
LEVEL = 1
# Answers of all maps together that are kept, those asked for last, and their bytes.
MOST_ANSWERS, MOST_BYTES = 1_000, 32 * 2**20


class Answer(NamedTuple):
    """JSON, plain and, where it is large, compressed."""

    plain: bytes
    packed: bytes | None

    @property
    def size(self) -> int:
        """Its bytes."""
        return len(self.plain) + len(self.packed or b"")


@dataclass(frozen=True)
class Question:
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


def question(
    live_map: LiveMap, status: dict[str, Any], problem: str | None, after: int
) -> Question:
    """What is known of a map but for its first `after` points."""
    end = live_map.known.rows
    begin = min(after, end)
    facts = {
        "key": live_map.key, **status, "progress": live_map.progress(),
        "edges": dict(live_map.edges), "reading": live_map.known.reading,
        "problem": None if problem is None else messages.said(problem),
    }  # fmt: skip
    mark = (live_map.key, live_map.version, *status.values(), problem, begin)
    return Question(mark, live_map.survey.rows, begin, end, facts)


class MapFeed:
    """The answers that were given last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[Any, ...], Answer] = OrderedDict()
        self._size = 0

    def answer(self, asked: Question) -> Answer:
        """What is told, encoded; in any thread."""
        with self._lock:
            if (found := self._kept.get(asked.mark)) is not None:
                self._kept.move_to_end(asked.mark)
                return found
        plain = orjson.dumps(asked.told())
        packed = gzip.compress(plain, LEVEL, mtime=0) if len(plain) > SMALL else None
        found = Answer(plain, packed)
        with self._lock:
            if asked.mark not in self._kept:
                self._kept[asked.mark] = found
                self._size += found.size
            while len(self._kept) > MOST_ANSWERS or self._size > MOST_BYTES:
                self._size -= self._kept.popitem(last=False)[1].size
        return found
