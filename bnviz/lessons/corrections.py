"""What popular accounts get wrong, by subject, and the lesson or break that shows what is so.

The words are in `assets/texts/<language>/lessons/notes-corrected.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping

from bnviz.lessons import LESSONS
from bnviz.lessons.lesson import Numbers
from bnviz.lessons.losses import read

# By subject and name of its words: the lesson that shows it, or `lesson/break`.
CORRECTIONS: Mapping[str, Mapping[str, str]] = {
    "computes": {
        "variance": "by-hand",
        "normal": "scale-and-shift/normality",
        "all-inputs": "by-hand",
        "mean-one": "by-hand",
        "epsilon": "by-hand/large-eps",
        "whitens": "whitening",
        "identity": "scale-and-shift",
        "rotate": "scale-and-shift",
        "each-point": "images-and-sequences",
    },
    "backward": {
        "one-term": "through-the-batch",
        "exponent": "through-the-batch",
        "bias": "scale-and-shift",
    },
    "why": {
        "shift-proven": "is-it-shift",
        "start-over": "moving-targets",
        "local-optima": "moving-targets",
        "saturated": "slow-start",
        "smooths": "is-it-shift",
        "protects": "two-modes",
        "small-changes": "depth",
        "singular-values": "depth",
        "weights-stable": "size-of-weights",
        "capacity": "size-of-weights/turning",
    },
    "gains": {
        "any-rate": "break-it/rate-ten",
        "curvature": "size-of-weights",
        "always-wins": "break-it/relu",
        "better": "break-it",
        "fourteen": "what-it-buys",
        "first-weights": "slow-start",
        "any-depth": "depth",
        "any-batch": "batch-size",
        "regularizes": "does-it-regularize",
        "whitening-faster": "whitening",
    },
    "use": {
        "momentum": "in-code",
        "batch-of-one": "in-code",
        "sum": "two-modes/never",
        "after": "scale-and-shift/after",
    },
}


def values() -> Numbers:
    """The numbers of the words that are no claims' and are not cited."""
    return {
        "variance": LESSONS["by-hand"].resolve().named_values()["variance"],
        "behind": read()["break-it/relu"].gap,
    }
