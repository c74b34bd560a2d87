"""What popular accounts get wrong, by subject, and the lesson or break that shows what is so.

The words are in `assets/texts/<language>/lessons/notes-corrected.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bnviz.lessons import LESSONS
from bnviz.lessons.lesson import Value
from bnviz.lessons.losses import read


@dataclass(frozen=True)
class Correction:
    """An error that accounts repeat, and where to see it corrected.

    Attributes:
        name: key of its words.
        lesson: that shows it, a key of `bnviz.lessons.LESSONS`.
        broken: name of the lesson's break that shows it; None: the lesson itself.
    """

    name: str
    lesson: str
    broken: str | None = None


CORRECTIONS: dict[str, tuple[Correction, ...]] = {
    "computes": (
        Correction("variance", "by-hand"),
        Correction("normal", "scale-and-shift", "normality"),
        Correction("all-inputs", "by-hand"),
        Correction("mean-one", "by-hand"),
        Correction("epsilon", "by-hand", "large-eps"),
        Correction("whitens", "whitening"),
        Correction("identity", "scale-and-shift"),
        Correction("rotate", "scale-and-shift"),
        Correction("each-point", "images-and-sequences"),
    ),
    "backward": (
        Correction("one-term", "through-the-batch"),
        Correction("exponent", "through-the-batch"),
        Correction("bias", "scale-and-shift"),
    ),
    "why": (
        Correction("shift-proven", "is-it-shift"),
        Correction("start-over", "moving-targets"),
        Correction("local-optima", "moving-targets"),
        Correction("saturated", "slow-start"),
        Correction("smooths", "is-it-shift"),
        Correction("protects", "two-modes"),
        Correction("small-changes", "depth"),
        Correction("singular-values", "depth"),
        Correction("weights-stable", "size-of-weights"),
        Correction("capacity", "size-of-weights", "turning"),
    ),
    "gains": (
        Correction("any-rate", "break-it", "rate-ten"),
        Correction("curvature", "size-of-weights"),
        Correction("always-wins", "break-it", "relu"),
        Correction("better", "break-it"),
        Correction("fourteen", "what-it-buys"),
        Correction("first-weights", "slow-start"),
        Correction("any-depth", "depth"),
        Correction("any-batch", "batch-size"),
        Correction("regularizes", "does-it-regularize"),
        Correction("whitening-faster", "whitening"),
    ),
    "use": (
        Correction("momentum", "in-code"),
        Correction("batch-of-one", "in-code"),
        Correction("sum", "two-modes", "never"),
        Correction("after", "scale-and-shift", "after"),
    ),
}


def values() -> Mapping[str, Value]:
    """The numbers of the words that are no claims' and are not cited."""
    return {
        "variance": LESSONS["by-hand"].resolve().named_values()["variance"],
        "behind": read()["break-it/relu"].gap,
    }
