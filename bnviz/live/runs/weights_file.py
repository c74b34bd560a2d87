"""Weights of a run as an .npz file, made from a checkpoint."""

from __future__ import annotations

import io
from collections.abc import Iterator
from math import prod
from typing import Any
from urllib.parse import urlencode

import numpy as np

from bnviz.config import RunConfig
from bnviz.training.checkpoint import unpack


def weights_file(checkpoint: bytes) -> bytes:
    """Return an .npz file with the arrays of a checkpoint, such as `batch/layer1/weight`.

    Weights are [fan_out, fan_in] as in torch. `step` is the number of updates that the weights have
    had, and `setting` the initial config as the query of a link.
    """
    tree, file = unpack(checkpoint), io.BytesIO()
    setting = urlencode(RunConfig(**tree["config"]).to_query())
    arrays: dict[str, Any] = {"step": np.int64(tree["step"]), "setting": np.array(setting)}
    for norm, learner in tree["networks"].items():
        for name, values in (*_parameters(learner), *learner["buffers"].items()):
            arrays[f"{norm}/{_path(name)}"] = values
    np.savez(file, **arrays)
    return file.getvalue()


def _parameters(learner: dict[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    flat = learner["parameters"]
    for name, shape, start in learner["layout"]:
        values = flat[start : start + prod(shape)].reshape(shape)
        yield name, values.T if len(shape) == 2 else values


def _path(name: str) -> str:
    """Return `layer1/weight` for `layer 1.weight`."""
    return name.replace(" ", "").replace(".", "/")
