"""Many settings run at once: cells, the stacks in which they train, and what they came to."""
