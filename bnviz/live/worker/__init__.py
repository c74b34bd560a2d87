"""Worker process, which trains many runs and measures their networks in time slices."""
