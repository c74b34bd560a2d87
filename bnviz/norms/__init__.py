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
        drops: whether it also drops values of what a layer sends on, after the nonlinearity.
    """

    shelf: Shelf
    minimum_batch: int = 1
    usual: bool = False
    networks: tuple[str, ...] = ("mlp", "conv", "recurrent")
    place: Literal["knob", "after"] = "knob"
    options: Mapping[str, str] = field(default_factory=dict)
    drops: bool = False

    @property
    def skips(self) -> bool:
        """Whether it goes with skip connections: nothing of it acts after the nonlinearity."""
        return self.place == "knob" and not self.drops


NORMS: dict[str, NormEntry] = {
    "none": NormEntry(
        words="norms.none",
        usual=True,
        where="bnviz.norms.none:NoNorm",
        shelf="rest",
    ),
    "batch": NormEntry(
        words="norms.batch",
        where="bnviz.norms.batch:BatchNorm",
        shelf="batch",
        usual=True,
        minimum_batch=2,
    ),
    "layer": NormEntry(
        words="norms.layer",
        where="bnviz.norms.layer:LayerNorm",
        shelf="example",
        usual=True,
    ),
    "rms": NormEntry(
        words="norms.rms",
        where="bnviz.norms.rms:RMSNorm",
        shelf="example",
        usual=True,
    ),
    "group": NormEntry(
        words="norms.group",
        where="bnviz.norms.group:GroupNorm",
        shelf="example",
        options={"groups": "norm_groups"},
    ),
    "instance": NormEntry(
        words="norms.instance",
        where="bnviz.norms.instance:InstanceNorm",
        shelf="example",
        networks=("conv",),
    ),
    "ablated": NormEntry(
        words="norms.ablated",
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
    "batch_scale": NormEntry(
        words="norms.batch_scale",
        where="bnviz.norms.batch_parts:BatchNormScale",
        shelf="batch",
        minimum_batch=2,
        networks=("mlp", "conv"),
    ),
    "batch_shift": NormEntry(
        words="norms.batch_shift",
        where="bnviz.norms.batch_parts:BatchNormShift",
        shelf="batch",
        minimum_batch=2,
        networks=("mlp", "conv"),
    ),
    "batch_bare": NormEntry(
        words="norms.batch_bare",
        where="bnviz.norms.batch_parts:BatchNormBare",
        shelf="batch",
        minimum_batch=2,
        networks=("mlp", "conv"),
    ),
    "ghost": NormEntry(
        words="norms.ghost",
        where="bnviz.norms.ghost:GhostBatchNorm",
        shelf="batch",
        minimum_batch=2,
        options={"ghost_size": "ghost_size"},
    ),
    "batch_dropout": NormEntry(
        words="norms.batch_dropout",
        where="bnviz.norms.batch_dropout:BatchNormDropout",
        shelf="batch",
        minimum_batch=2,
        networks=("mlp", "conv"),
        options={"rate": "dropout"},
        drops=True,
    ),
    "noisy": NormEntry(
        words="norms.noisy",
        where="bnviz.norms.noisy:NoisyBatchNorm",
        shelf="batch",
        minimum_batch=2,
    ),
    "renorm": NormEntry(
        words="norms.renorm",
        where="bnviz.norms.renorm:BatchRenorm",
        shelf="batch",
        minimum_batch=2,
    ),
    "iternorm": NormEntry(
        words="norms.iternorm",
        where="bnviz.norms.iternorm:IterNorm",
        shelf="batch",
        minimum_batch=2,
    ),
    "zca": NormEntry(
        words="norms.zca",
        where="bnviz.norms.zca:ZCANorm",
        shelf="batch",
        minimum_batch=2,
    ),
    "l1": NormEntry(
        words="norms.l1",
        where="bnviz.norms.lp:L1Norm",
        shelf="batch",
        minimum_batch=2,
    ),
    "linf": NormEntry(
        words="norms.linf",
        where="bnviz.norms.lp:LInfNorm",
        shelf="batch",
        minimum_batch=2,
    ),
    "dropout": NormEntry(
        words="norms.dropout",
        where="bnviz.norms.dropout:Dropout",
        shelf="rest",
        place="after",
        options={"rate": "dropout"},
    ),
}


def norms_for(network: str) -> tuple[str, ...]:
    """The norms that are defined in a kind of network, a key of `bnviz.networks.NETWORKS`."""
    return tuple(name for name, entry in NORMS.items() if network in entry.networks)
