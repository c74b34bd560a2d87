"""Routes and sockets: the hub over HTTP, and what the live view's page is made of."""
