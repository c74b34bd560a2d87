"""Replace this module with the function `sweep`, so that both ways of importing it work."""

import sys

from bnviz.sweeps.sweep import sweep

sweep.sweep = sweep  # type: ignore[attr-defined]
sys.modules[__name__] = sweep  # type: ignore[assignment]
