"""The normalizations, one file each. A new one is a file and a line in `NORMS`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bnviz.registry import Entry


@dataclass(frozen=True, kw_only=True)
class NormEntry(Entry):
    """A normalization: `where` names a subclass of `bnviz.norms.base.Norm`.

    Attributes:
        minimum_batch: the smallest mini-batch that gives a gradient in training mode.
        usual: stands first where norms are chosen.
        networks: the kinds of networks in which it is defined.
        place: "after" for one that always acts after the nonlinearity, whatever the knob says.
        options: keyword arguments of the class that are knobs of `RunConfig`, by knob.
    """

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
    ),
    "batch": NormEntry(
        label="batch",
        help="Each unit is normalized over the mini-batch (Ioffe & Szegedy 2015).",
        where="bnviz.norms.batch:BatchNorm",
        usual=True,
        minimum_batch=2,
    ),
    "layer": NormEntry(
        label="layer",
        help="Each example is normalized over the units of a layer (Ba et al. 2016).",
        where="bnviz.norms.layer:LayerNorm",
        usual=True,
    ),
    "rms": NormEntry(
        label="RMS",
        help="Each example is divided by the root mean square of its layer "
        "(Zhang & Sennrich 2019).",
        where="bnviz.norms.rms:RMSNorm",
        usual=True,
    ),
}
