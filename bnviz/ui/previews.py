"""What links to our pages say of them where they are shared."""

from __future__ import annotations

from collections.abc import Mapping

from bnviz.lessons import LESSONS
from bnviz.live.web.link_preview import Preview
from bnviz.presets import DEFAULT_PRESET, PRESETS
from bnviz.texts import texts
from bnviz.ui.places import PAGES

NAMES = {page.path: name for name, page in PAGES.items()}


def preview_of(path: str, query: Mapping[str, str]) -> Preview | None:
    """The preview of the page at a path; None where there is no page of ours.

    Args:
        path: after the server's own, without slashes around it.
        query: the address's.
    """
    name = NAMES.get(path)
    if name is None:
        return None
    words = texts("navigation")
    title, text, kept = words["title"][name], words["preview"][name], {}
    if name == "lab" and (preset := query.get("preset")) in PRESETS and preset != DEFAULT_PRESET:
        said = texts("presets")[preset]
        title, text, kept = f"{said['label']} · bnviz", said["help"], {"preset": preset}
    if name == "lessons" and (lesson := query.get("lesson")) in LESSONS:
        said = texts(f"lessons/{lesson}")
        title, text, kept = f"{said['title']} · bnviz", said.get("short", text), {"lesson": lesson}
    return Preview(title, text, f"previews/{name}.png", kept)
