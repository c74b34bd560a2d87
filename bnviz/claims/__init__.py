"""The claims: what the literature says of small networks, measured anew, one file an experiment.

A new one is a file and a line in `CLAIMS`. Names and titles can be listed without importing torch.
"""

from __future__ import annotations

from dataclasses import dataclass

from bnviz.registry import ImportPath


@dataclass(frozen=True, kw_only=True)
class ClaimEntry(ImportPath):
    """An experiment: `where` names a `bnviz.claims.statement.Claim`.

    Attributes:
        label: what it is called, in the English of the table and of the command line; pages have
            other languages from `assets/texts/<language>/claims_rows.toml`.
        help: one sentence on what is measured, likewise.
        source: the papers whose statements are tested.
        cost: roughly the seconds one seed takes on one core; the dearest begin first.
        presets: names of presets that show it live.
    """

    label: str
    help: str
    source: str
    cost: float
    presets: tuple[str, ...] = ()


CLAIMS: dict[str, ClaimEntry] = {
    "E1": ClaimEntry(
        label="The paper’s first figure",
        help="Test accuracy and the percentiles of the last sigmoids’ inputs, with BN and without.",
        where="bnviz.claims.e01_figure_1:CLAIM",
        source="Ioffe & Szegedy 2015",
        cost=6.4,
        presets=("e1-figure-1-digits",),
    ),
    "E2": ClaimEntry(
        label="The exact backward pass",
        help="Batch normalization’s gradient, with the paths through mean and variance; and what "
        "each other norm must do to numbers.",
        where="bnviz.claims.e02_backward:CLAIM",
        source="Ioffe & Szegedy 2015; Santurkar et al. 2018",
        cost=0.6,
    ),
    "E3": ClaimEntry(
        label="Normalizing outside of the gradient",
        help="A bias that a mean takes out again, where the gradient does not know of it.",
        where="bnviz.claims.e03_outside:CLAIM",
        source="Ioffe & Szegedy 2015, section 2",
        cost=1.2,
        presets=("e3-outside-the-gradient",),
    ),
    "E4": ClaimEntry(
        label="Scale invariance",
        help="The size of the weights before BN changes nothing but how fast they turn.",
        where="bnviz.claims.e04_scale:CLAIM",
        source="Ioffe & Szegedy 2015; van Laarhoven 2017; Arora et al. 2018",
        cost=0.4,
        presets=("e4-weights-grow",),
    ),
    "E5": ClaimEntry(
        label="Jacobians near 1",
        help="Whether a normalized layer stretches all directions alike.",
        where="bnviz.claims.e05_jacobians:CLAIM",
        source="Ioffe & Szegedy 2015; Pennington et al. 2017",
        cost=0.4,
        presets=("e5-jacobians",),
    ),
    "E6": ClaimEntry(
        label="BN makes gradients grow with depth",
        help="How the size of the gradient changes from layer to layer at step 0.",
        where="bnviz.claims.e06_gradient_growth:CLAIM",
        source="Yang et al. 2019; He et al. 2015",
        cost=1.2,
        presets=("e6-gradients-grow",),
    ),
    "E7": ClaimEntry(
        label="Rank collapse",
        help="In how many directions the values of a deep linear network differ.",
        where="bnviz.claims.e07_rank:CLAIM",
        source="Daneshmand et al. 2020",
        cost=0.7,
        presets=("e7-rank-collapse",),
    ),
    "E8": ClaimEntry(
        label="Covariate shift by gradients",
        help="How the update of the layers below changes a layer’s gradient.",
        where="bnviz.claims.e08_gradient_shift:CLAIM",
        source="Santurkar et al. 2018, Def. 2.1",
        cost=2,
        presets=("e8-shift-by-gradients",),
    ),
    "E9": ClaimEntry(
        label="Noise after BN",
        help="Whether training suffers where distributions are made to shift.",
        where="bnviz.claims.e09_noise:CLAIM",
        source="Santurkar et al. 2018",
        cost=7,
        presets=("e9-noise-after-bn",),
    ),
    "E10": ClaimEntry(
        label="The landscape along the gradient",
        help="How the loss and its gradient change along the gradient.",
        where="bnviz.claims.e10_landscape:CLAIM",
        source="Santurkar et al. 2018, Fig. 4",
        cost=4,
        presets=("e10-landscape",),
    ),
    "E11": ClaimEntry(
        label="Other averages",
        help="Centred, and divided by the mean or the largest absolute value.",
        where="bnviz.claims.e11_lp_norms:CLAIM",
        source="Santurkar et al. 2018",
        cost=5,
        presets=("e11-other-averages",),
    ),
    "E12": ClaimEntry(
        label="The largest learning rate",
        help="Which rates each network learns at, and how well.",
        where="bnviz.claims.e12_largest_rate:CLAIM",
        source="Bjorck et al. 2018",
        cost=7,
        presets=("e12-largest-rate",),
    ),
    "E13": ClaimEntry(
        label="The edge of stability",
        help="The largest curvature of the loss beside the learning rate.",
        where="bnviz.claims.e13_edge:CLAIM",
        source="Cohen et al. 2021",
        cost=8.5,
        presets=("e13-edge-of-stability",),
    ),
    "E14": ClaimEntry(
        label="Tiny batches",
        help="What is left of BN with one, two or four examples.",
        where="bnviz.claims.e14_tiny_batches:CLAIM",
        source="Wu & He 2018",
        cost=6.5,
        presets=("e14-tiny-batches",),
    ),
    "E15": ClaimEntry(
        label="Training against inference mode",
        help="The same weights with running statistics and with recomputed ones.",
        where="bnviz.claims.e15_train_inference:CLAIM",
        source="Wu & Johnson 2021",
        cost=0.7,
        presets=("e15-two-modes",),
    ),
    "E16": ClaimEntry(
        label="The noise of BN",
        help="How much a batch’s mean and standard deviation vary.",
        where="bnviz.claims.e16_noise:CLAIM",
        source="Sampling theory",
        cost=0.2,
        presets=("e16-batch-noise",),
    ),
    "E17": ClaimEntry(
        label="Other norms",
        help="Whitening, batch renormalization, norms of one example, recurrent BN.",
        where="bnviz.claims.e17_others:CLAIM",
        source="Wu & He 2018; Ioffe 2017; Huang et al. 2018, 2019; Cooijmans et al. 2016",
        cost=5.5,
        presets=("e17-whitening", "e17-feature-maps", "e17-recurrent"),
    ),
}
