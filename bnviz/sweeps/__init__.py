"""Sweeps: cells, the stacks in which they train, their outcomes, and maps of two knobs."""
