"""Runs that are planned before they start: plans, comparisons, searches for learning rates."""
