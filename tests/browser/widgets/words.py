"""Data that every widget gets in addition to its own: texts and theme."""

from typing import Any

from bnviz.words.texts import texts


def given(name: str, data: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a widget's data with texts and theme, as `mount_widget` does."""
    words = texts(name="widgets")
    return {**data, "dark": False, "texts": {**words[name], "common": words["common"]}, **more}
