"""Live runs: many at a time in worker processes, watched over sockets.

Scripts import this module. It has the one hub of the process and does not import torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnviz.live.errors import HubNotRunning, LimitReached, LiveError, NoSuchRun, NotYours

if TYPE_CHECKING:
    from bnviz.live.hub import Hub

__all__ = [
    "HubNotRunning",
    "LimitReached",
    "LiveError",
    "NoSuchRun",
    "NotYours",
    "current_hub",
    "install_hub",
]

_installed: Hub | None = None


def install_hub(hub: Hub | None) -> Hub | None:
    """Make `hub` the hub of the process; None: there is none. Returns the one before."""
    global _installed
    before, _installed = _installed, hub
    return before


def current_hub() -> Hub:
    """The hub of the process.

    Raises:
        HubNotRunning: none is installed.
    """
    if _installed is None:
        raise HubNotRunning
    return _installed
