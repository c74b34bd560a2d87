"""Maps: a network for each cell of two knobs, drawn by the server while somebody looks at it."""
