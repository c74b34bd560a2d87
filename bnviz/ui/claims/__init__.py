"""Claims page: the measured statements, with search, filters and links to the lab."""
