"""The steps that a run has passed while nobody looked: no line of a chart is drawn across them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any

from bnviz.live.hub.key_steps import Span

# So many spans are told apart; of more those that lie closest together become one.
MOST_SPANS = 100


class UnseenSpans:
    """Spans of steps, each from its first to its last, ascending, with seen steps between them.

    However many there are, no step that nobody saw is forgotten: where there are too many, seen
    steps between two of them count as unseen as well, and lines have a gap there too.

    Attributes:
        version: grows with every change, so that a browser knows old news from new.
    """

    def __init__(self) -> None:
        self._spans: list[Span] = []
        self.version = 0

    def __iter__(self) -> Iterator[Span]:
        return iter(self._spans)

    def add(self, first: int, last: int) -> None:
        """The run has passed these steps while nobody looked."""
        start = bisect_left(self._spans, first - 1, key=_last)
        end = bisect_right(self._spans, last + 1, key=_first)
        met = self._spans[start:end]
        if met:
            first, last = min(first, met[0][0]), max(last, met[-1][1])
        self._spans[start:end] = [(first, last)]
        self._changed()

    def show(self, step: int) -> None:
        """A frame shows this step."""
        at = bisect_left(self._spans, step, key=_last)
        if at == len(self._spans) or step < self._spans[at][0]:
            return
        first, last = self._spans[at]
        parts = [(first, step - 1), (step + 1, last)]
        self._spans[at : at + 1] = [part for part in parts if part[0] <= part[1]]
        self._changed()

    def until(self, step: int) -> UnseenSpans:
        """A fork's spans: what these are up to a step."""
        fork = UnseenSpans()
        fork._spans = [(first, min(last, step)) for first, last in self if first <= step]
        return fork

    def clear(self) -> None:
        """Forget all: the run starts over."""
        self._spans.clear()
        self.version += 1

    def plain(self) -> dict[str, Any]:
        """For JSON: `{"version", "spans": [[first, last], …]}`."""
        return {"version": self.version, "spans": [list(span) for span in self._spans]}

    def _changed(self) -> None:
        self.version += 1
        spans = self._spans
        if len(spans) > MOST_SPANS:
            at = min(range(len(spans) - 1), key=lambda at: spans[at + 1][0] - spans[at][1])
            spans[at : at + 2] = [(spans[at][0], spans[at + 1][1])]


def _first(span: Span) -> int:
    return span[0]


def _last(span: Span) -> int:
    return span[1]
