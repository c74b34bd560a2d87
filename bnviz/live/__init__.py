"""Live runs in worker processes, and the hub of this process. This module does not import torch."""

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
    """Install `hub` in this process, or remove it with None. Return the previous hub."""
    global _installed
    before, _installed = _installed, hub
    return before


def current_hub() -> Hub:
    """Return the hub of this process, or raise `HubNotRunning`."""
    if _installed is None:
        raise HubNotRunning
    return _installed
