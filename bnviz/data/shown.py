"""Images that pages show with each network's prediction."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from bnviz.config import RunConfig
from bnviz.data.base import load

WHITE = 255


def shown_images(config: RunConfig) -> dict[str, Any] | None:
    """Return the images `Data.shown` for a browser, or None if the data are not images.

    `pixels` is base64 of uint8 [8, side²], with 0 for the background.
    """
    data = load(config)
    if not len(data.shown):
        return None
    scaled = data.probe_inputs[data.shown]
    images = np.clip(scaled * data.input_std + data.input_mean, 0, 1)
    pixels = np.rint(images * WHITE).astype(np.uint8)
    return {
        "side": round(data.features**0.5),
        "labels": data.probe_labels[data.shown].tolist(),
        "pixels": base64.b64encode(pixels.tobytes()).decode("ascii"),
    }
