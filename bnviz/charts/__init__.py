"""Registry of the charts. To add a chart, add a file and an entry in `CHARTS`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from bnviz.charts.chart import Chart, ChartView, Points
from bnviz.config import RunConfig
from bnviz.data import DATASETS
from bnviz.norms import NORMS
from bnviz.registry import Entry, registry
from bnviz.words.phrase import Phrase, integer_between, one_of, phrase

__all__ = ["CHARTS", "Chart", "ChartEntry", "ChartView", "Points"]

LARGEST = 10**6

Shelf = Literal["layers", "training", "statistics", "surface"]
# Setting of a run that does not suit a chart: its name, its value and what is allowed.
Misfit = tuple[str, object, Phrase]


@dataclass(frozen=True, kw_only=True)
class ChartEntry(Entry):
    """Entry of a chart; `where` names its function `build(view: ChartView) -> Chart`.

    Attributes:
        group: "main" charts are shown in the lab, and "more" charts can be added there. "block"
            charts appear only on pages that name them. "stage" charts are for the presentation
            view; each shows one network.
        shelf: category in the list of charts that can be added.
        needs: probes whose values the chart draws.
        batch_statistics: whether at least one network must normalize with mini-batch statistics.
        norm: norm that one of the networks must have, or None.
    """

    group: Literal["main", "more", "block", "stage"] = "more"
    shelf: Shelf
    needs: tuple[str, ...] = ()
    plane_only: bool = False
    batch_statistics: bool = False
    norm: str | None = None
    networks: tuple[str, ...] = ("mlp", "conv", "recurrent")
    depths: tuple[int, int] = (1, LARGEST)

    def fits(self, config: RunConfig) -> bool:
        """Return whether the chart makes sense for a run."""
        return self.misfit(config) is None

    def misfit(self, config: RunConfig) -> Misfit | None:
        """Return the first setting for which the chart makes no sense, or None."""
        if self.plane_only and not DATASETS[config.dataset].plane:
            planes = [name for name, entry in DATASETS.items() if entry.plane]
            return "dataset", config.dataset, one_of(planes)
        pooling = [name for name, norm in NORMS.items() if norm.minimum_batch > 1]
        if self.batch_statistics and not set(pooling) & set(config.norms):
            return "norms", config.norms, phrase("errors.list_with", names=one_of(pooling))
        if self.norm is not None and self.norm not in config.norms:
            return "norms", config.norms, phrase("errors.list_with", names=self.norm)
        if config.network not in self.networks:
            return "network", config.network, one_of(self.networks)
        least, most = self.depths
        if not least <= config.depth <= most:
            return "depth", config.depth, integer_between(least, most)
        return None

    @property
    def one_network(self) -> bool:
        """Return whether the chart shows one network."""
        return self.group == "stage"

    def build(self, view: ChartView) -> Chart:
        """Build the chart, with its name and texts, for a view of a run that the chart fits."""
        _, _, name = self.words.partition(".")
        chart: Chart = self.resolve()(view)
        words, table = view.texts[name], chart.table
        told = {part: words.get(part, "") for part in ("help", "look", "source")}
        subtitle = view.say(chart.subtitle or view.own(words, "subtitle"))
        table = replace(
            table, caption=table.caption or subtitle,
            row_names=table.row_names or view.text("step"),
        )  # fmt: skip
        return replace(
            chart, **told, name=name, title=chart.title or view.own(words, "title"),
            subtitle=subtitle, table=table, needs=self.needs, shelf=self.shelf,
        )  # fmt: skip


CHARTS = registry("bnviz.charts", {
    "loss": ChartEntry(shelf="training", group="main"),
    "batch_loss": ChartEntry(
        where="loss:build_batch", shelf="training", group="block", needs=("before_change",),
    ),
    "accuracy": ChartEntry(where="loss:build_accuracy", shelf="training", group="main"),
    "layers": ChartEntry(
        shelf="layers", group="main",
        needs=("histogram", "start_histogram", "saturation", "gradients", "jacobian"),
    ),
    "network": ChartEntry(shelf="layers", needs=("histogram", "saturation", "gradients")),
    "hills": ChartEntry(
        shelf="layers", group="block", needs=("histogram", "start_histogram", "saturation"),
    ),
    "stacks": ChartEntry(
        where="hills:build_stacks", shelf="layers", group="block",
        needs=("histogram", "start_histogram", "saturation"),
    ),
    "hill": ChartEntry(
        shelf="layers", group="stage", needs=("histogram", "start_histogram", "saturation"),
    ),
    "percentiles": ChartEntry(shelf="layers", needs=("percentiles",)),
    "percentiles_layer": ChartEntry(
        where="percentiles:build_layer", shelf="layers", needs=("percentiles",),
    ),
    "unit_hill": ChartEntry(shelf="layers", needs=("unit_histogram",)),
    "formula": ChartEntry(
        shelf="statistics", needs=("unit_batch",), batch_statistics=True, norm="batch",
        networks=("mlp",),
    ),
    "batch_values": ChartEntry(shelf="statistics", needs=("batch_values",)),
    "cut": ChartEntry(
        shelf="layers", group="block", needs=("cut",), networks=("mlp",), depths=(2, 12),
    ),
    "jacobian": ChartEntry(shelf="layers", needs=("jacobian",)),
    "drift": ChartEntry(shelf="layers", needs=("drift",)),
    "shift_per_step": ChartEntry(shelf="layers", needs=("median_step",)),
    "saturation": ChartEntry(shelf="layers", needs=("saturation",)),
    "growth": ChartEntry(shelf="layers", needs=("gradients",)),
    "gradient_by_layer": ChartEntry(shelf="layers", group="block", needs=("gradients",)),
    "gradient_change": ChartEntry(
        shelf="layers", group="block", needs=("gradients", "before_change"),
    ),
    "weights": ChartEntry(shelf="layers", needs=("weights",)),
    "weight_length": ChartEntry(
        where="weights:build_length", shelf="layers", group="block", needs=("weights",),
        networks=("mlp", "conv"),
    ),
    "biases": ChartEntry(shelf="layers", needs=("weights",), networks=("mlp", "conv")),
    "affine": ChartEntry(
        shelf="statistics", needs=("affine",), batch_statistics=True,
        networks=("mlp", "conv"),
    ),
    "shape": ChartEntry(
        where="normality", shelf="layers", needs=("shape",), networks=("mlp", "conv"),
    ),
    "rank": ChartEntry(shelf="layers", needs=("rank",)),
    "amplify": ChartEntry(shelf="layers", needs=("amplify",), networks=("mlp", "conv")),
    "ics": ChartEntry(shelf="surface", needs=("ics",), networks=("mlp", "conv")),
    "landscape": ChartEntry(shelf="surface", needs=("landscape",)),
    "sharpness": ChartEntry(shelf="surface", needs=("sharpness",)),
    "mode_gap": ChartEntry(
        shelf="statistics", needs=("mode_gap",), batch_statistics=True,
    ),
    "batch_noise": ChartEntry(shelf="statistics", needs=("batch_noise",)),
    "spectrum": ChartEntry(shelf="statistics", needs=("spectrum",)),
    "fit_gap": ChartEntry(shelf="training", needs=("fit",)),
    "estimate": ChartEntry(shelf="training", needs=("estimate",)),
    "cost": ChartEntry(shelf="training"),
    "accuracy_by": ChartEntry(shelf="training"),
    "gradients": ChartEntry(shelf="layers", needs=("gradients",)),
    "io_jacobian": ChartEntry(shelf="surface", needs=("io_jacobian",)),
    "boundary": ChartEntry(shelf="training", needs=("boundary",), plane_only=True),
}, attribute="build", words="charts.{}")  # fmt: skip
