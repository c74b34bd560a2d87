"""State that survives a restart of the server: runs, classes, talks, the secret of the cookies."""
