"""Detection of the layer that changed first after a live change, even if another layer broke."""

from __future__ import annotations

import numpy as np

from bnviz.training.checkpoint import Checkpointed

# Factor by which the RMS of a layer's nonlinearity inputs must grow to count as a change.
MOVED = 3.0
# Minimum number of steps by which the first change must precede a break. A difference of one step
# says little about the order.
STEPS_EARLIER = 2


class FirstMove(Checkpointed):
    """Detector of the first layer whose nonlinearity inputs tripled after the last live change.

    Their RMS over the mini-batch is compared with the RMS at the last step before the change. If
    several layers exceed the limit at the same step, the lowest counts. A slider's drag is one
    change.
    """

    checkpointed = ("_waits", "_bounds", "_found")

    def __init__(self, layer_names: tuple[str, ...]) -> None:
        self._names = layer_names
        self._waits = False
        self._bounds: np.ndarray | None = None
        self._found: tuple[int, str] | None = None

    def changed(self, *, begins: bool = True) -> None:
        """Record a live change; `begins` is False for later values of a slider's drag."""
        if begins:
            self._waits, self._bounds, self._found = True, None, None

    def forget(self) -> None:
        """Ignore the last live change, because scaling weights directly changes layers' inputs."""
        self._waits, self._bounds, self._found = False, None, None

    def observe(self, step: int, mean_square: np.ndarray) -> None:
        """Check the mean squares of the layers' nonlinearity inputs [L] after `step` updates."""
        if self._waits:  # The change first affects the update after this pass.
            self._waits, self._bounds = False, MOVED**2 * mean_square.astype(np.float64)
        elif self._bounds is not None and (mean_square > self._bounds).any():
            self._found = step, self._names[int((mean_square > self._bounds).argmax())]
            self._bounds = None

    def before(self, step: int, layer: str | None) -> tuple[str, int] | None:
        """Return the layer that changed before `layer` broke, and the step of the change, or
        None.
        """
        if self._found is None:
            return None
        moved_at, mover = self._found
        return (mover, moved_at) if mover != layer and step - moved_at >= STEPS_EARLIER else None
