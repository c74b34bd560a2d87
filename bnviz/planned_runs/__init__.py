"""Runs that are planned before they start: plans, comparisons, and searches for learning rates."""
