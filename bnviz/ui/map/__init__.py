"""The page of the map: its sidebar, the map itself, and the card of a cell."""
