"""Sweeps: networks to train (cells), stacks that train together, outcomes, and maps of two
knobs.
"""
