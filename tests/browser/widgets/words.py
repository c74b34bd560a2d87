"""What a page hands to a widget besides its own data."""

from typing import Any

from bnviz.words.texts import texts


def given(name: str, data: dict[str, Any], **more: Any) -> dict[str, Any]:
    """As `mount_widget` does."""
    words = texts(name="widgets")
    return {**data, "dark": False, "texts": {**words[name], "common": words["common"]}, **more}
