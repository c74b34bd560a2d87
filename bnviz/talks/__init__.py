"""Talks: lists of stops (stations) that a presenter steps through, and recordings of talks."""
