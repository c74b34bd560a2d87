"""Ways through the course for a class: which lessons, in which sessions."""

from __future__ import annotations

from bnviz.lessons import LESSONS

Session = tuple[str, ...]

# By name of the route, which has words in `assets/texts/<language>/lessons/syllabus.toml`: its
# sessions, each the lessons in their order.
ROUTES: dict[str, tuple[Session, ...]] = {
    "fifty-minutes": (("break-it", "by-hand", "two-modes", "size-of-weights", "batch-size"),),
    "two-sessions": (
        ("break-it", "by-hand", "moving-targets", "slow-start", "scale-and-shift", "two-modes"),
        ("size-of-weights", "depth", "batch-size", "is-it-shift", "what-it-buys"),
    ),
    "whole": (tuple(name for name, entry in LESSONS.items() if not entry.extra),),
}


def minutes(session: Session) -> int:
    """About how long a session takes: the sum of its lessons' minutes."""
    return sum(LESSONS[name].minutes for name in session)
