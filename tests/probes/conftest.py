"""Probes run as in an experiment: without autograd."""

import pytest
import torch


@pytest.fixture(autouse=True)
def _no_autograd_on_our_side():
    """Tests switch it on for references."""
    with torch.no_grad():
        yield
