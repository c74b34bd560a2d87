"""Training and test examples of a run as tensors."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bnviz.data.base import Data
from bnviz.norms.kernels import on_device


class Examples:
    """Training set, test set and probe examples (at most 256) in one dtype on one device."""

    def __init__(self, data: Data, *, dtype: torch.dtype, device: torch.device) -> None:
        self._dtype, self._device = dtype, device
        self._train = self._tensors(data.train_inputs, data.train_labels)
        self.test = self._tensors(data.test_inputs, data.test_labels)
        self.probe = self._tensors(data.probe_inputs, data.probe_labels)

    def batch(self, indices: np.ndarray) -> tuple[Tensor, Tensor]:
        """Return inputs and labels of the training examples at `indices`."""
        inputs, labels = self._train
        if self._device.type != "cpu":
            chosen = on_device(indices, self._device)
            return inputs[chosen], labels[chosen]
        # NumPy gathers rows much faster than torch.
        chosen_inputs = np.take(inputs.numpy(), indices, axis=0, mode="clip")
        chosen_labels = np.take(labels.numpy(), indices, mode="clip")
        return torch.from_numpy(chosen_inputs), torch.from_numpy(chosen_labels)

    def _tensors(self, inputs: np.ndarray, labels: np.ndarray) -> tuple[Tensor, Tensor]:
        """Convert arrays, without copying if possible, so that runs share their data."""
        return (
            torch.from_numpy(inputs).to(dtype=self._dtype, device=self._device),
            torch.from_numpy(labels).to(self._device),
        )
