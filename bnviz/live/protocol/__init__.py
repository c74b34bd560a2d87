"""The messages between hub, workers and browsers, and what both ends need to know of them."""
