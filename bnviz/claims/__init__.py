"""Claims from the literature about small networks, measured here, with one file per experiment.

A new experiment needs a file, a line in `CLAIMS` and its texts in `assets/texts/<language>/claims`.
Listing names and titles does not import torch.
"""

from __future__ import annotations

from dataclasses import dataclass

from bnviz.registry import Entry, registry
from bnviz.words.texts import text


@dataclass(frozen=True, kw_only=True)
class ClaimEntry(Entry):
    """Experiment, whose `where` names a `bnviz.claims.statement.Claim`.

    Attributes:
        cost: approximate seconds per seed on one core. The most expensive experiments run first.
        presets: names of presets that show the experiment live.
    """

    cost: float
    presets: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Papers whose statements are tested, in the current language."""
        return text(f"{self.words}.source")


CLAIMS = registry("bnviz.claims", {
    "E1": ClaimEntry(where="e01_figure_1", cost=6.4, presets=("e1-figure-1-digits",)),
    "E2": ClaimEntry(where="e02_backward", cost=0.6),
    "E3": ClaimEntry(
        where="e03_mean_outside_gradient", cost=1.2, presets=("e3-outside-the-gradient",),
    ),
    "E4": ClaimEntry(where="e04_scale", cost=0.4, presets=("e4-weights-grow",)),
    "E5": ClaimEntry(where="e05_jacobians", cost=0.4, presets=("e5-jacobians",)),
    "E6": ClaimEntry(where="e06_gradient_growth", cost=1.2, presets=("e6-gradients-grow",)),
    "E7": ClaimEntry(where="e07_rank", cost=0.7, presets=("e7-rank-collapse",)),
    "E8": ClaimEntry(where="e08_gradient_shift", cost=2, presets=("e8-shift-by-gradients",)),
    "E9": ClaimEntry(where="e09_noise", cost=7, presets=("e9-noise-after-bn",)),
    "E10": ClaimEntry(where="e10_landscape", cost=4, presets=("e10-landscape",)),
    "E11": ClaimEntry(where="e11_lp_norms", cost=5, presets=("e11-other-averages",)),
    "E12": ClaimEntry(where="e12_largest_rate", cost=8, presets=("e12-largest-rate",)),
    "E13": ClaimEntry(where="e13_edge", cost=12, presets=("e13-edge-of-stability",)),
    "E14": ClaimEntry(where="e14_tiny_batches", cost=6.5, presets=("e14-tiny-batches",)),
    "E15": ClaimEntry(where="e15_train_inference", cost=4, presets=("e15-two-modes",)),
    "E16": ClaimEntry(where="e16_noise", cost=16, presets=("e16-batch-noise", "e16-ghosts")),
    "E17": ClaimEntry(
        where="e17_others", cost=6.5,
        presets=("e17-whitening", "e17-feature-maps", "e17-recurrent"),
    ),
    "E18": ClaimEntry(where="e18_skip_connections", cost=10, presets=("e18-fifty-layers-skip",)),
    "E19": ClaimEntry(where="e19_scale_and_shift", cost=8),
    "E20": ClaimEntry(where="e20_small_changes", cost=1.5),
    "E21": ClaimEntry(where="e21_what_it_buys", cost=14),
    "E22": ClaimEntry(where="e22_rate_factors", cost=20, presets=("e22-weights-at-a-thousand",)),
}, attribute="CLAIM", words="claims/{}")  # fmt: skip
