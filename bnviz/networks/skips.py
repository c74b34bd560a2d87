"""Skip connections of the fully connected network (He et al. 2016).

Layer 1 is plain. The layers above it form blocks of k: what the last layer of a block gives its
nonlinearity is what its norm gives, plus what the block got, h ← φ(h + branch). Layers that are
left over at the top are plain. torch is not imported here.
"""

from __future__ import annotations


def block_count(depth: int, skip: int) -> int:
    """How many blocks of `skip` layers there are among `depth`; 0 without skip connections."""
    return (depth - 1) // skip if skip else 0


def skip_sources(depth: int, skip: int) -> tuple[int | None, ...]:
    """For each layer, from 0: the layer whose output is added before its nonlinearity, if any.

    Args:
        depth: number of hidden layers.
        skip: layers of a block; 0: no skip connections.
    """
    found: list[int | None] = [None] * depth
    for block in range(block_count(depth, skip)):
        found[(block + 1) * skip] = block * skip
    return tuple(found)
