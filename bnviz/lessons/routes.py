"""Ways through the course for a class: which lessons, in which sessions."""

from __future__ import annotations

from dataclasses import dataclass

from bnviz.lessons import LESSONS

Session = tuple[str, ...]

# Pages for teachers are no part of any route.
FOR_TEACHERS = ("syllabus", "collect")


@dataclass(frozen=True, kw_only=True)
class Route:
    """A way through the course.

    Attributes:
        sessions: each the lessons in their order.
        length: minutes that a session has.
        spare: what comes last where time is left.
    """

    sessions: tuple[Session, ...]
    length: int
    spare: Session = ()


# By name of the route, which has words in `assets/texts/<language>/lessons/syllabus.toml`.
ROUTES: dict[str, Route] = {
    "fifty-minutes": Route(
        sessions=(("break-it", "by-hand", "two-modes", "size-of-weights", "batch-size"),), length=50
    ),
    "two-sessions": Route(
        sessions=(
            ("break-it", "by-hand", "moving-targets", "slow-start", "scale-and-shift", "two-modes"),
            ("size-of-weights", "depth", "batch-size", "is-it-shift", "what-it-buys"),
        ),
        length=60, spare=("does-it-regularize",),
    ),
    "whole": Route(
        sessions=(tuple(name for name in LESSONS if name not in FOR_TEACHERS),), length=240
    ),
}  # fmt: skip


def minutes(session: Session) -> int:
    """About how long a session takes: the sum of its lessons' minutes."""
    return sum(LESSONS[name].minutes for name in session)
