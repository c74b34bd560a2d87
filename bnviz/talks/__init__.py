"""Talks: stations that a presenter walks through, and their recordings."""
