"""Watch internal covariate shift and batch normalization, live."""
