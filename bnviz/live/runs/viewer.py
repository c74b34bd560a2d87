"""A viewer: one socket that watches a run, with back-pressure.

At most two frames are sent and not acknowledged. One more waits behind them, and a newer one
overwrites it.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

from bnviz.live.protocol.server_messages import Message, encode

# Frames that may be sent and not acknowledged yet.
WINDOW = 2
# A beat is sent where nothing else was for so many seconds. A page that hears nothing for some time
# knows that its connection is gone; a browser that no longer answers them is gone as well.
BEAT_SECONDS = 2.0
BEAT: Message = {"type": "beat"}
# Messages of these types are all sent, in order: most of them answer one message of the browser. Of
# every other type only the newest message is sent.
EACH_SENT = ("acted", "refused", "dropped", "error", "notice")
# Messages that may wait to be sent. None may be lost, so a viewer with more of them is dropped: its
# page connects again and is told what the run has.
MOST_WAITING = 256


# When all places are taken, a page that was out of view so long gives way to another, and so does
# one that has not answered for so long.
HIDDEN_SECONDS, SILENT_SECONDS = 60.0, 10.0


class Viewer:
    """The queue of messages for one browser. Used on the event loop; only `serve` waits.

    Args:
        send: sends one text over the socket.
        send_seconds: a send that takes longer ends `serve`.

    Attributes:
        hidden: whether its page is out of view.
        wants: probes that the charts in this browser draw.
        run_id: the run that it watches.
        can_control: whether this browser may set the run's live knobs.
        tab: the name of its tab; empty: it has told none.
        browser: the secret of its browser, or the address of a browser without one.
        address: where it comes from.
        refused_knobs: how many values it sent though it may not.
        last_knob_number: the number of its last message that set a knob; -1: there was none.
        drag: of its last drag, the browser's number and the run's.
        dropped_frames: how many frames were overwritten by newer ones before they were sent.
        finished: whether `serve` ends once all messages are sent.
        dropped: whether `serve` ends at once.
    """

    def __init__(self, send: Callable[[str], Awaitable[None]], send_seconds: float) -> None:
        self._send, self._send_seconds = send, send_seconds
        self._wake = asyncio.Event()
        self._slot: tuple[int, str] | None = None
        self._unacknowledged: deque[int] = deque()
        # In the order in which they are sent, by type or, where each is sent, by a number.
        self._waiting: dict[str | int, Message] = {}
        self._numbers = itertools.count()
        self._interval = 0.0
        self._next_frame = 0.0
        self._last_sign_of_life = self._last_sent = time.monotonic()
        # Programs need not answer beats; whoever has answered one does.
        self._beat_unanswered = self._answers_beats = False
        self.hidden = False
        self.wants: frozenset[str] = frozenset()
        self.can_control, self.run_id, self.tab, self.browser, self.address = False, "", "", "", ""
        self.refused_knobs = 0
        self.last_knob_number = -1
        self.drag = (0, 0)
        self.dropped_frames = 0
        self.finished = self.dropped = False

    def offer_frame(self, seq: int, frame: str) -> bool:
        """Send a frame when one may be sent; it overwrites an older one that waits.

        Returns:
            Whether it has overwritten one, which the browser misses.
        """
        overwrites = self._slot is not None
        self.dropped_frames += overwrites
        self._slot = (seq, frame)
        self._wake.set()
        return overwrites

    def offer(self, message: Message) -> None:
        """Send any other message when one may be sent.

        See `EACH_SENT`. `hello` takes the place of all that waits except answers and notices.
        """
        kind = message["type"]
        if kind == "hello":
            kept = {
                key: waits for key, waits in self._waiting.items()
                if waits["type"] in (*EACH_SENT, "knob")
            }  # fmt: skip
            self._waiting = {kind: {**message, "can_control": self.can_control}, **kept}
            self._slot = None
        elif kind in EACH_SENT:
            self._waiting[next(self._numbers)] = message
            if len(self._waiting) > MOST_WAITING:
                self.drop()
        # Two knobs of this browser at once: the answer with the higher number is for both.
        elif kind != "knob" or message["n"] >= self._waiting.get(kind, message)["n"]:
            self._waiting.pop(kind, None)
            self._waiting[kind] = message
        self._wake.set()

    def acknowledge(self, seq: int) -> None:
        self._last_sign_of_life = time.monotonic()
        while self._unacknowledged and self._unacknowledged[0] <= seq:
            self._unacknowledged.popleft()
        self._wake.set()

    def beat(self) -> None:
        if not self.hidden:
            self._last_sign_of_life = time.monotonic()
        self._beat_unanswered, self._answers_beats = False, True

    def limit_rate(self, max_fps: float) -> None:
        self._interval = 1 / max_fps
        self._wake.set()

    def hide(self, hidden: bool) -> None:
        self.hidden = hidden
        self._last_sign_of_life = time.monotonic()
        self._wake.set()

    def silent_seconds(self) -> float:
        """Seconds without a sign of life; 0: it owes none, or the page is hidden."""
        if self.hidden or not (self._unacknowledged or self._beat_unanswered):
            return 0.0
        return time.monotonic() - self._last_sign_of_life

    def may_give_way(self) -> bool:
        """Whether it leaves its place to another viewer when all places are taken."""
        unused = time.monotonic() - self._last_sign_of_life
        return unused > HIDDEN_SECONDS if self.hidden else self.silent_seconds() > SILENT_SECONDS

    def finish(self) -> None:
        self.finished = True
        self._wake.set()

    def drop(self) -> None:
        self.dropped = True
        self._wake.set()

    async def serve(self) -> None:
        """Send until dropped or finished.

        Raises:
            TimeoutError: the socket took nothing for `send_seconds`.
        """
        while not self.dropped:
            self._wake.clear()
            while not self.dropped and (message := self._take()) is not None:
                self._last_sent = time.monotonic()
                async with asyncio.timeout(self._send_seconds):
                    await self._send(message)
            if self.finished:
                return
            await self._sleep()

    def _take(self) -> str | None:
        """The next text to send; None: there is none, or it may not be sent now."""
        if len(self._unacknowledged) >= WINDOW:
            # Messages wait as well: the socket of a browser that does not read must not fill.
            return self._take_beat()
        if self._waiting:
            return encode(self._waiting.pop(next(iter(self._waiting))))
        if self._slot is None or self.hidden or time.monotonic() < self._next_frame:
            return self._take_beat()
        (seq, frame), self._slot = self._slot, None
        if not self._unacknowledged:
            self._last_sign_of_life = time.monotonic()
        self._unacknowledged.append(seq)
        self._next_frame = time.monotonic() + self._interval
        return frame

    def _take_beat(self) -> str | None:
        """A beat, if nothing was sent for a while."""
        if time.monotonic() - self._last_sent < BEAT_SECONDS:
            return None
        if not self._beat_unanswered and not self._unacknowledged:
            self._last_sign_of_life = time.monotonic()
        self._beat_unanswered = self._answers_beats
        return encode(BEAT)

    async def _sleep(self) -> None:
        """Wait until something has changed, a beat is due, or the rate limit allows a frame."""
        wait = self._last_sent + BEAT_SECONDS - time.monotonic()
        if self._slot is not None and not self.hidden and len(self._unacknowledged) < WINDOW:
            wait = min(wait, self._next_frame - time.monotonic())
        with suppress(TimeoutError):
            # `wait_for` makes a task for each wait, until Python 3.12.
            async with asyncio.timeout(max(0.0, wait)):
                await self._wake.wait()
