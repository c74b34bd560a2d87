"""What hub, workers and browsers say to each other."""
