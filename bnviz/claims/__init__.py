"""The claims: what the literature says of small networks, measured anew, one file an experiment.

A new one is a file, a line in `CLAIMS` and its words in `assets/texts/<language>/claims`. Names and
titles can be listed without importing torch.
"""

from __future__ import annotations

from dataclasses import dataclass

from bnviz.registry import Entry
from bnviz.words.texts import text


@dataclass(frozen=True, kw_only=True)
class ClaimEntry(Entry):
    """An experiment: `where` names a `bnviz.claims.statement.Claim`.

    Attributes:
        cost: roughly the seconds one seed takes on one core; the most expensive begin first.
        presets: names of presets that show it live.
    """

    cost: float
    presets: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The papers whose statements are tested, in the language that is spoken."""
        return text(f"{self.words}.source")


CLAIMS: dict[str, ClaimEntry] = {
    "E1": ClaimEntry(
        words="claims/E1",
        where="bnviz.claims.e01_figure_1:CLAIM",
        cost=6.4,
        presets=("e1-figure-1-digits",),
    ),
    "E2": ClaimEntry(
        words="claims/E2",
        where="bnviz.claims.e02_backward:CLAIM",
        cost=0.6,
    ),
    "E3": ClaimEntry(
        words="claims/E3",
        where="bnviz.claims.e03_outside:CLAIM",
        cost=1.2,
        presets=("e3-outside-the-gradient",),
    ),
    "E4": ClaimEntry(
        words="claims/E4",
        where="bnviz.claims.e04_scale:CLAIM",
        cost=0.4,
        presets=("e4-weights-grow",),
    ),
    "E5": ClaimEntry(
        words="claims/E5",
        where="bnviz.claims.e05_jacobians:CLAIM",
        cost=0.4,
        presets=("e5-jacobians",),
    ),
    "E6": ClaimEntry(
        words="claims/E6",
        where="bnviz.claims.e06_gradient_growth:CLAIM",
        cost=1.2,
        presets=("e6-gradients-grow",),
    ),
    "E7": ClaimEntry(
        words="claims/E7",
        where="bnviz.claims.e07_rank:CLAIM",
        cost=0.7,
        presets=("e7-rank-collapse",),
    ),
    "E8": ClaimEntry(
        words="claims/E8",
        where="bnviz.claims.e08_gradient_shift:CLAIM",
        cost=2,
        presets=("e8-shift-by-gradients",),
    ),
    "E9": ClaimEntry(
        words="claims/E9",
        where="bnviz.claims.e09_noise:CLAIM",
        cost=7,
        presets=("e9-noise-after-bn",),
    ),
    "E10": ClaimEntry(
        words="claims/E10",
        where="bnviz.claims.e10_landscape:CLAIM",
        cost=4,
        presets=("e10-landscape",),
    ),
    "E11": ClaimEntry(
        words="claims/E11",
        where="bnviz.claims.e11_lp_norms:CLAIM",
        cost=5,
        presets=("e11-other-averages",),
    ),
    "E12": ClaimEntry(
        words="claims/E12",
        where="bnviz.claims.e12_largest_rate:CLAIM",
        cost=7,
        presets=("e12-largest-rate",),
    ),
    "E13": ClaimEntry(
        words="claims/E13",
        where="bnviz.claims.e13_edge:CLAIM",
        cost=8.5,
        presets=("e13-edge-of-stability",),
    ),
    "E14": ClaimEntry(
        words="claims/E14",
        where="bnviz.claims.e14_tiny_batches:CLAIM",
        cost=6.5,
        presets=("e14-tiny-batches",),
    ),
    "E15": ClaimEntry(
        words="claims/E15",
        where="bnviz.claims.e15_train_inference:CLAIM",
        cost=0.7,
        presets=("e15-two-modes",),
    ),
    "E16": ClaimEntry(
        words="claims/E16",
        where="bnviz.claims.e16_noise:CLAIM",
        cost=16,
        presets=("e16-batch-noise", "e16-ghosts"),
    ),
    "E17": ClaimEntry(
        words="claims/E17",
        where="bnviz.claims.e17_others:CLAIM",
        cost=6.5,
        presets=("e17-whitening", "e17-feature-maps", "e17-recurrent"),
    ),
    "E18": ClaimEntry(
        words="claims/E18",
        where="bnviz.claims.e18_skip_connections:CLAIM",
        cost=10,
        presets=("e18-fifty-layers-skip",),
    ),
    "E19": ClaimEntry(
        words="claims/E19",
        where="bnviz.claims.e19_scale_and_shift:CLAIM",
        cost=8,
    ),
    "E20": ClaimEntry(
        words="claims/E20",
        where="bnviz.claims.e20_small_changes:CLAIM",
        cost=1.5,
    ),
    "E21": ClaimEntry(
        words="claims/E21",
        where="bnviz.claims.e21_what_it_buys:CLAIM",
        cost=14,
    ),
}
