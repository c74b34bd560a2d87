"""The page of the claims: what was measured, as a page to search, to filter and to watch."""
