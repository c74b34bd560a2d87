"""HTTP routes and WebSockets of the hub, and the files of the live view."""
