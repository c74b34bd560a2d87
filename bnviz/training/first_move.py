"""Which layer moved first after a live change, whether or not it is the one that broke."""

from __future__ import annotations

import numpy as np

from bnviz.training.checkpoint import Checkpointed

# Root mean square of what a layer's units receive, by that before the change.
MOVED = 3.0
# A move this many steps before a break, or more, came first; one step says little.
STEPS_EARLIER = 2


class FirstMove(Checkpointed):
    """Finds the layer whose units' inputs first grew over threefold after the last live change.

    The measure is their root mean square over the mini-batch, by that of the last step with the
    old values. Of several layers at one step it is the lowest. A drag is one change.
    """

    checkpointed = ("_waits", "_bounds", "_found")

    def __init__(self, layer_names: tuple[str, ...]) -> None:
        self._names = layer_names
        self._waits = False
        self._bounds: np.ndarray | None = None
        self._found: tuple[int, str] | None = None

    def changed(self, *, begins: bool = True) -> None:
        """Take note of a live change; not `begins` for a further value of a drag."""
        if begins:
            self._waits, self._bounds, self._found = True, None, None

    def forget(self) -> None:
        """Look for no move after the last live change: what is received has another size by it."""
        self._waits, self._bounds, self._found = False, None, None

    def observe(self, step: int, mean_square: np.ndarray) -> None:
        """Take note of the forward pass after `step` updates.

        Args:
            step: updates taken so far.
            mean_square: of what each layer's units receive [L].
        """
        if self._waits:  # the update that a change acts on comes after this pass
            self._waits, self._bounds = False, MOVED**2 * mean_square.astype(np.float64)
        elif self._bounds is not None and (mean_square > self._bounds).any():
            self._found = step, self._names[int((mean_square > self._bounds).argmax())]
            self._bounds = None

    def before(self, step: int, layer: str | None) -> tuple[str, int] | None:
        """The layer that moved before another one broke, and when; None if none did.

        Args:
            step: of the break.
            layer: that broke; None for a network as a whole.
        """
        if self._found is None:
            return None
        moved_at, mover = self._found
        return (mover, moved_at) if mover != layer and step - moved_at >= STEPS_EARLIER else None
