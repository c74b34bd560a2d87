"""The composer imports the run's data set here."""

from bnviz.run_script.parts.data.digits import load

__all__ = ["load"]
