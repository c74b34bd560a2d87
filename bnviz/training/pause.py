"""Whether a network can train at the batch size of now, or waits for a larger one."""

from __future__ import annotations

from bnviz.config import RunConfig
from bnviz.networks import GRID
from bnviz.norms import NORMS
from bnviz.words.phrase import PhraseText, phrase


def why_paused(norm: str, config: RunConfig) -> str | None:
    """Why the network with this norm takes no step; None: it does."""
    needed = NORMS[norm].minimum_batch
    # A feature map has a value of every example at every place.
    places = GRID**2 if config.network == "conv" else 1
    if config.batch_size * places >= needed:
        return None
    return PhraseText(phrase("errors.small_batch", batch_size=config.batch_size, needed=needed))
