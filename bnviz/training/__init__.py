"""One optimization step: batches, optimizers, the fast path, and what is watched at each step."""
