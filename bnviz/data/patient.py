"""Data for a command, which has nothing else to do while a data set is fetched."""

from __future__ import annotations

from bnviz.config import RunConfig
from bnviz.data.base import Data, load

# The app does not let a run wait so long.
DOWNLOAD_SECONDS = 120


def load_patiently(config: RunConfig) -> Data:
    """The data a run learns from; a download is given time to end first."""
    if config.dataset == "mnist":
        from bnviz.data import mnist

        mnist.wait(DOWNLOAD_SECONDS)
    return load(config)
