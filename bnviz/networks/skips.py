"""Skip connections of the fully connected network (He et al. 2016).

Layer 1 has no skip connection. The layers above it form blocks of k layers. At the end of a block,
the block's input is added before the nonlinearity: h ← φ(h + branch). Layers left over at the top
have no skip connection. This module does not import torch.
"""

from __future__ import annotations


def block_count(depth: int, skip: int) -> int:
    """Return the number of blocks of `skip` layers, or 0 without skip connections."""
    return (depth - 1) // skip if skip else 0


def skip_sources(depth: int, skip: int) -> tuple[int | None, ...]:
    """Return for each layer the index of the layer whose output is added to it, or None."""
    found: list[int | None] = [None] * depth
    for block in range(block_count(depth, skip)):
        found[(block + 1) * skip] = block * skip
    return tuple(found)
