"""What *Share* says its links will do: names that stand in them, and where the page is served."""

from __future__ import annotations

from typing import Any

from bnviz.config import KNOBS
from bnviz.texts import texts
from bnviz.ui.class_address import class_address
from bnviz.ui.lab import Lab


def share_data(lab: Lab) -> dict[str, Any]:
    """What the dialog needs besides the address itself.

    Args:
        lab: whose run is shared.
    """
    return {
        "preset_label": texts(name="presets")[lab.page.preset]["label"],
        "knob_labels": {name: knob.label for name, knob in KNOBS.items()},
        "class_address": class_address(),
    }
