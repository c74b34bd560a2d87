"""The live path: many runs in worker processes, watched over sockets.

This module is what scripts import. It holds the one hub of the process and imports no torch.
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
    """Make `hub` the process's hub (None: there is none). Returns the one before."""
    global _installed
    before, _installed = _installed, hub
    return before


def current_hub() -> Hub:
    """The process's hub.

    Raises:
        HubNotRunning: none is installed.
    """
    if _installed is None:
        raise HubNotRunning
    return _installed
