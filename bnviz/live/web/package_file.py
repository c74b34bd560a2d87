"""Files that came with a package."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def package_file(package: str, *parts: str) -> Path:
    """Where a file of an installed package lies, without importing the package."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0], *parts)
