"""Folders of the program: its code and its site, in a clone and in an installed package.

The site is what the server serves: `app.py`, `pages`, `assets` and Streamlit's settings. A clone
has these beside the folder `bnviz`; a wheel has them in `bnviz/site` (see pyproject.toml).
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import NamedTuple


class Locations(NamedTuple):
    """Where the parts of the program are.

    Attributes:
        code: folder that contains the package `bnviz`.
        site: folder that contains `app.py`, `pages` and `assets`.
    """

    code: Path
    site: Path

    @property
    def assets(self) -> Path:
        return self.site / "assets"

    @property
    def is_clone(self) -> bool:
        """Whether this is a clone, whose recorded measurements may be replaced."""
        return self.site == self.code


@functools.cache
def locations() -> Locations:
    package = Path(__file__).resolve().parent
    installed = package / "site"
    return Locations(package.parent, installed if installed.is_dir() else package.parent)


def child_environment() -> dict[str, str]:
    """Return the environment in which a child process of any working directory imports this code.

    Python finds an installed package by itself. A clone has to be put on the path.
    """
    here = locations()
    paths = [*([str(here.code)] if here.is_clone else []), os.environ.get("PYTHONPATH", "")]
    path = os.pathsep.join(filter(None, paths))
    return {**os.environ, **({"PYTHONPATH": path} if path else {})}
