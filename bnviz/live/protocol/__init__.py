"""Messages between hub, workers and browsers, and definitions that both ends share."""
