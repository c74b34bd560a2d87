"""In the server's process: all runs, their history, who watches them, and the worker processes."""
