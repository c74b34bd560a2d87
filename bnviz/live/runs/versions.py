"""Versions on which the last bits of a run depend."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

from bnviz import VERSION
from bnviz.device import Device, this_gpu
from bnviz.host import processor_name

PACKAGES = ("torch", "numpy")


def versions_on(device: Device) -> list[str]:
    """Return what computes a run on a device now: program, packages, processor and device."""
    gpu = this_gpu()
    return [*_versions(), gpu.name if device == "cuda" and gpu else "CPU"]


def changed_versions(before: list[str], device: Device) -> dict[str, str] | None:
    """Return what differs from `versions_on(device)`, for a notice, or None if nothing differs."""
    changed = [
        pair for pair in zip(before, versions_on(device), strict=False) if pair[0] != pair[1]
    ]
    if not changed:
        return None
    old, new = map(", ".join, zip(*changed, strict=True))
    return {"before": old, "now": new}


@cache
def _versions() -> tuple[str, ...]:
    # The packages' metadata have the versions without an import of torch.
    packages = [f"{name} {version(name)}" for name in PACKAGES]
    return (f"bnviz {VERSION}", *packages, processor_name())
