"""What a browser keeps of the course: which lessons it has seen to the end, and its guesses.

Nothing of it is sent to the server but what stands in the address.
"""

from __future__ import annotations

from bnviz.texts import texts
from bnviz.ui.component import component, drawn_by
from bnviz.ui.lessons.visit import Visit

KEY = "lesson_progress"


def mount_progress(visit: Visit, *, done: bool, run: str, beat: str = "") -> None:
    """Mark in the list what this browser has done, and keep what it does now.

    Args:
        visit: the lesson that is open.
        done: whether it has been seen to its end.
        beat: the beat that is open; another one is shown from its head.
        run: its run, which the address gets so that a reload finds it again.
    """
    words = texts("lessons")["list"]
    component("lesson_progress")(
        key=KEY,
        data={
            **drawn_by("lessons/progress.js"), "lesson": visit.name or None, "beat": beat,
            "guess": visit.guess, "done": done, "run": run or None, "texts": dict(words),
        },
    )  # fmt: skip
