"""What a chart is: a figure drawn once, and the bindings that fill it from frames.

JSON of a chart, as `live_view.js` gets it:
    name, title, subtitle     stand above the figure; subtitle may hold "{step}", the shown
    time                      true: series over time with marks and the cursor; false: one frame
    switch                    {"group", "label"} or null: charts of one group share one place on the
                              page, a switch with these labels chooses between them
    needs                     probes whose age (`measured_at`) the chart has to own up to
    height                    of the figure in pixels
    figure                    {"data", "layout"}; plotted with `config`
    config                    Plotly's config
    wide                      {"height", "layout"}: flat layout changes ("xaxis.domain",
                              "annotations", …) for `Plotly.relayout` where the figure's place is
                              wide enough for it
    medium, compact           {"height", "layout", "below"} or null: the same for a place narrower
                              than `below` pixels (a projector; a phone)
                              Each may have "least": the lowest figure in pixels that can be read
    low                       {"layout", "below"} or null: the same, on top of that of the width,
                              for a figure lower than `below` pixels; under "compact" it may have
                              others of both for one that is narrow as well
    bindings                  see `bnviz.charts.binding`
    selectors                 [{"name": "layer", "label", "options": [labels], "default": 5,
                              "layouts": [flat layout changes of each option] or []}, …]
    source                    where the chart comes from ("Ioffe & Szegedy 2015, Fig. 1"), or ""
    look                      one sentence on what to look at, shown under the title
    help, shelf               one sentence on what it shows, and where it lies in the gallery
                              ("layers", "training", "statistics", "surface")
    table                     the same as text: {"caption", "rows", "row_names", "columns"}; rows is
                              "vector" (one row per name of row_names, column j's value i in row i)
                              or "series" (one row per step at which something was measured, at
                              most 20 of them, newest first);
                              row_names is the list of names, for "series" the label of the step
                              column; columns are [{"label", "field", "index", "format",
                              "over"}]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bnviz.charts.binding import Binding
from bnviz.config import RunConfig
from bnviz.data import DATASETS
from bnviz.norms import NORMS
from bnviz.probes.axis import probe_examples
from bnviz.words.numbers import Format
from bnviz.words.texts import of_each, texts

if TYPE_CHECKING:
    import numpy as np
    import plotly.graph_objects as go

PLOTLY_CONFIG = {
    "displayModeBar": False,
    "responsive": False,
    "doubleClick": "reset",
    "showTips": False,
}
# Narrower places in pixels than these get the compact or the medium form; with large type, others.
COMPACT_BELOW, COMPACT_BELOW_LARGE = 640, 700
MEDIUM_BELOW, MEDIUM_BELOW_LARGE = 900, 1100


def chart_texts(language: str | None = None) -> dict[str, Any]:
    """The words of the charts; under "norms" what the networks are called, under "marks" what
    stands at a break or a change, and under "marks_new" at a change from a value not known.
    """
    words = texts("charts", language)
    layer = of_each("knobs", "mark_layer", language).items()
    marks = {
        **of_each("knobs", "mark", language),
        **{f"{name}_layer": mark for name, mark in layer},
    }
    return {
        **words, "norms": texts("norms", language), "marks": {**words["marks"], **marks},
        "marks_new": of_each("knobs", "mark_new", language),
    }  # fmt: skip


@dataclass(frozen=True)
class Points:
    """Labelled points of the plane, scaled as the networks see them."""

    inputs: np.ndarray  # [N, 2]
    labels: np.ndarray  # [N]


@dataclass(frozen=True)
class ChartView:
    """What a chart needs to know of the run and of the page it stands on.

    Attributes:
        config: the run's initial config.
        texts: words of `assets/texts/<language>/charts.toml`.
        dark: dark theme.
        classes, features: of the data that was really loaded.
        compact: the page is a phone; the compact layout is built in from the start.
        large: size of the smallest type in a hall, in pixels; 0: the page is read at a desk.
        only: the one network that a chart of one network shows; None: the first.
        points: training points of a plane data set; None: loaded when the chart needs them.
    """

    config: RunConfig
    texts: Mapping[str, Any]
    dark: bool = False
    classes: int = 10
    features: int = 64
    compact: bool = False
    large: int = 0
    only: str | None = None
    points: Points | None = None

    @property
    def norms(self) -> tuple[str, ...]:
        """The networks compared, in order of their colours."""
        return self.config.norms

    def label(self, norm: str) -> str:
        """What a network is called on screen ("without BN")."""
        return self._name(norm, "network")

    def short_label(self, norm: str) -> str:
        """The same where there is little room ("no BN")."""
        return self._name(norm, "short")

    def _name(self, norm: str, length: str) -> str:
        return str(self.texts["norms"].get(norm, {}).get(length, norm))

    def batch_norms(self) -> tuple[str, ...]:
        """The networks that normalize with statistics of the mini-batch."""
        return tuple(norm for norm in self.norms if NORMS[norm].minimum_batch > 1)

    @property
    def layers(self) -> int:
        """Rows of everything measured layer by layer: hidden layers, or time steps."""
        return self.config.layer_count

    def text(self, key: str) -> str:
        """A text of charts.toml, in the terms of the network (time steps, feature maps)."""
        own = self.texts["words"].get(self.config.network, {})
        return str(own.get(key, self.texts["common"][key]))

    def layer_names(self, *, output: bool = False) -> list[str]:
        """What the rows are called, the output's last if there is one."""
        name = self.text("layer_name")
        names = [name.format(number=number) for number in range(1, self.layers + 1)]
        return [*names, self.text("output")] if output else names

    def probe_text(self) -> str:
        """What distributions are measured on, in words."""
        words = self.texts["probe"]
        kind = "points" if DATASETS[self.config.dataset].side is None else "images"
        text = str(words[kind]).format(count=probe_examples(self.config))
        return text + str(words.get(f"of_{self.config.network}", ""))


@dataclass(frozen=True)
class Column:
    """One column of a chart's data table."""

    label: str
    field: str
    format: Format = "number"
    index: str | None = None
    over: str | None = None


@dataclass(frozen=True)
class Table:
    """What a chart shows, for people who read rather than look."""

    caption: str
    columns: Sequence[Column]
    rows: str = "series"
    row_names: str | Sequence[str] = "step"


@dataclass(frozen=True)
class Selector:
    """A choice settled in the browser: which layer, which unit.

    Attributes:
        layouts: flat layout changes for each option, where the axes depend on it.
    """

    name: str
    label: str
    options: Sequence[str]
    default: int
    layouts: Sequence[Mapping[str, Any]] = ()


@dataclass
class Chart:
    """A chart ready to be drawn. `to_json` says what each part means to the browser."""

    name: str
    title: str
    subtitle: str
    figure: go.Figure
    bindings: list[Binding]
    table: Table
    height: int
    time: bool = False
    needs: tuple[str, ...] = ()
    selectors: tuple[Selector, ...] = ()
    source: str = ""
    look: str = ""
    help: str = ""
    shelf: str = ""
    switch: Mapping[str, str] | None = None
    wide: Mapping[str, Any] = field(default_factory=dict)
    medium: Mapping[str, Any] | None = None
    compact: Mapping[str, Any] | None = None
    low: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The chart as plain values for the browser."""
        from dataclasses import asdict

        figure = self.figure.to_plotly_json()
        return {
            "name": self.name, "title": self.title, "subtitle": self.subtitle, "time": self.time,
            "switch": dict(self.switch) if self.switch else None, "needs": list(self.needs),
            "height": self.height, "figure": {"data": figure["data"], "layout": figure["layout"]},
            "config": PLOTLY_CONFIG, "wide": dict(self.wide),
            "medium": dict(self.medium) if self.medium else None,
            "compact": dict(self.compact) if self.compact else None,
            "low": dict(self.low) if self.low else None,
            "bindings": [binding.to_json() for binding in self.bindings],
            "selectors": [asdict(selector) for selector in self.selectors],
            "source": self.source, "look": self.look, "help": self.help, "shelf": self.shelf,
            "table": asdict(self.table),
        }  # fmt: skip
