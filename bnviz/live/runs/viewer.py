"""Viewer of a run over one WebSocket, with back-pressure."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

from bnviz.live.protocol.server_messages import Message, encode

# Maximum number of frames sent but not acknowledged.
WINDOW = 2
# Seconds without any message before a heartbeat is sent. A page that receives nothing for some time
# treats its connection as lost, and so does the hub if a browser stops answering.
BEAT_SECONDS = 2.0
BEAT: Message = {"type": "beat"}
# Types whose messages are all sent, in order, because most of them respond to one message from the
# browser. For other types, only the newest message is sent.
EACH_SENT = ("acted", "refused", "dropped", "error", "notice")
# Maximum number of queued messages. No message may be lost, so a viewer with more queued messages
# is dropped. Its page reconnects and receives the current state.
MOST_WAITING = 256


# Seconds after which a page gives up its place if all places are taken: for a page out of view, and
# for a silent page.
HIDDEN_SECONDS, VIEWER_SILENT_SECONDS = 60.0, 10.0


class Viewer:
    """Queue of messages for one browser. Used on the event loop, and only `serve` waits.

    At most `WINDOW` frames are sent without acknowledgement. One more frame may be queued, and a
    newer frame replaces it.

    Attributes:
        hidden: Whether the page is out of view.
        wants: Probes needed by the charts in this browser.
        tab: Name of the tab, or "" if unknown.
        browser: Secret of the browser, or its address without a cookie.
        drag: Number of the last drag as (browser's number, run's number).
        dropped_frames: Number of frames replaced before they were sent.
        finished: Whether `serve` ends after all messages are sent.
        dropped: Whether `serve` ends at once.
    """

    def __init__(self, send: Callable[[str], Awaitable[None]], send_seconds: float) -> None:
        self._send, self._send_seconds = send, send_seconds
        self._wake = asyncio.Event()
        self._slot: tuple[int, str] | None = None
        self._unacknowledged: deque[int] = deque()
        # Queue of messages in sending order. The key is the type of a message, or a number for the
        # types in `EACH_SENT`.
        self._waiting: dict[str | int, Message] = {}
        self._numbers = itertools.count()
        self._interval = 0.0
        self._next_frame = 0.0
        self._last_sign_of_life = self._last_sent = time.monotonic()
        # Programs do not have to answer heartbeats, but a viewer that has answered a heartbeat must
        # continue to do so.
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
        """Queue a frame. Return whether it replaced an older frame, which the browser will miss."""
        overwrites = self._slot is not None
        self.dropped_frames += overwrites
        self._slot = (seq, frame)
        self._wake.set()
        return overwrites

    def offer(self, message: Message) -> None:
        """Queue a message other than a frame (see `EACH_SENT`).

        `hello` replaces all queued messages except responses and notices.
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
        # If this browser has set two knobs at once, the response with the higher number covers both
        # knobs.
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
        """Seconds since the last response, or 0 if no response is due or the page is hidden."""
        if self.hidden or not (self._unacknowledged or self._beat_unanswered):
            return 0.0
        return time.monotonic() - self._last_sign_of_life

    def may_give_way(self) -> bool:
        """Return whether the viewer may lose its place when all places are taken."""
        unused = time.monotonic() - self._last_sign_of_life
        return (
            unused > HIDDEN_SECONDS
            if self.hidden
            else self.silent_seconds() > VIEWER_SILENT_SECONDS
        )

    def finish(self) -> None:
        self.finished = True
        self._wake.set()

    def drop(self) -> None:
        self.dropped = True
        self._wake.set()

    async def serve(self) -> None:
        """Send messages until the viewer is finished or dropped.

        Raises:
            TimeoutError: If the socket accepts nothing for `send_seconds`.
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
        """Return the next text to send, or None if there is no text or it must wait."""
        if len(self._unacknowledged) >= WINDOW:
            # Hold back messages as well, so that the socket of a browser that does not read cannot
            # fill up.
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
        if time.monotonic() - self._last_sent < BEAT_SECONDS:
            return None
        if not self._beat_unanswered and not self._unacknowledged:
            self._last_sign_of_life = time.monotonic()
        self._beat_unanswered = self._answers_beats
        return encode(BEAT)

    async def _sleep(self) -> None:
        """Wait for a change, the next heartbeat, or the time at which a frame is allowed."""
        wait = self._last_sent + BEAT_SECONDS - time.monotonic()
        if self._slot is not None and not self.hidden and len(self._unacknowledged) < WINDOW:
            wait = min(wait, self._next_frame - time.monotonic())
        with suppress(TimeoutError):
            # Before Python 3.12, `wait_for` creates a task for each wait.
            async with asyncio.timeout(max(0.0, wait)):
                await self._wake.wait()
