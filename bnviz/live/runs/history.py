"""The history of one run: its frames, numbered and in order of step, within a number of bytes.

The costs of the run's live changes count against the same bytes. Beside them stand the spans of
steps that no viewer saw.
"""

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

# Thinning goes to this share of the cap, so that it happens once in many frames.
THINNED_TO = 0.92
# Bytes that a kept frame costs besides its body.
FRAME_OVERHEAD = 160
# The share of the history's bytes that its cached time series may take besides.
SERIES_SHARE = 0.5

# A run takes no more live changes than these, nor more than this share of its history's bytes, nor
# more JSON than fits into the message that hands the run to another worker.
MOST_LOGGED_CHANGES = 20_000
LOG_SHARE = 0.25
MOST_LOG_TEXT = 3 * MAX_HEADER // 4
# Bytes that a live change costs besides its JSON.
CHANGE_OVERHEAD = 40

# Of more spans that no viewer saw, the two with the fewest steps between them are joined.
MOST_UNSEEN_SPANS = 100

# First and last step.
Span = tuple[int, int]


class History:
    """Numbered frames, and the cost of the live changes between them.

    Where they pass the cap, frames are thinned, old ones more than new ones. Step 0 and the newest
    frame always stay; breaks, live changes and pinned steps stay, and while the cap allows it all
    frames around them.

    Attributes:
        series: the time series that were requested last.
        unseen: the steps that the run took while no viewer looked; thinning does not touch them.
        thinned: how often frames were dropped.
        newest: the frame that came last, replayed ones aside.
        log: what the live changes cost, and whether one more has room.
        version: grows with everything that an export would show.
    """

    def __init__(self, cap: int) -> None:
        self._cap = cap
        # By number, the step of every frame that ever was.
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
        """Keep a frame, in place of one of the same step.

        Args:
            step: of the frame.
            body: what was measured, as JSON.
            replayed: whether it was made afterwards, of a step that the run has passed.

        Returns:
            The frame's number.
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
        """Note that the run took the steps from `first` to `last` while no viewer looked."""
        self.unseen.add(first, last)
        self.version += 1

    def pin(self, steps: Iterable[int]) -> None:
        """Keep the frames of these steps, before all others but the first and the newest."""
        self._pinned = frozenset(steps)

    def add_break(self, step: int) -> bool:
        """Protect the frames around a break. Returns whether they were not protected before."""
        new = self._protected.add_break(step)
        if new:
            self._backfill.add(step)
        return new

    def add_change(self, change: Change) -> None:
        """Count a live change that took effect, and protect the frames around it.

        Of a drag, the frames around its first and its last value are protected.
        """
        self.log.add(change)
        new = self._protected.add_change(change.step, change.drag)
        if new and self._protected.drag_end is None:
            self._backfill.add(change.step)
        self._backfill.follow_drag(self._protected.drag_end)
        self._changed()

    def restart_backfill(self) -> None:
        """Forget what was requested of the last worker: another one has the run."""
        self._backfill.start_again(self._protected.centres())

    def take_steps_to_replay(self, newest: int, *, rests: bool) -> list[int]:
        """The steps to be replayed: those around breaks and changes that no frame shows, each once.

        Args:
            newest: the run's step.
            rests: whether the run takes no steps now.
        """
        return self._backfill.take(self.missing, newest, rests=rests)

    def missing(self, centre: int, last: int) -> list[int]:
        """The steps around `centre`, up to `last`, that no kept frame shows."""
        first, end = max(0, centre - AROUND), min(centre + AROUND, last)
        low = bisect_left(self._kept, first, key=lambda frame: frame.step)
        high = bisect_right(self._kept, end, key=lambda frame: frame.step)
        have = {frame.step for frame in self._kept[low:high]}
        return [step for step in range(first, end + 1) if step not in have]

    def index(self) -> list[list[int]]:
        return [[frame.seq, frame.step] for frame in self._kept]

    def nearest(self, seq: int) -> HistoryFrame | None:
        """The kept frame of this number, or the one nearest to its step; None before the first."""
        if not self._kept or not self._step_of:
            return None
        step = self._step_of[min(max(seq, 0), len(self._step_of) - 1)]
        return self._kept[nearest(self._kept, step)]

    def up_to(self, step: int, log: Iterable[Change]) -> History:
        """The history of a fork that begins at `step` and has these live changes."""
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
        """Forget everything but how many frames there were: their numbers go on."""
        self._begin()
        self.unseen.clear()
        self.version += 1

    def _changed(self) -> None:
        self.version += 1
        if self.size > self._cap:
            self._thin()

    def _thin(self) -> None:
        """Drop frames until a little below the cap, those around breaks and changes last."""
        self.thinned += 1
        goal = int(self._cap * THINNED_TO) - self.log.size
        centres, pinned = self._protected.centres(), self._pinned
        for reach in (AROUND, 20, 5, 0):
            self._thin_outside(centres, reach, pinned, goal)
        self._thin_outside(self._protected.essential(), 0, pinned, goal)
        self._thin_outside((), 0, pinned, goal)
        # Only where the pinned ones alone are too many.
        self._thin_outside((), 0, (), goal)

    def _thin_outside(
        self, centres: Sequence[int], reach: int, pinned: Collection[int], goal: int
    ) -> None:
        """Drop frames until `goal` bytes are left, or none can go.

        Pinned frames stay, and those at most `reach` steps from a centre. Of two neighbours one
        stays in each round, so that what is left is spread evenly.
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
        """Indices of the free frames to drop in one round: `surplus` bytes, or less.

        Those with the smallest gap between their neighbours, relative to their age, go first.
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
    """The cost of a run's log of live changes, and whether one more has room.

    Args:
        cap: bytes of the history that the log is a part of.
    """

    def __init__(self, cap: int) -> None:
        self._most_bytes = cap * LOG_SHARE
        self._newest: Change | None = None
        self._made = self._text = 0

    @property
    def size(self) -> int:
        return self._text + CHANGE_OVERHEAD * self._made

    def add(self, change: Change) -> None:
        """Count a change; like the log, it forgets a drag's earlier value before the same step."""
        newest = self._newest
        if newest and change.drag and (newest.drag, newest.step) == (change.drag, change.step):
            self._text -= _text_size(newest)
        else:
            self._made += 1
        self._newest = change
        self._text += _text_size(change)

    def has_room(self, waiting: int = 0) -> bool:
        """Whether one more change has room, besides so many that have not taken effect yet.

        Those are taken to be as long as the average one.
        """
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
    """Spans of steps that no viewer saw, ascending, with seen steps between them.

    Charts draw no line across them. There are at most `MOST_UNSEEN_SPANS`: where there would be
    more, seen steps between two of them count as unseen as well.

    Attributes:
        version: grows with every change; of two messages the one with the higher version is newer.
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
        """Take out a step that a frame shows."""
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
        """For JSON: `{"version", "spans": [[first, last], …]}`."""
        return {"version": self.version, "spans": [list(span) for span in self._spans]}

    def _changed(self) -> None:
        self.version += 1
        spans = self._spans
        if len(spans) > MOST_UNSEEN_SPANS:
            at = min(range(len(spans) - 1), key=lambda at: spans[at + 1][0] - spans[at][1])
            spans[at : at + 2] = [(spans[at][0], spans[at + 1][1])]
