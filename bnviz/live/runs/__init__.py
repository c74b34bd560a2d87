"""Runs in the server's process: their knobs, their history, their viewers, the worker processes."""
