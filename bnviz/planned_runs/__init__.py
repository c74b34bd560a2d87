"""Runs whose course is settled before they start: plans, comparisons, searches for rates."""
