"""The normalizations, one file each. A new one is a file and a line in `NORMS`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bnviz.registry import Entry

# Where a norm takes its statistics: over the mini-batch, within one example, nowhere.
Shelf = Literal["batch", "example", "rest"]


@dataclass(frozen=True, kw_only=True)
class NormEntry(Entry):
    """A normalization: `where` names a subclass of `bnviz.norms.base.Norm`.

    Attributes:
        shelf: among which others it is offered: by where its statistics come from.
        minimum_batch: the smallest mini-batch that gives a gradient in training mode.
        usual: stands first where norms are chosen.
        networks: the kinds of networks in which it is defined.
        place: "after" for one that always acts after the nonlinearity, whatever the knob says.
        options: keyword arguments of the class that are knobs of `RunConfig`, by knob.
    """

    shelf: Shelf
    minimum_batch: int = 1
    usual: bool = False
    networks: tuple[str, ...] = ("mlp", "conv", "recurrent")
    place: Literal["knob", "after"] = "knob"
    options: Mapping[str, str] = field(default_factory=dict)


NORMS: dict[str, NormEntry] = {
    "none": NormEntry(
        label="none",
        help="The plain network: no normalization.",
        usual=True,
        where="bnviz.norms.none:NoNorm",
        shelf="rest",
    ),
    "batch": NormEntry(
        label="batch",
        help="Each unit is normalized over the mini-batch (Ioffe & Szegedy 2015).",
        where="bnviz.norms.batch:BatchNorm",
        shelf="batch",
        usual=True,
        minimum_batch=2,
    ),
    "layer": NormEntry(
        label="layer",
        help="Each example is normalized over the units of a layer (Ba et al. 2016).",
        where="bnviz.norms.layer:LayerNorm",
        shelf="example",
        usual=True,
    ),
    "rms": NormEntry(
        label="RMS",
        help="Each example is divided by the root mean square of its layer "
        "(Zhang & Sennrich 2019).",
        where="bnviz.norms.rms:RMSNorm",
        shelf="example",
        usual=True,
    ),
    "group": NormEntry(
        label="group",
        help="Each example is normalized within groups of units (Wu & He 2018).",
        where="bnviz.norms.group:GroupNorm",
        shelf="example",
        options={"groups": "norm_groups"},
    ),
    "instance": NormEntry(
        label="instance",
        help="Each feature map of each example is normalized over its positions "
        "(Ulyanov et al. 2016).",
        where="bnviz.norms.instance:InstanceNorm",
        shelf="example",
        networks=("conv",),
    ),
    "ablated": NormEntry(
        label="BN taken apart",
        help="Batch normalization with pieces left out: mean or variance only, statistics not "
        "differentiated, γ and β frozen, bias kept, on some layers only.",
        where="bnviz.norms.ablated:AblatedBatchNorm",
        shelf="batch",
        minimum_batch=2,
        options={
            "statistics": "ablation_statistics",
            "differentiated": "ablation_gradient",
            "learned": "ablation_affine",
            "keeps_bias": "ablation_bias",
        },
    ),
    "noisy": NormEntry(
        label="noisy batch",
        help="Batch normalization followed by random stretches and shifts that change from step "
        "to step (Santurkar et al. 2018).",
        where="bnviz.norms.noisy:NoisyBatchNorm",
        shelf="batch",
        minimum_batch=2,
    ),
    "renorm": NormEntry(
        label="batch renorm",
        help="Batch normalization corrected towards the running statistics (Ioffe 2017).",
        where="bnviz.norms.renorm:BatchRenorm",
        shelf="batch",
        minimum_batch=2,
    ),
    "iternorm": NormEntry(
        label="IterNorm",
        help="Units are made less correlated, in groups of up to 16, and scaled over the batch, "
        "by five steps of Newton's method (Huang et al. 2019).",
        where="bnviz.norms.iternorm:IterNorm",
        shelf="batch",
        minimum_batch=2,
    ),
    "zca": NormEntry(
        label="ZCA",
        help="Units are made less correlated, in groups of up to 16, and scaled over the batch, "
        "by the inverse square root of their covariance (Huang et al. 2018).",
        where="bnviz.norms.zca:ZCANorm",
        shelf="batch",
        minimum_batch=2,
    ),
    "l1": NormEntry(
        label="ℓ1",
        help="As batch normalization, divided by the mean absolute value (Santurkar et al. 2018).",
        where="bnviz.norms.lp:L1Norm",
        shelf="batch",
        minimum_batch=2,
    ),
    "linf": NormEntry(
        label="ℓ∞",
        help="As batch normalization, divided by the largest absolute value "
        "(Santurkar et al. 2018).",
        where="bnviz.norms.lp:LInfNorm",
        shelf="batch",
        minimum_batch=2,
    ),
    "dropout": NormEntry(
        label="dropout",
        help="No normalization: units are left out at random in each step "
        "(Srivastava et al. 2014).",
        where="bnviz.norms.dropout:Dropout",
        shelf="rest",
        place="after",
        options={"rate": "dropout"},
    ),
}


def norms_for(network: str) -> tuple[str, ...]:
    """The norms that are defined in a kind of network, a key of `bnviz.networks.NETWORKS`."""
    return tuple(name for name, entry in NORMS.items() if network in entry.networks)
