"""The charts, one file each. A new one is a file and a line in `CHARTS`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from bnviz.charts.chart import Chart, ChartView, Points
from bnviz.config import RunConfig
from bnviz.data import DATASETS
from bnviz.norms import NORMS
from bnviz.registry import Entry

__all__ = ["CHARTS", "Chart", "ChartEntry", "ChartView", "Points"]

Shelf = Literal["layers", "training", "statistics", "surface"]


@dataclass(frozen=True, kw_only=True)
class ChartEntry(Entry):
    """A chart: `where` names a function `build(view: ChartView) -> Chart`.

    Attributes:
        group: "main" charts stand on the page, "more" charts are one click away.
        shelf: where it lies among the charts that can be added.
        needs: probes that it draws.
        time: it shows series over time, with the time cursor.
        plane_only: it needs a data set of points in the plane.
        batch_statistics: it needs a network that normalizes with statistics of the mini-batch.
        networks: the kinds of networks in which it makes sense.
    """

    group: Literal["main", "more"] = "more"
    shelf: Shelf
    needs: tuple[str, ...] = ()
    time: bool = False
    plane_only: bool = False
    batch_statistics: bool = False
    networks: tuple[str, ...] = ("mlp", "conv", "recurrent")

    def fits(self, config: RunConfig) -> bool:
        """Whether the chart makes sense for a run."""
        if self.plane_only and not DATASETS[config.dataset].plane:
            return False
        if self.batch_statistics and not any(NORMS[n].minimum_batch > 1 for n in config.norms):
            return False
        return config.network in self.networks

    def build(self, view: ChartView) -> Chart:
        """The chart for a view, with what the registry says of it; it has to fit the run."""
        words = view.texts.get("help", {})
        chart: Chart = self.resolve()(view)
        name = chart.name
        return replace(chart, help=words.get(name, self.help), shelf=self.shelf)


def _entry(
    name: str, label: str, help: str, shelf: Shelf, build: str = "build", **rest: object
) -> ChartEntry:
    where = f"bnviz.charts.{name}:{build}"
    return ChartEntry(label=label, help=help, where=where, shelf=shelf, **rest)  # type: ignore[arg-type]


CHARTS: dict[str, ChartEntry] = {
    "loss": _entry(
        "loss", "loss", "The loss on the test set and on each mini-batch.", "training",
        group="main", time=True,
    ),
    "accuracy": _entry(
        "loss", "accuracy", "The share of test examples that each network classifies correctly.",
        "training", "build_accuracy", group="main", time=True,
    ),
    "layers": _entry(
        "layers", "layer by layer",
        "Distributions, gradient norms and Jacobian singular values of every layer on one axis.",
        "layers", group="main", needs=("histogram", "saturation", "gradients", "jacobian"),
    ),
    "percentiles": _entry(
        "percentiles", "percentiles of a unit",
        "How the input of one unit’s nonlinearity spreads over the examples, over time.",
        "layers", needs=("percentiles",), time=True,
    ),
    "percentiles_layer": _entry(
        "percentiles", "percentiles of all units",
        "How the inputs of a whole layer’s nonlinearities spread, over time.", "layers",
        "build_layer", needs=("percentiles",), time=True,
    ),
    "batch_values": _entry(
        "batch_values", "one mini-batch",
        "Where a unit puts the examples of one mini-batch: with batch normalization the place of "
        "each depends on the others.",
        "statistics", needs=("batch_values",),
    ),
    "jacobian": _entry(
        "jacobian", "layer Jacobians",
        "By how much each layer stretches or shrinks small changes of what it gets.", "layers",
        needs=("jacobian",), time=True,
    ),
    "drift": _entry(
        "drift", "drift",
        "How far a layer’s distribution has moved from step 0, before and after normalization.",
        "layers", needs=("drift",), time=True,
    ),
    "saturation": _entry(
        "saturation", "saturation",
        "How many units are in the flat part of their nonlinearity, where little gradient passes.",
        "layers", needs=("saturation",), time=True,
    ),
    "growth": _entry(
        "growth", "growth of the gradient",
        "By how much the gradient grows or shrinks from each layer to the one below it.",
        "layers", needs=("gradients",), time=True,
    ),
    "weights": _entry(
        "weights", "weights",
        "How large each layer’s weights are, and how far a step moves them for their size.",
        "layers", needs=("weights",), time=True,
    ),
    "biases": _entry(
        "biases", "biases",
        "How large each layer’s biases are: those that a mean takes out again should not move.",
        "layers", needs=("weights",), time=True, networks=("mlp", "conv"),
    ),
    "rank": _entry(
        "rank", "rank",
        "In how many directions each layer’s outputs spread; one means that all examples look "
        "alike up to a factor.",
        "layers", needs=("rank",), time=True,
    ),
    "ics": _entry(
        "ics", "shift of the gradients",
        "How much a layer’s gradient changes when the layers below it take their step: internal "
        "covariate shift in terms of gradients.",
        "surface", needs=("ics",), time=True, networks=("mlp", "conv"),
    ),
    "landscape": _entry(
        "landscape", "landscape",
        "How smoothly the loss and its gradient change along the step about to be taken.",
        "surface", needs=("landscape",), time=True,
    ),
    "sharpness": _entry(
        "sharpness", "sharpness",
        "How strongly the loss curves where the network is now, beside the curvature at which "
        "plain gradient descent at this rate turns unstable.",
        "surface", needs=("sharpness",), time=True,
    ),
    "mode_gap": _entry(
        "mode_gap", "training against inference mode",
        "Whether the statistics that a network is used with fit the weights that it has now.",
        "statistics", needs=("mode_gap",), time=True, batch_statistics=True,
    ),
    "batch_noise": _entry(
        "batch_noise", "noise of the batch statistics",
        "How much mean and standard deviation vary from one mini-batch to the next.",
        "statistics", needs=("batch_noise",), time=True,
    ),
    "cost": _entry(
        "cost", "time per step",
        "What a training step of each network costs in time.", "training", time=True,
    ),
    "gradients": _entry(
        "gradients", "gradient norm", "How large the weight gradient of each layer is.",
        "layers", needs=("gradients",), time=True,
    ),
    "io_jacobian": _entry(
        "io_jacobian", "input–output Jacobian",
        "How strongly the outputs react to the inputs, in each direction.", "surface",
        needs=("io_jacobian",),
    ),
    "boundary": _entry(
        "boundary", "decision boundary", "What each network answers at every point of the plane.",
        "training", needs=("boundary",), plane_only=True,
    ),
}  # fmt: skip
