"""The charts, one file each. A new one is a file and a line in `CHARTS`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from bnviz.charts.chart import Chart, ChartView, Points
from bnviz.config import RunConfig
from bnviz.data import DATASETS
from bnviz.norms import NORMS
from bnviz.registry import Entry

__all__ = ["CHARTS", "Chart", "ChartEntry", "ChartView", "Points"]

LARGEST = 10**6

Shelf = Literal["layers", "training", "statistics", "surface"]


@dataclass(frozen=True, kw_only=True)
class ChartEntry(Entry):
    """A chart: `where` names a function `build(view: ChartView) -> Chart`.

    Attributes:
        group: "main" charts stand in the lab, "more" charts are one click away there; "block"
            charts are for pages that name them, "stage" charts for a hall: one a network.
        shelf: where it lies among the charts that can be added.
        needs: probes that it draws.
        time: it shows series over time, with the time cursor.
        plane_only: it needs a data set of points in the plane.
        batch_statistics: it needs a network that normalizes with statistics of the mini-batch.
        norm: it needs this network among those that are trained; None: any.
        networks: the kinds of networks in which it makes sense.
        depths: the least and the largest depth of these.
    """

    group: Literal["main", "more", "block", "stage"] = "more"
    shelf: Shelf
    needs: tuple[str, ...] = ()
    time: bool = False
    plane_only: bool = False
    batch_statistics: bool = False
    norm: str | None = None
    networks: tuple[str, ...] = ("mlp", "conv", "recurrent")
    depths: tuple[int, int] = (1, LARGEST)

    def fits(self, config: RunConfig) -> bool:
        """Whether the chart makes sense for a run."""
        if self.plane_only and not DATASETS[config.dataset].plane:
            return False
        if self.batch_statistics and not any(NORMS[n].minimum_batch > 1 for n in config.norms):
            return False
        if self.norm is not None and self.norm not in config.norms:
            return False
        least, most = self.depths
        return config.network in self.networks and least <= config.depth <= most

    def build(self, view: ChartView) -> Chart:
        """The chart for a view, with what the registry says of it; it has to fit the run."""
        _, _, name = self.words.partition(".")
        chart: Chart = self.resolve()(view)
        help, look = view.texts["entries"][name]["help"], view.texts["look"][chart.name]
        return replace(chart, help=help, look=look, shelf=self.shelf)


def _entry(name: str, shelf: Shelf, *, where: str = "", **rest: Any) -> ChartEntry:
    """One line: `where` is "module:function" within this package, for one that is not
    `<name>:build`.
    """
    place = f"bnviz.charts.{where or f'{name}:build'}"
    return ChartEntry(words=f"entries.{name}", where=place, shelf=shelf, **rest)


CHARTS: dict[str, ChartEntry] = {
    "loss": _entry("loss", "training", group="main", time=True),
    "accuracy": _entry(
        "accuracy", "training", where="loss:build_accuracy", group="main", time=True,
    ),
    "layers": _entry(
        "layers", "layers", group="main",
        needs=("histogram", "start_histogram", "saturation", "gradients", "jacobian"),
    ),
    "network": _entry("network", "layers", needs=("histogram", "saturation", "gradients")),
    "hills": _entry(
        "hills", "layers", group="block", needs=("histogram", "start_histogram", "saturation"),
    ),
    "stacks": _entry(
        "stacks", "layers", where="hills:build_stacks", group="block", time=True,
        needs=("histogram", "start_histogram", "saturation"),
    ),
    "hill": _entry(
        "hill", "layers", group="stage", needs=("histogram", "start_histogram", "saturation"),
    ),
    "percentiles": _entry("percentiles", "layers", needs=("percentiles",), time=True),
    "percentiles_layer": _entry(
        "percentiles_layer", "layers", where="percentiles:build_layer", needs=("percentiles",),
        time=True,
    ),
    "unit_hill": _entry("unit_hill", "layers", needs=("unit_histogram",)),
    "formula": _entry(
        "formula", "statistics", needs=("unit_batch",), batch_statistics=True, norm="batch",
        networks=("mlp",),
    ),
    "batch_values": _entry("batch_values", "statistics", needs=("batch_values",)),
    "cut": _entry(
        "cut", "layers", group="block", needs=("cut",), networks=("mlp",), depths=(2, 12),
    ),
    "jacobian": _entry("jacobian", "layers", needs=("jacobian",), time=True),
    "drift": _entry("drift", "layers", needs=("drift",), time=True),
    "shift_per_step": _entry("shift_per_step", "layers", needs=("median_step",), time=True),
    "saturation": _entry("saturation", "layers", needs=("saturation",), time=True),
    "growth": _entry("growth", "layers", needs=("gradients",), time=True),
    "weights": _entry("weights", "layers", needs=("weights",), time=True),
    "biases": _entry("biases", "layers", needs=("weights",), time=True, networks=("mlp", "conv")),
    "affine": _entry(
        "affine", "statistics", needs=("affine",), time=True, batch_statistics=True,
        networks=("mlp", "conv"),
    ),
    "shape": _entry("shape", "layers", needs=("shape",), time=True, networks=("mlp", "conv")),
    "rank": _entry("rank", "layers", needs=("rank",), time=True),
    "amplify": _entry(
        "amplify", "layers", needs=("amplify",), time=True, networks=("mlp", "conv"),
    ),
    "ics": _entry("ics", "surface", needs=("ics",), time=True, networks=("mlp", "conv")),
    "landscape": _entry("landscape", "surface", needs=("landscape",), time=True),
    "sharpness": _entry("sharpness", "surface", needs=("sharpness",), time=True),
    "mode_gap": _entry(
        "mode_gap", "statistics", needs=("mode_gap",), time=True, batch_statistics=True,
    ),
    "batch_noise": _entry("batch_noise", "statistics", needs=("batch_noise",), time=True),
    "spectrum": _entry("spectrum", "statistics", needs=("spectrum",)),
    "fit_gap": _entry("fit_gap", "training", needs=("fit",), time=True),
    "estimate": _entry("estimate", "training", needs=("estimate",)),
    "cost": _entry("cost", "training", time=True),
    "accuracy_by": _entry("accuracy_by", "training"),
    "gradients": _entry("gradients", "layers", needs=("gradients",), time=True),
    "io_jacobian": _entry("io_jacobian", "surface", needs=("io_jacobian",)),
    "boundary": _entry("boundary", "training", needs=("boundary",), plane_only=True),
}  # fmt: skip
