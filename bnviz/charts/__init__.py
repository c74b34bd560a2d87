"""The charts, one file each. A new one is a file and a line in `CHARTS`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bnviz.charts.chart import Chart, ChartView, Points
from bnviz.registry import Entry

__all__ = ["CHARTS", "Chart", "ChartEntry", "ChartView", "Points"]


@dataclass(frozen=True, kw_only=True)
class ChartEntry(Entry):
    """A chart: `where` names a function `build(view: ChartView) -> Chart`.

    Attributes:
        group: "main" charts stand on the page, "more" charts are one click away.
        needs: probes that it draws.
        time: it shows series over time, with the time cursor.
        plane_only: it needs a data set of points in the plane.
    """

    group: Literal["main", "more"] = "more"
    needs: tuple[str, ...] = ()
    time: bool = False
    plane_only: bool = False


def _entry(name: str, label: str, help: str, build: str = "build", **rest: object) -> ChartEntry:
    where = f"bnviz.charts.{name}:{build}"
    return ChartEntry(label=label, help=help, where=where, **rest)  # type: ignore[arg-type]


CHARTS: dict[str, ChartEntry] = {
    "loss": _entry(
        "loss", "loss", "Cross-entropy on the test set and on each mini-batch.",
        group="main", time=True,
    ),
    "accuracy": _entry(
        "loss", "accuracy", "Share of test examples classified correctly.", "build_accuracy",
        group="main", time=True,
    ),
    "layers": _entry(
        "layers", "layer by layer",
        "Distributions, gradient norms and Jacobian singular values of every layer on one axis.",
        group="main", needs=("histogram", "saturation", "gradients", "jacobian"),
    ),
    "percentiles": _entry(
        "percentiles", "percentiles of a unit",
        "15th, 50th and 85th percentile of one unit's input to its nonlinearity over time.",
        needs=("percentiles",), time=True,
    ),
    "percentiles_layer": _entry(
        "percentiles", "percentiles of all units",
        "15th, 50th and 85th percentile over all units of a layer over time.", "build_layer",
        needs=("percentiles",), time=True,
    ),
    "drift": _entry(
        "drift", "drift",
        "How far a layer's distribution has moved from step 0, before and after normalization.",
        needs=("drift",), time=True,
    ),
    "saturation": _entry(
        "saturation", "saturation",
        "Share of saturated or dead units, layer by layer and over time.",
        needs=("saturation",), time=True,
    ),
    "gradients": _entry(
        "gradients", "gradient norm", "Norm of one layer's weight gradient over time.",
        needs=("gradients",), time=True,
    ),
    "io_jacobian": _entry(
        "io_jacobian", "input–output Jacobian",
        "Singular values of the derivative of the outputs by the inputs.",
        needs=("io_jacobian",),
    ),
    "boundary": _entry(
        "boundary", "decision boundary", "What each network answers at every point of the plane.",
        needs=("boundary",), plane_only=True,
    ),
}  # fmt: skip
