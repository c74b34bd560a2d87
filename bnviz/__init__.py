"""Watch internal covariate shift and batch normalization, live."""

# Of the release; a test holds them to pyproject.toml and LICENSE.
VERSION, YEAR = "0.1.0", 2026
