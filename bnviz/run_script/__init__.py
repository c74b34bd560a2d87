"""Export of a run as a PyTorch script that needs neither bnviz nor a server.

`parts` has Python source, one file per norm, data set, network and optimizer. `compose` selects
what a run needs: where a part tests `config` or `run`, only the branch that applies remains, and
only definitions that are used remain.
"""

from bnviz.run_script.compose import compose
from bnviz.run_script.scripted_run import ScriptedRun

__all__ = ["ScriptedRun", "compose"]
