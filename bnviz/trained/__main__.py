"""Write the networks of a recipe to stdout: `python -m bnviz.trained compose-batch`."""

from __future__ import annotations

import os
import sys

from bnviz.trained import RECIPES

# Increment of the process's nice value: low priority, so that runs with viewers come first.
NICENESS = 10


def main(name: str) -> None:
    """Train the networks of the recipe `RECIPES[name]` and write them to stdout."""
    os.nice(NICENESS)
    from bnviz.trained.packed import pack, trained

    sys.stdout.buffer.write(pack(trained(RECIPES[name])))


if __name__ == "__main__":
    main(sys.argv[1])
