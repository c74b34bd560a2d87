"""The composer imports the run's optimizer here."""

from bnviz.run_script.parts.optimizers.sgd import new_optimizer

__all__ = ["new_optimizer"]
