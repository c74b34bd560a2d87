"""The page of the map: what is asked of it left, the map itself, and the card of a cell."""
