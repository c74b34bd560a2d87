"""The kept frames of one run: numbered, in order of step, within a number of bytes."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

# Every step this close to a break or a live change is kept, or replayed.
AROUND = 50
# Thinning goes a little below the cap, so that it happens once in many frames.
THINNED_TO = 0.92
# What one kept frame costs besides its bytes.
OVERHEAD = 160


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept frame: its number, its step, what was measured."""

    seq: int
    step: int
    body: bytes


class History:
    """Numbered frames. Thinned with age, never step 0, a break, a change or, while the cap allows,
    the frames around them.

    Attributes:
        centres: the steps of breaks and changes.
        thinned: how often frames had to go.
    """

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._kept: list[Kept] = []
        self._bytes = 0
        self._step_of = array("I")
        self.centres: list[int] = []
        self._newest: Kept | None = None
        self.thinned = 0

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Kept]:
        return iter(self._kept)

    @property
    def size(self) -> int:
        """Bytes of all kept frames."""
        return self._bytes

    @property
    def newest(self) -> Kept | None:
        """The frame that was drawn last; frames replayed from the past are not."""
        return self._newest

    def add(self, step: int, body: bytes, *, replayed: bool = False) -> int:
        """Keep a frame and return its number. One of the same step gives way."""
        kept = Kept(len(self._step_of), step, body)
        self._step_of.append(step)
        at = bisect_left(self._kept, step, key=lambda frame: frame.step)
        if at < len(self._kept) and self._kept[at].step == step:
            self._bytes -= len(self._kept[at].body) + OVERHEAD
            self._kept[at] = kept
        else:
            self._kept.insert(at, kept)
        self._bytes += len(body) + OVERHEAD
        if not replayed or self._newest is None:
            self._newest = kept
        if self._bytes > self._cap:
            self._thin()
        return kept.seq

    def protect(self, step: int) -> bool:
        """Keep the frames around a break or a live change. False: known already."""
        if step in self.centres:
            return False
        self.centres.append(step)
        return True

    def missing(self, centre: int, last: int) -> list[int]:
        """The steps around `centre`, up to `last`, that no kept frame shows."""
        wanted = range(max(0, centre - AROUND), min(centre + AROUND, last) + 1)
        have = {frame.step for frame in self._kept}
        return [step for step in wanted if step not in have]

    def index(self) -> list[list[int]]:
        """[[number, step], …] of all kept frames, in order of step."""
        return [[frame.seq, frame.step] for frame in self._kept]

    def nearest(self, seq: int) -> Kept | None:
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
        for centre in self.centres:
            if centre <= step:
                fork.protect(centre)
        return fork

    def restart(self) -> None:
        """Forget every frame; numbers go on."""
        self._kept.clear()
        self.centres.clear()
        self._bytes, self._newest = 0, None

    def _thin(self) -> None:
        """Drop frames, the least telling first, until a little below the cap."""
        self.thinned += 1
        goal = int(self._cap * THINNED_TO)
        for reach in (AROUND, 20, 5, 0):
            self._thin_outside(reach, goal)
            if self._bytes <= goal:
                return

    def _thin_outside(self, reach: int, goal: int) -> None:
        """Thin frames further than `reach` steps from a break or change; never two neighbours at
        once, so that what stays is spread evenly.
        """
        while self._bytes > goal:
            dropped = self._droppable(reach, self._bytes - goal)
            if not dropped:
                return
            self._bytes -= sum(len(self._kept[at].body) + OVERHEAD for at in dropped)
            self._kept = [kept for at, kept in enumerate(self._kept) if at not in dropped]

    def _droppable(self, reach: int, surplus: int) -> set[int]:
        kept, latest = self._kept, self._kept[-1].step
        protected = {
            step for centre in self.centres for step in range(centre - reach, centre + reach + 1)
        }
        free = [
            at for at in range(1, len(kept) - 1)
            if kept[at].step not in protected and kept[at] is not self._newest
        ]  # fmt: skip
        free.sort(key=lambda at: (kept[at + 1].step - kept[at - 1].step)
                  / (latest - kept[at].step + 1))  # fmt: skip
        dropped: set[int] = set()
        for at in free:
            if surplus <= 0:
                break
            if at - 1 not in dropped and at + 1 not in dropped:
                dropped.add(at)
                surplus -= len(kept[at].body) + OVERHEAD
        return dropped
