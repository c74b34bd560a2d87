"""The lessons of the course, one file each.

A new one is a file, a line in `LESSONS`, and a table of words a language,
`assets/texts/<language>/lessons/<name>.toml`.

A page counts them by their place here. Names can be listed without importing torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnviz.registry import ImportPath, registry

if TYPE_CHECKING:
    from bnviz.lessons.lesson import Lesson


@dataclass(frozen=True, kw_only=True)
class LessonEntry(ImportPath):
    """A lesson as the list of them needs it.

    Attributes:
        where: of its `bnviz.lessons.lesson.Lesson`; a page has none.
        extra: it stands beside the course, not in it.
        page_minutes: of a page without a run (`bnviz.ui.lessons.pages`), about how long it takes;
            0 for a lesson.
    """

    extra: bool = False
    page_minutes: int = 0

    @property
    def is_page(self) -> bool:
        """Whether it is a page without a run."""
        return self.page_minutes > 0

    @property
    def minutes(self) -> int:
        """About how long it takes."""
        return self.page_minutes or self.resolve().minutes

    @property
    def lesson(self) -> Lesson | None:
        """The lesson, imported; None for a page."""
        return None if self.is_page else self.resolve()

    def resolve(self) -> Lesson:
        """Import the lesson; a page has none."""
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


# The names of those that make up the course, in order.
CURRICULUM = tuple(name for name, entry in LESSONS.items() if not entry.extra)


def place_of(name: str) -> int | None:
    """The number a page gives to a lesson, its place in the course; None for an extra.

    Raises:
        KeyError: there is no lesson of that name.
    """
    return None if LESSONS[name].extra else CURRICULUM.index(name)


def place_before(name: str) -> int:
    """The number of a lesson; of an extra, that of the last lesson of the course before it.

    Raises:
        ValueError: there is no lesson of that name.
    """
    names = list(LESSONS)
    return sum(each in CURRICULUM for each in names[: names.index(name) + 1]) - 1
