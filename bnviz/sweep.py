"""`bnviz.sweep` is a function; `from bnviz.sweep import sweep` returns it, too."""

import sys

from bnviz.sweeps.sweep import sweep

sweep.sweep = sweep  # type: ignore[attr-defined]
sys.modules[__name__] = sweep  # type: ignore[assignment]
