"""Classes: a teacher asks, phones vote."""
