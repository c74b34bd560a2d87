"""The lessons of the course, in order. Each lesson is one file.

A new lesson needs a file, an entry in `LESSONS`, and one text file per language,
`assets/texts/<language>/lessons/<name>.toml`. Importing this module does not import torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnviz.registry import ImportPath, registry

if TYPE_CHECKING:
    from bnviz.lessons.lesson import Lesson


@dataclass(frozen=True, kw_only=True)
class LessonEntry(ImportPath):
    """Entry of a lesson in `LESSONS`.

    Attributes:
        extra: whether the lesson is outside the numbered course.
        page_minutes: reading time in minutes if the lesson is a page without a run; otherwise 0.
    """

    extra: bool = False
    page_minutes: int = 0

    @property
    def is_page(self) -> bool:
        return self.page_minutes > 0

    @property
    def minutes(self) -> int:
        return self.page_minutes or self.resolve().minutes

    @property
    def lesson(self) -> Lesson | None:
        """Import and return the lesson, or return None for a page without a run."""
        return None if self.is_page else self.resolve()

    def resolve(self) -> Lesson:
        found: Lesson = super().resolve()
        return found


LESSONS = registry("bnviz.lessons", {
    "read-the-charts": LessonEntry(),
    "break-it": LessonEntry(),
    "by-hand": LessonEntry(),
    "moving-targets": LessonEntry(),
    "slow-start": LessonEntry(),
    "through-the-batch": LessonEntry(),
    "scale-and-shift": LessonEntry(),
    "two-modes": LessonEntry(),
    "in-code": LessonEntry(page_minutes=8, extra=True),
    "size-of-weights": LessonEntry(),
    "depth": LessonEntry(),
    "batch-size": LessonEntry(),
    "does-it-regularize": LessonEntry(extra=True),
    "is-it-shift": LessonEntry(),
    "what-it-buys": LessonEntry(),
    "whitening": LessonEntry(extra=True),
    "images-and-sequences": LessonEntry(extra=True),
    "when-it-loses": LessonEntry(page_minutes=4, extra=True),
    "what-to-use-when": LessonEntry(page_minutes=4, extra=True),
    "notes-corrected": LessonEntry(page_minutes=8, extra=True),
    "what-you-can-say": LessonEntry(page_minutes=20, extra=True),
    "syllabus": LessonEntry(page_minutes=5, extra=True),
    "collect": LessonEntry(page_minutes=5, extra=True),
}, attribute="LESSON")  # fmt: skip


# Names of the numbered lessons, in order.
CURRICULUM = tuple(name for name, entry in LESSONS.items() if not entry.extra)


def place_of(name: str) -> int | None:
    """Return the index of a lesson in the course, or None for an extra lesson."""
    return None if LESSONS[name].extra else CURRICULUM.index(name)


def place_before(name: str) -> int:
    """Return the index of a lesson, or of the last numbered lesson before an extra lesson."""
    names = list(LESSONS)
    return sum(each in CURRICULUM for each in names[: names.index(name) + 1]) - 1
