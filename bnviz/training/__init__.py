"""Training: mini-batches, optimizers, steps, and monitoring at every step."""
