"""The steps that a run has passed while nobody looked: no line of a chart is drawn across them.

What a run's log of live changes costs, and whether one more has room.

The kept frames of one run: numbered, in order of step, within a number of bytes.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from bnviz.live.protocol.frames import plain_change
from bnviz.live.protocol.wire import MAX_HEADER
from bnviz.live.runs.kept_frames import KeptFrame
from bnviz.live.runs.protected_steps import AROUND, Backfill, ProtectedSteps, Span
from bnviz.live.runs.time_series import TimeSeriesCache
from bnviz.records import Change

# So many spans are told apart; of more those that lie closest together become one.
MOST_UNSEEN_SPANS = 100


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
        if len(spans) > MOST_UNSEEN_SPANS:
            at = min(range(len(spans) - 1), key=lambda at: spans[at + 1][0] - spans[at][1])
            spans[at : at + 2] = [(spans[at][0], spans[at + 1][1])]


def _first(span: Span) -> int:
    return span[0]


def _last(span: Span) -> int:
    return span[1]


# A run takes no more live changes than these, nor more than so much of its history's bytes, nor
# than fit into the message that hands it to another worker.
MOST_CHANGES = 20_000
LOG_SHARE = 0.25
MOST_LOG_TEXT = 3 * MAX_HEADER // 4
# What one change costs besides its text.
CHANGE_OVERHEAD = 40


class LogBudget:
    """Steps and sizes of the changes made so far.

    Args:
        cap: bytes of the history that the log is a part of.
    """

    def __init__(self, cap: int) -> None:
        self._most_bytes = cap * LOG_SHARE
        self._steps = array("I")
        self._sizes = array("I")
        self._text = 0
        self._newest: Change | None = None

    @property
    def size(self) -> int:
        """Bytes of all changes."""
        return self._text + CHANGE_OVERHEAD * len(self._sizes)

    def add(self, change: Change) -> None:
        """A change was made. Of a drag's values before the same step only the last one is kept."""
        newest, self._newest = self._newest, change
        if newest and change.drag and (newest.drag, newest.step) == (change.drag, change.step):
            self._steps.pop()
            self._text -= self._sizes.pop()
        self._count(change.step, len(orjson.dumps(plain_change(change))))

    def takes(self, waiting: int) -> bool:
        """Whether one more has room, besides those that wait to take effect."""
        made = len(self._sizes)
        total = made + waiting + 1
        text = self._text + (waiting + 1) * (self._text / made if made else 0.0)
        return (
            total <= MOST_CHANGES
            and text <= MOST_LOG_TEXT
            and text + total * CHANGE_OVERHEAD <= self._most_bytes
        )

    def take_from(self, other: LogBudget, until: int) -> None:
        """Add what another run's log costs up to a step."""
        for step, size in zip(other._steps, other._sizes, strict=True):
            if step <= until:
                self._count(step, size)

    def _count(self, step: int, size: int) -> None:
        self._steps.append(step)
        self._sizes.append(size)
        self._text += size


# Thinning goes a little below the cap, so that it happens once in many frames.
THINNED_TO = 0.92
# What one kept frame costs besides its bytes.
FRAME_OVERHEAD = 160
# Of the columns asked for, so much of the history's bytes is kept.
SERIES_SHARE = 0.5


class History:
    """Numbered frames, and the cost of the live changes between them. Thinned with age, never step
    0 nor the newest; breaks, changes and, while the cap allows, the frames around them stay.

    Attributes:
        columns: what was asked for as numbers over time.
        unseen: the steps that were passed while nobody looked; thinning does not touch them.
        thinned: how often frames had to go.
        version: grows with everything that an export would show.
    """

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._kept: list[KeptFrame] = []
        self._bytes = 0
        self._step_of = array("I")
        self._newest: KeptFrame | None = None
        self._surroundings = ProtectedSteps()
        self._gaps = Backfill()
        self._log = LogBudget(cap)
        self._pinned: tuple[Span, ...] = ()
        self.columns = TimeSeriesCache(int(cap * SERIES_SHARE))
        self.unseen = UnseenSpans()
        self.thinned = self.version = 0

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[KeptFrame]:
        return iter(self._kept)

    @property
    def size(self) -> int:
        """Bytes of all kept frames and live changes."""
        return self._bytes + self._log.size

    @property
    def newest(self) -> KeptFrame | None:
        """The frame that was drawn last; frames replayed from the past are not."""
        return self._newest

    def add(self, step: int, body: bytes, *, replayed: bool = False) -> int:
        """Keep a frame and return its number. One of the same step gives way."""
        kept = KeptFrame(len(self._step_of), step, body)
        self._step_of.append(step)
        at = bisect_left(self._kept, step, key=lambda frame: frame.step)
        if at < len(self._kept) and self._kept[at].step == step:
            self._bytes -= len(self._kept[at].body) + FRAME_OVERHEAD
            self._kept[at] = kept
        else:
            self._kept.insert(at, kept)
        self._bytes += len(body) + FRAME_OVERHEAD
        if not replayed or self._newest is None:
            self._newest = kept
        if replayed:
            self._gaps.arrived(step)
        self.unseen.show(step)
        self._changed()
        return kept.seq

    def pass_unseen(self, first: int, last: int) -> None:
        """The run has passed the steps from `first` to `last` while nobody looked."""
        self.unseen.add(first, last)
        self.version += 1

    def pin(self, steps: Iterable[int]) -> None:
        """Keep the frames of these steps, whatever else has to go."""
        self._pinned = tuple((step, step) for step in sorted(steps))

    def protect(self, step: int) -> bool:
        """Keep the frames around a break. False: they are kept already."""
        new = self._surroundings.add_break(step)
        if new:
            self._gaps.add(step)
        return new

    def take_change(self, change: Change) -> None:
        """A live change took effect: count it, and keep the frames around it; of a drag those
        around the first and the last value.
        """
        self._log.add(change)
        new = self._surroundings.add_change(change.step, change.drag)
        if new and self._surroundings.tail is None:
            self._gaps.add(change.step)
        self._gaps.follow(self._surroundings.tail)
        self._changed()

    def takes_change(self, waiting: int = 0) -> bool:
        """Whether one more live change has room, besides those that wait to take effect."""
        return self._log.takes(waiting)

    def ask_again(self) -> None:
        """Another worker has the run: it knows nothing of the steps asked of the last one."""
        self._gaps.start_again(self._surroundings.centres())

    def to_replay(self, newest: int, *, stands: bool) -> list[int]:
        """Steps around breaks and changes that no frame shows, to be asked for now: each once.

        Args:
            newest: the run's step.
            stands: whether the run stands still.
        """
        return self._gaps.ask(self.missing, newest, stands=stands)

    def missing(self, centre: int, last: int) -> list[int]:
        """The steps around `centre`, up to `last`, that no kept frame shows."""
        first, end = max(0, centre - AROUND), min(centre + AROUND, last)
        low = bisect_left(self._kept, first, key=lambda frame: frame.step)
        high = bisect_right(self._kept, end, key=lambda frame: frame.step)
        have = {frame.step for frame in self._kept[low:high]}
        return [step for step in range(first, end + 1) if step not in have]

    def index(self) -> list[list[int]]:
        """[[number, step], …] of all kept frames, in order of step."""
        return [[frame.seq, frame.step] for frame in self._kept]

    def nearest(self, seq: int) -> KeptFrame | None:
        """The frame of a number, or the kept one nearest in step."""
        if not self._kept or not self._step_of:
            return None
        step = self._step_of[min(max(seq, 0), len(self._step_of) - 1)]
        at = bisect_left(self._kept, step, key=lambda frame: frame.step)
        around = self._kept[max(0, at - 1) : at + 1]
        return min(around, key=lambda frame: abs(frame.step - step))

    def until(self, step: int) -> History:
        """A fork's history: what this one keeps up to a step, renumbered."""
        fork = History(self._cap)
        for frame in self._kept:
            if frame.step <= step:
                fork.add(frame.step, frame.body)
        fork.unseen = self.unseen.until(step)
        fork._log.take_from(self._log, step)
        fork._surroundings = self._surroundings.until(step)
        fork.ask_again()
        return fork

    def restart(self) -> None:
        """Forget everything; numbers go on."""
        self._kept.clear()
        self._bytes, self._newest = 0, None
        self._surroundings, self._gaps = ProtectedSteps(), Backfill()
        self._log = LogBudget(self._cap)
        self.unseen.clear()
        self.version += 1

    def _changed(self) -> None:
        self.version += 1
        if self.size > self._cap:
            self._thin()

    def _thin(self) -> None:
        """Drop frames, the least telling first, until a little below the cap."""
        self.thinned += 1
        goal = int(self._cap * THINNED_TO) - self._log.size
        for reach in (AROUND, 20, 5, 0):
            self._thin_outside([*self._surroundings.spans(reach), *self._pinned], goal)
        self._thin_outside([*self._surroundings.essential(), *self._pinned], goal)
        self._thin_outside(list(self._pinned), goal)
        # Only where the pinned ones alone are too many.
        self._thin_outside([], goal)

    def _thin_outside(self, spans: list[Span], goal: int) -> None:
        """Thin frames outside these spans of steps; never two neighbours at once, so that what
        stays is spread evenly.
        """
        while self._bytes > goal:
            dropped = self._droppable(spans, self._bytes - goal)
            if not dropped:
                return
            self._bytes -= sum(len(self._kept[at].body) + FRAME_OVERHEAD for at in dropped)
            self._kept = [kept for at, kept in enumerate(self._kept) if at not in dropped]

    def _droppable(self, spans: list[Span], surplus: int) -> set[int]:
        kept = self._kept
        latest = kept[-1].step if kept else 0
        free = [
            at for at in _outside(sorted(spans), [frame.step for frame in kept])
            if 0 < at < len(kept) - 1 and kept[at] is not self._newest
        ]  # fmt: skip
        free.sort(key=lambda at: (kept[at + 1].step - kept[at - 1].step)
                  / (latest - kept[at].step + 1))  # fmt: skip
        dropped: set[int] = set()
        for at in free:
            if surplus <= 0:
                break
            if at - 1 not in dropped and at + 1 not in dropped:
                dropped.add(at)
                surplus -= len(kept[at].body) + FRAME_OVERHEAD
        return dropped


def _outside(spans: list[Span], steps: list[int]) -> Iterator[int]:
    """Places of the ascending steps that lie in none of the spans."""
    at = 0
    for first, last in spans:
        start = bisect_left(steps, first)
        yield from range(at, start)
        at = max(at, bisect_right(steps, last))
    yield from range(at, len(steps))
