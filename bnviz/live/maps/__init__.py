"""Maps of training results over two knobs, computed by the server while someone watches."""
