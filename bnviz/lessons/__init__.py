"""The lessons of the course, one file each.

A new one is a file, a line in `LESSONS`, and a table of words a language,
`assets/texts/<language>/lessons/<name>.toml`.

A page counts them by their place here. Names can be listed without importing torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnviz.registry import ImportPath

if TYPE_CHECKING:
    from bnviz.lessons.lesson import Lesson


@dataclass(frozen=True, kw_only=True)
class LessonEntry(ImportPath):
    """A lesson as the list of them needs it.

    Attributes:
        where: "package.module:attribute", a `bnviz.lessons.lesson.Lesson`; "" for a page.
        extra: it stands beside the course, not in it.
        page_minutes: of a page without a run (`bnviz.ui.lessons.pages`), about how long it takes;
            0 for a lesson.
    """

    where: str = ""
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


def _lesson(module: str, *, extra: bool = False) -> LessonEntry:
    return LessonEntry(where=f"bnviz.lessons.{module}:LESSON", extra=extra)


def _page(minutes: int) -> LessonEntry:
    return LessonEntry(page_minutes=minutes, extra=True)


LESSONS: dict[str, LessonEntry] = {
    "read-the-charts": _lesson("read_the_charts"),
    "break-it": _lesson("break_it"),
    "by-hand": _lesson("by_hand"),
    "moving-targets": _lesson("moving_targets"),
    "slow-start": _lesson("slow_start"),
    "through-the-batch": _lesson("through_the_batch"),
    "scale-and-shift": _lesson("scale_and_shift"),
    "two-modes": _lesson("two_modes"),
    "in-code": _page(minutes=8),
    "size-of-weights": _lesson("size_of_weights"),
    "depth": _lesson("depth"),
    "batch-size": _lesson("batch_size"),
    "does-it-regularize": _lesson("does_it_regularize", extra=True),
    "is-it-shift": _lesson("is_it_shift"),
    "what-it-buys": _lesson("what_it_buys"),
    "whitening": _lesson("whitening", extra=True),
    "images-and-sequences": _lesson("images_and_sequences", extra=True),
    "when-it-loses": _page(minutes=4),
    "what-to-use-when": _page(minutes=4),
    "notes-corrected": _page(minutes=8),
    "what-you-can-say": _page(minutes=20),
    "syllabus": _page(minutes=5),
    "collect": _page(minutes=5),
}  # fmt: skip


def place_of(name: str) -> int | None:
    """The number a page gives to a lesson, its place in the course; None for an extra.

    Raises:
        KeyError: there is no lesson of that name.
    """
    if LESSONS[name].extra:
        return None
    return [each for each, entry in LESSONS.items() if not entry.extra].index(name)


def place_before(name: str) -> int:
    """The number of a lesson; of an extra, that of the last lesson of the course before it.

    Raises:
        ValueError: there is no lesson of that name.
    """
    names = list(LESSONS)
    return sum(not LESSONS[each].extra for each in names[: names.index(name) + 1]) - 1
