"""What a run has come to, without what a clock has said of it: two runs have that in common."""

from bnviz.training.checkpoint import pack, unpack


def clockless(checkpoint: bytes) -> bytes:
    """A checkpoint in which no step took any time."""
    tree = unpack(checkpoint)
    for network in tree["networks"].values():
        network["seconds"] = 0.0
    return pack(tree)
