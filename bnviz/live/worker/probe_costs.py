"""What probes cost, by the structure of the networks that they were measured on."""

from __future__ import annotations

from collections import OrderedDict

from bnviz.config import RunConfig
from bnviz.live.worker.probe_schedule import Costs

MOST_STRUCTURES = 200
# What the cost of a measurement depends on.
_KNOBS = ("network", "dataset", "sequence", "norms", "depth", "width", "activation", "batch_size")


class TypicalCosts:
    """Costs that runs of one structure share, so that one that begins knows them."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[object, ...], Costs] = OrderedDict()

    def of(self, config: RunConfig) -> Costs:
        """The costs for such a run; to be read and added to."""
        key = tuple(getattr(config, knob) for knob in _KNOBS)
        if key not in self._known:
            # A network costs no more than a larger one of its kind.
            larger = (costs for known, costs in self._known.items() if _covers(known, key))
            self._known[key] = dict(next(larger, {}))
        costs = self._known[key]
        self._known.move_to_end(key)
        while len(self._known) > MOST_STRUCTURES:
            self._known.popitem(last=False)
        return costs


def _covers(known: tuple[object, ...], key: tuple[object, ...]) -> bool:
    """Whether networks of one structure are of the other's kind and nowhere smaller."""
    large, small = dict(zip(_KNOBS, known, strict=True)), dict(zip(_KNOBS, key, strict=True))
    alike = all(large[knob] == small[knob] for knob in ("network", "dataset", "sequence"))
    sizes = ("depth", "width", "batch_size")
    return (
        alike
        and set(small["norms"]) <= set(large["norms"])  # type: ignore[call-overload]
        and all(small[knob] <= large[knob] for knob in sizes)  # type: ignore[operator]
    )
