"""Replace this module with the function `sweep`, so that `bnviz.sweep` is always the function."""

import sys

from bnviz.sweeps.sweep import sweep

sweep.sweep = sweep  # type: ignore[attr-defined]
sys.modules[__name__] = sweep  # type: ignore[assignment]
