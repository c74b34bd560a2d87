"""One socket that watches a run: two frames on their way at most, and one slot behind them."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

from bnviz.live.protocol.server_messages import Message, encode

# Frames that may be on their way unacknowledged.
WINDOW = 2
NOTICES = 8
REFUSALS = 32


class Viewer:
    """What is to be sent to one browser. Used on the event loop; only `serve` waits.

    Args:
        send: sends one text over the socket.
        send_seconds: a send that takes longer ends `serve`.
    """

    def __init__(self, send: Callable[[str], Awaitable[None]], send_seconds: float) -> None:
        self._send, self._send_seconds = send, send_seconds
        self._wake = asyncio.Event()
        self._slot: tuple[int, str] | None = None
        self._on_their_way: deque[int] = deque()
        # The latest message of each type; older ones are of no use.
        self._messages: dict[str, Message] = {}
        self._notices: deque[Message] = deque(maxlen=NOTICES)
        self._refusals: deque[Message] = deque(maxlen=REFUSALS)
        self._interval = 0.0
        self._next_frame = 0.0
        self._heard = time.monotonic()
        self.hidden = False
        # Probes that the charts in this browser draw.
        self.wants: frozenset[str] = frozenset()
        # Whether this browser may turn the run's knobs, and how often it has tried in vain.
        self.can_control = False
        self.attempts = 0
        # The number of the last value it has set.
        self.turned = -1
        # The last drag: its number in this browser, and in the run.
        self.drag = (0, 0)
        self.dropped_frames = 0
        self.finished = self.dropped = False

    def offer_frame(self, seq: int, frame: str) -> None:
        """The newest frame; one still in the slot is overwritten."""
        if self._slot is not None:
            self.dropped_frames += 1
        self._slot = (seq, frame)
        self._wake.set()

    def offer(self, message: Message) -> None:
        """Any other message; of one kind only the latest is sent, of notices, refusals and errors
        the last few: each answers something else.
        """
        if message["type"] == "hello":
            message = {**message, "can_control": self.can_control}
            knob = self._messages.get("knob")
            self._messages = {} if knob is None else {"knob": knob}
            self._slot = None
        if message["type"] == "notice":
            self._notices.append(message)
        elif message["type"] in ("refused", "error"):
            self._refusals.append(message)
        elif message["type"] == "knob" and message["n"] < self._answered():
            # Two knobs of this browser at once: the answer with the later number is for both.
            return
        else:
            self._messages.pop(message["type"], None)
            self._messages[message["type"]] = message
        self._wake.set()

    def acknowledge(self, seq: int) -> None:
        """The browser drew, or skipped, every frame up to `seq`."""
        self._heard = time.monotonic()
        while self._on_their_way and self._on_their_way[0] <= seq:
            self._on_their_way.popleft()
        self._wake.set()

    def limit_rate(self, max_fps: float) -> None:
        """Send at most this many frames a second."""
        self._interval = 1 / max_fps
        self._wake.set()

    def hide(self, hidden: bool) -> None:
        """Send no frames while nobody sees them."""
        self.hidden = hidden
        self._heard = time.monotonic()
        self._wake.set()

    def silent_seconds(self) -> float:
        """How long it has been waited for an acknowledgement; 0 if for none."""
        if self.hidden or not self._on_their_way:
            return 0.0
        return time.monotonic() - self._heard

    def finish(self) -> None:
        """End `serve` once all messages so far are sent."""
        self.finished = True
        self._wake.set()

    def drop(self) -> None:
        """End `serve` at once."""
        self.dropped = True
        self._wake.set()

    async def serve(self) -> None:
        """Send until dropped.

        Raises:
            TimeoutError: the socket took nothing for `send_seconds`.
        """
        while not self.dropped:
            self._wake.clear()
            while not self.dropped and (message := self._take()) is not None:
                async with asyncio.timeout(self._send_seconds):
                    await self._send(message)
            if self.finished:
                return
            await self._sleep()

    def _take(self) -> str | None:
        """The next text to send, if one may be sent now."""
        if len(self._on_their_way) >= WINDOW:
            # Messages wait as well: they must not fill the socket of a browser that reads nothing.
            return None
        if self._messages:
            return encode(self._messages.pop(next(iter(self._messages))))
        for several in (self._refusals, self._notices):
            if several:
                return encode(several.popleft())
        if self._slot is None or self.hidden or time.monotonic() < self._next_frame:
            return None
        (seq, frame), self._slot = self._slot, None
        if not self._on_their_way:
            self._heard = time.monotonic()
        self._on_their_way.append(seq)
        self._next_frame = time.monotonic() + self._interval
        return frame

    def _answered(self) -> int:
        """The number of the knob's value whose answer waits to be sent."""
        return self._messages.get("knob", {}).get("n", -1)

    async def _sleep(self) -> None:
        """Wait for a reason to look again; a rate limit is one."""
        wait = None
        if self._slot is not None and not self.hidden and len(self._on_their_way) < WINDOW:
            wait = max(0.0, self._next_frame - time.monotonic())
        try:
            async with asyncio.timeout(wait):
                await self._wake.wait()
        except TimeoutError:
            pass
