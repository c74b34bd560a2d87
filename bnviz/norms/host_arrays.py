"""Arrays that the host makes during a step, on the device that computes with them."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor


def on_device(values: np.ndarray, device: torch.device, dtype: torch.dtype | None = None) -> Tensor:
    """An array as a tensor there; a GPU gets it without the host waiting for what is queued."""
    tensor = torch.from_numpy(values)
    if dtype is not None:
        tensor = tensor.to(dtype)
    if device.type != "cuda":
        return tensor.to(device)
    # Only pinned memory can be read while the host goes on.
    return tensor.pin_memory().to(device, non_blocking=True)
