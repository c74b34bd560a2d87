"""Worker process, which trains and measures many runs in time slices."""
