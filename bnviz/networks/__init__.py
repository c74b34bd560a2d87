"""Networks whose forward pass exposes every intermediate, layer by layer."""
