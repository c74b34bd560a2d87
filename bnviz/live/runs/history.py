"""History of a run: its numbered frames in order of step, within a memory limit in bytes."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

import orjson

from bnviz.change_log import plain_change
from bnviz.live.protocol.wire import MAX_HEADER
from bnviz.live.runs.parsed_frames import HistoryFrame, nearest
from bnviz.live.runs.protected_steps import AROUND, Backfill, ProtectedSteps, is_near
from bnviz.live.runs.time_series import TimeSeriesCache
from bnviz.records import Change

# Share of the memory limit to which thinning reduces the history. It is below 1, so that thinning
# is rare.
THINNED_TO = 0.92
# Bytes of memory per frame in addition to its body.
FRAME_OVERHEAD = 160
# Additional memory for cached time series, as a share of the history's limit.
SERIES_SHARE = 0.5

# Limits on the live changes of a run: their number, their share of the history's bytes, and the
# size of their JSON, which must fit into the message that moves the run to another worker.
MOST_LOGGED_CHANGES = 20_000
LOG_SHARE = 0.25
MOST_LOG_TEXT = 3 * MAX_HEADER // 4
# Bytes of memory per live change in addition to its JSON.
CHANGE_OVERHEAD = 40

# Maximum number of steps whose frames are all made again after a restart of the server.
MOST_REFILLED = 1_000

# Maximum number of unseen spans. If there are more, the two spans nearest to each other are joined.
MOST_UNSEEN_SPANS = 100

# (first step, last step).
Span = tuple[int, int]


class History:
    """Numbered frames, and the memory used by live changes, within a common limit in bytes.

    Above the limit, frames are thinned out, old frames more than new ones. Step 0 and the newest
    frame always stay. Frames around breaks and live changes are dropped late, and pinned frames
    last.

    Attributes:
        unseen: Steps without a viewer. Thinning does not change them.
        thinned: Number of times that frames were dropped.
        newest: Latest frame that was not replayed.
        version: Number that increases with every change that affects an export.
    """

    def __init__(self, cap: int) -> None:
        self._cap = cap
        # Frame number -> step, for all frames including dropped ones.
        self._step_of = array("I")
        self._pinned: frozenset[int] = frozenset()
        self.series = TimeSeriesCache(int(cap * SERIES_SHARE))
        self.unseen = UnseenSpans()
        self.thinned = self.version = 0
        self._begin()

    def _begin(self) -> None:
        self._kept: list[HistoryFrame] = []
        self._bytes = 0
        self.newest: HistoryFrame | None = None
        self._protected, self._backfill = ProtectedSteps(), Backfill()
        self.log = LogBudget(self._cap)

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[HistoryFrame]:
        return iter(self._kept)

    @property
    def size(self) -> int:
        return self._bytes + self.log.size

    def add(self, step: int, body: bytes, *, replayed: bool = False) -> int:
        """Add a frame, replacing a frame of the same step, and return its number.

        `replayed` means that a worker replayed an earlier step to create the frame.
        """
        kept = HistoryFrame(len(self._step_of), step, body)
        self._step_of.append(step)
        at = bisect_left(self._kept, step, key=lambda frame: frame.step)
        if at < len(self._kept) and self._kept[at].step == step:
            self._bytes -= len(self._kept[at].body) + FRAME_OVERHEAD
            self._kept[at] = kept
        else:
            self._kept.insert(at, kept)
        self._bytes += len(body) + FRAME_OVERHEAD
        if not replayed or self.newest is None:
            self.newest = kept
        if replayed:
            self._backfill.arrived(step)
        self.unseen.show(step)
        self._changed()
        return kept.seq

    def pass_unseen(self, first: int, last: int) -> None:
        """Record that the run took the steps from `first` to `last` without a viewer."""
        self.unseen.add(first, last)
        self.version += 1

    def pin(self, steps: Iterable[int]) -> None:
        """Keep the frames of these steps when thinning, as far as the limit allows."""
        self._pinned = frozenset(steps)

    def add_break(self, step: int) -> bool:
        """Protect the frames around a break. Return whether new steps became protected."""
        new = self._protected.add_break(step)
        if new:
            self._backfill.add(step)
        return new

    def add_change(self, change: Change) -> None:
        """Count a live change and protect the frames around it, or around both ends of a drag."""
        self.log.add(change)
        new = self._protected.add_change(change.step, change.drag)
        if new and self._protected.drag_end is None:
            self._backfill.add(change.step)
        self._backfill.follow_drag(self._protected.drag_end)
        self._changed()

    def restart_backfill(self) -> None:
        """Discard the requests to the previous worker, after the run moved to another one."""
        self._backfill.start_again(self._protected.centres())

    def take_steps_to_replay(self, newest: int, *, stopped: bool) -> list[int]:
        """Return the steps without a frame near breaks and changes, each step only once."""
        return self._backfill.take(self.missing, newest, stopped=stopped)

    def missing(self, centre: int, last: int) -> list[int]:
        """Return the steps around `centre`, up to `last`, that have no frame."""
        first, end = max(0, centre - AROUND), min(centre + AROUND, last)
        low = bisect_left(self._kept, first, key=lambda frame: frame.step)
        high = bisect_right(self._kept, end, key=lambda frame: frame.step)
        have = {frame.step for frame in self._kept[low:high]}
        return [step for step in range(first, end + 1) if step not in have]

    def discarded(self, before: int) -> list[int]:
        """Return the steps below `before` without a frame; of a long run, only the pinned steps."""
        have = {frame.step for frame in self._kept}
        wanted = range(before) if before <= MOST_REFILLED else sorted(self._pinned)
        return [step for step in wanted if step < before and step not in have]

    def index(self) -> list[list[int]]:
        return [[frame.seq, frame.step] for frame in self._kept]

    def nearest(self, seq: int) -> HistoryFrame | None:
        """Return the frame nearest to the step of frame `seq`, or None if there are no frames."""
        if not self._kept or not self._step_of:
            return None
        step = self._step_of[min(max(seq, 0), len(self._step_of) - 1)]
        return self._kept[nearest(self._kept, step)]

    def up_to(self, step: int, log: Iterable[Change]) -> History:
        """Return the history of a fork at `step` with the given live changes."""
        fork = History(self._cap)
        for frame in self._kept:
            if frame.step <= step:
                fork.add(frame.step, frame.body)
        fork.unseen = self.unseen.up_to(step)
        for broke in self._protected.breaks():
            if broke <= step:
                fork.add_break(broke)
        for change in log:
            fork.add_change(change)
        fork.restart_backfill()
        return fork

    def restart(self) -> None:
        """Discard everything except the count of frames, so that no frame number is reused."""
        self._begin()
        self.unseen.clear()
        self.version += 1

    def _changed(self) -> None:
        self.version += 1
        if self.size > self._cap:
            self._thin()

    def _thin(self) -> None:
        """Drop frames until the size is below the limit, starting far from breaks and changes."""
        self.thinned += 1
        goal = int(self._cap * THINNED_TO) - self.log.size
        centres, pinned = self._protected.centres(), self._pinned
        for reach in (AROUND, 20, 5, 0):
            self._thin_outside(centres, reach, pinned, goal)
        self._thin_outside(self._protected.essential(), 0, pinned, goal)
        self._thin_outside((), 0, pinned, goal)
        # Drop pinned frames only if they alone exceed the limit.
        self._thin_outside((), 0, (), goal)

    def _thin_outside(
        self, centres: Sequence[int], reach: int, pinned: Collection[int], goal: int
    ) -> None:
        """Drop frames until `goal` bytes remain or none can be dropped.

        Pinned frames and frames within `reach` steps of a centre stay. Each round keeps at least
        one of any two neighbouring frames, so that the remaining frames are evenly spaced.
        """
        while self._bytes > goal:
            free = [
                at for at, frame in enumerate(self._kept)
                if frame.step not in pinned and not is_near(frame.step, centres, reach)
            ]  # fmt: skip
            dropped = self._droppable(free, self._bytes - goal)
            if not dropped:
                return
            self._bytes -= sum(len(self._kept[at].body) + FRAME_OVERHEAD for at in dropped)
            self._kept = [kept for at, kept in enumerate(self._kept) if at not in dropped]

    def _droppable(self, free: Iterable[int], surplus: int) -> set[int]:
        """Return the indices of frames to drop in one round, for about `surplus` bytes.

        Frames with the smallest gap between their neighbours, relative to their age, come first.
        """
        kept = self._kept
        latest = kept[-1].step if kept else 0
        free = [at for at in free if 0 < at < len(kept) - 1 and kept[at] is not self.newest]
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


class LogBudget:
    """Memory used by a run's log of live changes, limited to `LOG_SHARE` of the history's `cap`."""

    def __init__(self, cap: int) -> None:
        self._most_bytes = cap * LOG_SHARE
        self._newest: Change | None = None
        self._made = self._text = 0

    @property
    def size(self) -> int:
        return self._text + CHANGE_OVERHEAD * self._made

    def add(self, change: Change) -> None:
        """Count a change. As in the log, it replaces an earlier one of the same drag and step."""
        newest = self._newest
        if newest and change.drag and (newest.drag, newest.step) == (change.drag, change.step):
            self._text -= _text_size(newest)
        else:
            self._made += 1
        self._newest = change
        self._text += _text_size(change)

    def has_room(self, waiting: int = 0) -> bool:
        """Return whether one more change fits after `waiting` pending changes of average length."""
        made = self._made
        total = made + waiting + 1
        text = self._text + (waiting + 1) * (self._text / made if made else 0.0)
        return (
            total <= MOST_LOGGED_CHANGES
            and text <= MOST_LOG_TEXT
            and text + total * CHANGE_OVERHEAD <= self._most_bytes
        )


def _text_size(change: Change) -> int:
    return len(orjson.dumps(plain_change(change)))


class UnseenSpans:
    """Ascending spans of steps without a viewer. Charts draw no line across them.

    With too many spans, some seen steps between spans count as unseen. `version` increases
    with every change, so that browsers know which of two messages is newer.
    """

    def __init__(self) -> None:
        self._spans: list[Span] = []
        self.version = 0

    def __iter__(self) -> Iterator[Span]:
        return iter(self._spans)

    def add(self, first: int, last: int) -> None:
        start = bisect_left(self._spans, first - 1, key=itemgetter(1))
        end = bisect_right(self._spans, last + 1, key=itemgetter(0))
        met = self._spans[start:end]
        if met:
            first, last = min(first, met[0][0]), max(last, met[-1][1])
        self._spans[start:end] = [(first, last)]
        self._changed()

    def show(self, step: int) -> None:
        """Remove a step from the unseen spans, because a frame shows it."""
        at = bisect_left(self._spans, step, key=itemgetter(1))
        if at == len(self._spans) or step < self._spans[at][0]:
            return
        first, last = self._spans[at]
        parts = [(first, step - 1), (step + 1, last)]
        self._spans[at : at + 1] = [part for part in parts if part[0] <= part[1]]
        self._changed()

    def up_to(self, step: int) -> UnseenSpans:
        fork = UnseenSpans()
        fork._spans = [(first, min(last, step)) for first, last in self if first <= step]
        return fork

    def clear(self) -> None:
        self._spans.clear()
        self.version += 1

    def plain(self) -> dict[str, Any]:
        """Return the JSON object `{"version", "spans": [[first, last], …]}`."""
        return {"version": self.version, "spans": [list(span) for span in self._spans]}

    def _changed(self) -> None:
        self.version += 1
        spans = self._spans
        if len(spans) > MOST_UNSEEN_SPANS:
            at = min(range(len(spans) - 1), key=lambda at: spans[at + 1][0] - spans[at][1])
            spans[at : at + 2] = [(spans[at][0], spans[at + 1][1])]
