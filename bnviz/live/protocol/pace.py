"""How fast a watched run steps. Pace never changes a result, only when it is seen."""

from __future__ import annotations

from dataclasses import dataclass

PACES = ("1/s", "watch", "fast", "full")

# The watch pace: slow enough to follow a break that takes nine steps, then ever faster.
WATCH_RATES = ((50, 10.0), (200, 30.0))
WATCH_LAST_RATE = 100.0
WATCH_STEPS = 1_000
# A change this close to the pause would be cut off before its effect is seen.
WATCH_AFTER_CHANGE = 200
FAST_RATE = 250.0
# At up to this many steps a second every step is a frame.
EVERY_STEP_RATE = 30.0


def steps_per_second(pace: str, steps_since: int) -> float | None:
    """Steps a second at a pace, `steps_since` the start or the last live change; None: no limit."""
    if pace == "1/s":
        return 1.0
    if pace == "fast":
        return FAST_RATE
    if pace == "watch":
        return next((rate for until, rate in WATCH_RATES if steps_since < until), WATCH_LAST_RATE)
    return None


@dataclass
class Clock:
    """When a run's next step is due.

    Attributes:
        pace: one of `PACES`.
        origin: the step the watch pace counts from: the start or the last live change.
        pause_at: the step at which the watch pace pauses.
        due: when the next step is due, seconds of a monotonic clock.
    """

    pace: str = "watch"
    origin: int = 0
    pause_at: int = WATCH_STEPS
    due: float = 0.0

    def rate(self, step: int) -> float | None:
        """Steps a second at `step`; None: no limit."""
        return steps_per_second(self.pace, step - self.origin)

    def every_step(self, step: int) -> bool:
        """Whether every step is shown."""
        rate = self.rate(step)
        return rate is not None and rate <= EVERY_STEP_RATE

    def stepped(self, step: int, now: float) -> None:
        """A step was taken: set the next one's time. What was missed is not caught up."""
        rate = self.rate(step)
        self.due = now if rate is None else max(self.due + 1 / rate, now - 1 / rate)

    def resume(self, step: int, now: float) -> None:
        """Play was pressed, or the pace changed."""
        self.due = now
        if step >= self.pause_at:
            self.pause_at = step + WATCH_STEPS

    def changed(self, step: int, now: float, *, begins: bool = True) -> None:
        """A live change took effect: slow down to show what it does.

        Args:
            step: at which it did.
            now: seconds of the monotonic clock.
            begins: False for a further value of a drag, which does not hurry the next step.
        """
        self.origin = step
        if begins:
            self.resume(step, now)
        if self.pause_at - step < WATCH_AFTER_CHANGE:
            self.pause_at = step + WATCH_STEPS

    def target(self, step: int, limit: int) -> int:
        """The step at which the run stops by itself."""
        return min(self.pause_at, limit) if self.pace == "watch" else limit
