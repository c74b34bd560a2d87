"""Map page: its setting, the map, and the card of a cell."""
