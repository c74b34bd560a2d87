"""Where a talk is begun, and where its recording is taken from."""

from __future__ import annotations

from bnviz.recording import data_path
from bnviz.talks import TALKS
from bnviz.texts import language, texts
from bnviz.ui.claims.html import Markup, joined, tag
from bnviz.ui.language import carried
from bnviz.ui.navigation import page_link
from bnviz.ui.places import base_path


def talk_links() -> Markup:
    """A line for each talk: its name, which begins it on the stage, and its recording."""
    words = texts(name="talks")
    lines = []
    for name, talk in TALKS.items():
        said = words["talk"][name]
        begin = page_link(
            "lab", said["title"], {"talk": name, "station": "1", "present": "1"},
            title=words["start_help"].format(count=len(talk)),
        )  # fmt: skip
        parts = [tag("span", f"{words['list']} "), begin, tag("span", f": {said['about']} ")]
        if data_path(name).is_file():
            asked = f"?lang={language()}" if carried() else ""
            source = f"{base_path()}/recording/{name}.html{asked}"
            help_text = words["take_help"]
            parts.append(tag("a", words["take"], href=source, download=True, title=help_text))
        lines.append(tag("p", *parts, class_="bnviz-talks"))
    return joined(*lines)
