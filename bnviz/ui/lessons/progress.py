"""What a browser keeps of the course: which lessons it has seen to the end, and its guesses.

Nothing of it is sent to the server but what stands in the address.
"""

from __future__ import annotations

import functools
from typing import Any

import streamlit as st

from bnviz.live.web.assets_route import VERSION
from bnviz.texts import texts
from bnviz.ui.lessons.visit import Visit
from bnviz.ui.places import base_path

KEY = "lesson_progress"

# An inline module is a blob: it has no address that `/assets/…` could be relative to.
LOADER = """
export default function (component) {
  const { base, version } = component.data;
  const address = new URL(`${base}/assets/${version}/lessons/progress.js`, location.origin).href;
  import(address).then((module) => module.default(component));
}
"""


def mount_progress(visit: Visit, *, done: bool, run: str) -> None:
    """Mark in the list what this browser has done, and keep what it does now.

    Args:
        visit: the lesson that is open.
        done: whether it has been seen to its end.
        run: its run, which the address gets so that a reload finds it again.
    """
    words = texts("lessons")["list"]
    _component()(
        key=KEY,
        data={
            "base": base_path(), "version": VERSION, "lesson": visit.name, "guess": visit.guess,
            "done": done, "run": run or None, "texts": dict(words),
        },
    )  # fmt: skip


@functools.cache
def _component() -> Any:
    return st.components.v2.component("bnviz.lesson_progress", js=LOADER, isolate_styles=False)
