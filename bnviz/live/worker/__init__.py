"""The worker, a process of its own: trains and measures many runs in time slices."""
