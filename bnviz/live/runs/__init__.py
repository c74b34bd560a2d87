"""Runs in the server process, with their knobs, histories, viewers and worker processes."""
