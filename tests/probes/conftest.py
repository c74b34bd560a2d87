"""Probes run as in an experiment: without autograd."""

import pytest
import torch


@pytest.fixture(autouse=True)
def _no_autograd_on_our_side():
    """Disable autograd. Tests enable it where they compute reference values."""
    with torch.no_grad():
        yield
