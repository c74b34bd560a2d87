"""The lessons of the course, one file each.

A new one is a file, a line in `LESSONS`, and a table of words a language,
`assets/texts/<language>/lessons/<name>.toml`.

A page counts them by their place here. Names can be listed without importing torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bnviz.registry import ImportPath

if TYPE_CHECKING:
    from bnviz.lessons.lesson import Lesson


@dataclass(frozen=True, kw_only=True)
class LessonEntry(ImportPath):
    """A lesson as the list of them needs it.

    Attributes:
        where: "package.module:attribute", a `bnviz.lessons.lesson.Lesson`; empty for one that is
            not yet written, which has a title, a question and a setting of the lab.
        lab: knobs of the lab in which the question of an unwritten one can be tried.
        extra: it stands beside the course, not in it.
        page_minutes: of a page without a run (`bnviz.ui.lessons.pages`), about how long it takes;
            0 for a lesson.
    """

    where: str = ""
    lab: Mapping[str, str] = field(default_factory=dict)
    extra: bool = False
    page_minutes: int = 0

    @property
    def written(self) -> bool:
        """Whether it is a lesson with more than a question."""
        return bool(self.where)

    @property
    def is_page(self) -> bool:
        """Whether it is a page without a run."""
        return self.page_minutes > 0

    @property
    def minutes(self) -> int:
        """About how long it takes.

        Raises:
            LookupError: it is not yet written.
        """
        return self.page_minutes or self.resolve().minutes

    def resolve(self) -> Lesson:
        """Import the lesson.

        Raises:
            LookupError: it is not yet written.
        """
        if not self.written:
            raise LookupError("This lesson is not yet written.")
        found: Lesson = super().resolve()
        return found


def _written(module: str, *, extra: bool = False) -> LessonEntry:
    return LessonEntry(where=f"bnviz.lessons.{module}:LESSON", extra=extra)


def _later(**lab: str) -> LessonEntry:
    return LessonEntry(lab=lab)


def _page(minutes: int) -> LessonEntry:
    return LessonEntry(page_minutes=minutes, extra=True)


LESSONS: dict[str, LessonEntry] = {
    "read-the-charts": _written("read_the_charts"),
    "break-it": _written("break_it"),
    "by-hand": _written("by_hand"),
    "moving-targets": _written("moving_targets"),
    "slow-start": _written("slow_start"),
    "through-the-batch": _written("through_the_batch"),
    "scale-and-shift": _written("scale_and_shift"),
    "two-modes": _written("two_modes"),
    "in-code": _page(minutes=8),
    "size-of-weights": _written("size_of_weights"),
    "depth": _written("depth"),
    "batch-size": _written("batch_size"),
    "does-it-regularize": _written("does_it_regularize", extra=True),
    "is-it-shift": _written("is_it_shift"),
    "what-it-buys": _written("what_it_buys"),
    "whitening": _written("whitening", extra=True),
    "images-and-sequences": _written("images_and_sequences", extra=True),
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
