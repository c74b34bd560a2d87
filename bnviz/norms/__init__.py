"""Registry of the norms, one file each. To add a norm, add a file and a `NORMS` entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bnviz.registry import Entry, registry

# Source of a norm's statistics: the mini-batch, a single example, or neither ("rest").
Shelf = Literal["batch", "example", "rest"]


@dataclass(frozen=True, kw_only=True)
class NormEntry(Entry):
    """Kind of normalization. `where` names a subclass of `bnviz.norms.base.Norm`.

    Attributes:
        usual: whether the norm is listed first in the norm picker.
        affine: whether the norm ends with γ and β per unit, learned or fixed at 1 and 0.
        always_after: whether the norm ignores the position setting and follows the nonlinearity.
        options: keyword arguments of the class, mapped to settings in `RunConfig`.
        drops: whether the norm also drops values after the nonlinearity.
        replays: whether a GPU can record a training step once and replay it. This needs the same
            tensor operations at every step, without noise, schedules or work on the host.
    """

    shelf: Shelf
    usual: bool = False
    affine: bool = True
    networks: tuple[str, ...] = ("mlp", "conv", "recurrent")
    always_after: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    drops: bool = False
    replays: bool = False

    @property
    def minimum_batch(self) -> int:
        """Size of the smallest mini-batch that gives a gradient in training mode."""
        return 2 if self.shelf == "batch" else 1

    def fewest_examples(self, *, fixed_statistics: bool) -> int:
        """Return the size of the smallest mini-batch from which a network with this norm learns."""
        return 1 if fixed_statistics else self.minimum_batch

    @property
    def skips(self) -> bool:
        """Return whether skip connections are possible: no part of the norm follows φ."""
        return not self.always_after and not self.drops

    def stands_first(self, position: str) -> bool:
        """Return whether the norm precedes the nonlinearity, given the setting `norm_position`."""
        return position == "before" and not self.always_after


NORMS = registry("bnviz.norms", {
    "none": NormEntry(
        where=":NoNorm", shelf="rest", usual=True, affine=False, replays=True,
    ),
    "batch": NormEntry(where=":BatchNorm", shelf="batch", usual=True, replays=True),
    "layer": NormEntry(where=":LayerNorm", shelf="example", usual=True, replays=True),
    "rms": NormEntry(where=":RMSNorm", shelf="example", usual=True, replays=True),
    "group": NormEntry(
        where=":GroupNorm", shelf="example", options={"groups": "norm_groups"}, replays=True,
    ),
    "instance": NormEntry(where=":InstanceNorm", shelf="example", networks=("conv",)),
    "ablated": NormEntry(
        where=":AblatedBatchNorm", shelf="batch", replays=True,
        options={
            "statistics": "ablation_statistics", "differentiated": "ablation_gradient",
            "learned": "ablation_affine", "keeps_bias": "ablation_bias",
        },
    ),
    "batch_scale": NormEntry(
        where="batch_parts:BatchNormScale", shelf="batch", networks=("mlp", "conv"),
        replays=True,
    ),
    "batch_shift": NormEntry(
        where="batch_parts:BatchNormShift", shelf="batch", networks=("mlp", "conv"),
        replays=True,
    ),
    "batch_bare": NormEntry(
        where="batch_parts:BatchNormBare", shelf="batch", networks=("mlp", "conv"),
        replays=True,
    ),
    "ghost": NormEntry(
        where=":GhostBatchNorm", shelf="batch", options={"ghost_size": "ghost_size"},
    ),
    "batch_dropout": NormEntry(
        where=":BatchNormDropout", shelf="batch", networks=("mlp", "conv"),
        options={"rate": "dropout"}, drops=True,
    ),
    "noisy": NormEntry(where=":NoisyBatchNorm", shelf="batch"),
    "moment_noise": NormEntry(where=":MomentNoise", shelf="batch"),
    "renorm": NormEntry(where=":BatchRenorm", shelf="batch"),
    "iternorm": NormEntry(where=":IterNorm", shelf="batch", replays=True),
    "zca": NormEntry(where=":ZCANorm", shelf="batch"),
    "l1": NormEntry(where="lp:L1Norm", shelf="batch", replays=True),
    "linf": NormEntry(where="lp:LInfNorm", shelf="batch", replays=True),
    "dropout": NormEntry(
        where=":Dropout", shelf="rest", affine=False, always_after=True,
        options={"rate": "dropout"},
    ),
}, words="norms.{}")  # fmt: skip


def norms_for(network: str) -> tuple[str, ...]:
    """Return the norms that are defined for a kind of network (a key of `NETWORKS`)."""
    return tuple(name for name, entry in NORMS.items() if network in entry.networks)
