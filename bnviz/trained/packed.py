"""Networks of a recipe as bytes: their weights and the test images.

The bytes are the length of the head (4 bytes, little-endian), the head (JSON, padded with spaces to
a multiple of 4 bytes), and all arrays as little-endian float32, row by row:

    {"arrays": {"images": {"shape": [M, D], "at": 0}, "batch/layer 1.weight": …}, "steps": …,
     "seed": …, "networks": {"batch": {"depth": 3, "activation": "tanh", "eps": 1e-05}}}

`at` is the number of float32 values before an array. `images` are scaled as network inputs; the
original pixels are images · `input_std` + `input_mean`.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from bnviz.experiment import Experiment
from bnviz.trained import Recipe

LITTLE = np.dtype("<f4")


def trained(recipe: Recipe) -> Experiment:
    experiment = Experiment(recipe.config())
    experiment.advance(recipe.steps)
    return experiment


def pack(experiment: Experiment) -> bytes:
    """Pack weights, running statistics and test images of a run into bytes."""
    data, config = experiment.data, experiment.config
    arrays = {
        "images": data.test_inputs, "labels": data.test_labels,
        "input_mean": data.input_mean, "input_std": data.input_std,
    }  # fmt: skip
    for norm, network in experiment.networks.items():
        parts = {**network.parameters(), **network.buffers()}
        arrays |= {f"{norm}/{name}": part.cpu().numpy() for name, part in parts.items()}
    places: dict[str, Any] = {}
    at = 0
    for name, array in arrays.items():
        places[name] = {"shape": list(array.shape), "at": at}
        at += array.size
    of_network = {
        "depth": config.depth, "activation": config.activation, "eps": config.norm_eps,
    }  # fmt: skip
    head = {
        "arrays": places, "steps": experiment.step_number, "seed": config.seed,
        "networks": dict.fromkeys(experiment.networks, of_network),
    }  # fmt: skip
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 4)
    body = b"".join(np.ascontiguousarray(each, LITTLE).tobytes() for each in arrays.values())
    return struct.pack("<I", len(text)) + text + body
