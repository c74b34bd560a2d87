"""The normalizations, one file each. A new one is a file and a line in `NORMS`."""

from __future__ import annotations

from dataclasses import dataclass

from bnviz.registry import Entry


@dataclass(frozen=True, kw_only=True)
class NormEntry(Entry):
    """A normalization: `where` names a subclass of `bnviz.norms.base.Norm`.

    Attributes:
        minimum_batch: the smallest mini-batch that gives a gradient in training mode.
    """

    minimum_batch: int = 1


NORMS: dict[str, NormEntry] = {
    "none": NormEntry(
        label="none",
        help="The plain network: no normalization.",
        where="bnviz.norms.none:NoNorm",
    ),
    "batch": NormEntry(
        label="batch",
        help="Each unit is normalized over the mini-batch (Ioffe & Szegedy 2015).",
        where="bnviz.norms.batch:BatchNorm",
        minimum_batch=2,
    ),
    "layer": NormEntry(
        label="layer",
        help="Each example is normalized over the units of a layer (Ba et al. 2016).",
        where="bnviz.norms.layer:LayerNorm",
    ),
    "rms": NormEntry(
        label="RMS",
        help="Each example is divided by the root mean square of its layer "
        "(Zhang & Sennrich 2019).",
        where="bnviz.norms.rms:RMSNorm",
    ),
}
