"""The normalizations, one file each. A new one is a file and a line in `NORMS`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bnviz.registry import Entry, registry

# Where a norm takes its statistics: over the mini-batch, within one example, nowhere.
Shelf = Literal["batch", "example", "rest"]


@dataclass(frozen=True, kw_only=True)
class NormEntry(Entry):
    """A normalization: `where` names a subclass of `bnviz.norms.base.Norm`.

    Attributes:
        shelf: among which others it is offered: by where its statistics come from.
        usual: stands first where norms are chosen.
        affine: whether it ends with a scale γ and a shift β per unit, learned or fixed at 1 and 0.
        networks: the kinds of networks in which it is defined.
        always_after: whether it acts after the nonlinearity, whatever the knob says.
        options: keyword arguments of the class that are knobs of `RunConfig`, by knob.
        drops: whether it also drops values of what a layer sends on, after the nonlinearity.
        replays: whether a step through it can be recorded once and replayed on a device: its passes
            are tensor arithmetic, the same at every step. Noise, schedules and work on the host
            are not.
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
        """The smallest mini-batch that gives a gradient in training mode."""
        return 2 if self.shelf == "batch" else 1

    def fewest_examples(self, *, fixed_statistics: bool) -> int:
        """The smallest mini-batch that a network with it can learn from.

        Args:
            fixed_statistics: see `RunConfig.fixed_statistics`.
        """
        return 1 if fixed_statistics else self.minimum_batch

    @property
    def skips(self) -> bool:
        """Whether it goes with skip connections: nothing of it acts after the nonlinearity."""
        return not self.always_after and not self.drops

    def stands_first(self, position: str) -> bool:
        """Whether it stands before the nonlinearity; `position` is the knob `norm_position`."""
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
    """The norms that are defined in a kind of network, a key of `bnviz.networks.NETWORKS`."""
    return tuple(name for name, entry in NORMS.items() if network in entry.networks)
