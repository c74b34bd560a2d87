"""The composer imports the run's kind of network here."""

from bnviz.run_script.parts.networks.mlp import Network

__all__ = ["Network"]
