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
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from bnviz.charts.binding import Bindings, Cursor
from bnviz.charts.scale import HEAT_FULL_WORDS
from bnviz.charts.theme import Attributes, NetworkStyle, Theme, Type, font_family, theme, type_sizes
from bnviz.config import KNOBS, LIVE_KNOBS, RunConfig
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


def chart_texts(language: str | None = None) -> Attributes:
    """The words of the charts; under "norms" what the networks are called, under "marks" what
    stands at a break or a change, and under "marks_new" at a change from a value not known.
    """
    words = texts("charts", language)
    marks = dict(of_each("knobs", "mark", language))
    # Of an action on one layer, and of a knob that is set to a choice.
    choices = (choice for name in LIVE_KNOBS for choice in KNOBS[name].choices)
    for part in ("layer", *choices):
        found = of_each("knobs", f"mark_{part}", language)
        marks |= {f"{name}_{part}": mark for name, mark in found.items()}
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
        large: size of the smallest type in a hall, in pixels; 0: the page is read at a desk.
        only: the one network that a chart of one network shows; None: the first.
        points: training points of a plane data set; None: loaded when the chart needs them.
    """

    config: RunConfig
    texts: Mapping[str, Any]
    dark: bool = False
    classes: int = 10
    features: int = 64
    large: int = 0
    only: str | None = None
    points: Points | None = None

    @property
    def norms(self) -> tuple[str, ...]:
        """The networks compared, in order of their colours."""
        return self.config.norms

    @cached_property
    def theme(self) -> Theme:
        """The colours that are no network's."""
        return theme(self.dark)

    @cached_property
    def sizes(self) -> Type:
        """The sizes of type."""
        return type_sizes(large=self.large)

    @cached_property
    def styles(self) -> dict[str, NetworkStyle]:
        """How each network is drawn."""
        return self.theme.networks(self.norms)

    def style(self, norm: str | None) -> NetworkStyle:
        """How a network is drawn; None: what is the same for all of them."""
        if norm is None:
            return NetworkStyle(self.theme.muted, self.theme.muted, "3px,3px", "circle")
        return self.styles[norm]

    def axis(self, title: str = "", **more: Any) -> Attributes:
        """An axis in the house style; `more` overrides."""
        theme = self.theme
        return {
            "gridcolor": theme.grid, "linecolor": theme.grid, "tickcolor": theme.grid,
            "zeroline": False, "automargin": False, "tickangle": 0,
            "tickfont": {"color": theme.muted}, "exponentformat": "power", "minexponent": 3,
            "title": {"text": title, "standoff": 4,
                      "font": {"size": self.sizes.small, "color": theme.muted}},
            **more,
        }  # fmt: skip

    def layout(self, **more: Any) -> Attributes:
        """The layout of all charts: transparent paper, no legend, zoom kept between frames."""
        font = {"family": font_family(), "size": self.sizes.base}
        return {
            "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)", "showlegend": False,
            "font": {**font, "color": self.theme.ink}, "hoverlabel": {"font": font},
            "uirevision": "keep", "hovermode": "closest", "dragmode": "zoom", "autosize": True,
            **more,
        }  # fmt: skip

    def left_margin(self, letters: int) -> int:
        """Room for a vertical axis: numbers of so many letters, and the title beside them."""
        return round(0.6 * self.sizes.base * letters + 1.5 * self.sizes.small + 8)

    @property
    def foot(self) -> int:
        """Room below a plot: numbers and a title."""
        return round(3.2 * self.sizes.base)

    def note(self, text: str, colour: str, size: int | None = None, **at: Any) -> Attributes:
        """Words on a figure; small unless a size is given."""
        font = {"size": size or self.sizes.small, "color": colour}
        return {"text": text, "showarrow": False, "font": font, **at}

    def heading(
        self, text: str, norm: str | None, size: int | None = None, **at: Any
    ) -> Attributes:
        """Bold words over a panel, in the colour of its network if it has one."""
        colour = self.styles[norm].text if norm else self.theme.ink
        return self.note(
            f"<b>{text}</b>", colour, size or self.sizes.heading, xref="paper", xanchor="left",
            yref="paper", yanchor="bottom", align="left", **at,
        )  # fmt: skip

    def level(self, **at: Any) -> Attributes:
        """A dashed line at a value to compare with, from edge to edge of what `at` names."""
        line = {"color": self.theme.muted, "width": 1, "dash": "3px,3px"}
        return {
            "type": "line", "layer": "below", "xref": "paper", "x0": 0, "x1": 1, "yref": "paper",
            "y0": 0, "y1": 1, "line": line, **at,
        }  # fmt: skip

    def zone(self, **at: Any) -> Attributes:
        """A shaded area behind the traces, as wide or high as the figure unless `at` says else."""
        return {
            "type": "rect", "layer": "below", "yref": "paper", "y0": 0, "y1": 1,
            "fillcolor": self.theme.zone, "line": {"width": 0}, **at,
        }  # fmt: skip

    def chance(self, name_at: Literal["start", "end"] = "end", **at: Any) -> Attributes:
        """A dotted line at the accuracy of guessing, with its name at one of its ends."""
        percent, line = 100 / self.classes, {"color": self.theme.muted, "width": 1, "dash": "dot"}
        name: Attributes = {
            "text": self.text("chance"), "textposition": name_at, "yanchor": "bottom", "padding": 1,
            "font": {"size": self.sizes.small, "color": self.theme.muted},
        }  # fmt: skip
        return self.level(y0=percent, y1=percent, line=line, label=name, **at)

    def column(
        self, norm: str, what: str, field: str, format: Format = "number",
        index: str | None = None, over: str | None = None,
    ) -> Column:  # fmt: skip
        """A column of a network's own field."""
        return Column(self.column_words(norm, what), f"{norm}.{field}", format, index, over)

    def columns(self, *of: tuple[Any, ...], norms: Sequence[str] | None = None) -> list[Column]:
        """The same columns for all networks, or some: of each its name, its field and so on."""
        chosen = self.norms if norms is None else norms
        return [self.column(norm, *each) for norm in chosen for each in of]

    def column_words(self, norm: str, what: str) -> str:
        """The words over a column: the network, and what the numbers are."""
        words = self.texts["common"]["network_column"]
        return str(words.format(network=self.label(norm), what=what))

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

    @property
    def phi(self) -> str:
        """What the nonlinearity gets, in words."""
        return str(self.texts["phi"][self.config.activation])

    def own(self, words: Mapping[str, Any], key: str) -> str:
        """One of a chart's words: those for the kind of network, or else those for all."""
        return str(words.get(f"{key}_{self.config.network}", words.get(key, "")))

    @cached_property
    def terms(self) -> dict[str, str]:
        """Values for the braces in a chart's words; the browser fills in the step shown."""
        keys = ("all_units", "one_unit", "units", "each_layers", "above")
        return {
            **{key: self.text(key) for key in keys}, "unit": self.text("the_unit"),
            "input": self.phi, "probe": self.probe_text(), "share": HEAT_FULL_WORDS,
            "step": "{step}",
        }  # fmt: skip

    def say(self, words: str, **more: object) -> str:
        """Words of charts.toml with their braces filled in."""
        return words.format(**{**self.terms, **more})

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
    """What a chart shows, for people who read rather than look.

    Attributes:
        row_names: of a row for each of these; one word: of the column of steps, where there is a
            row for each step. "": the usual word.
        caption: "": the chart's subtitle.
    """

    columns: Sequence[Column]
    row_names: str | Sequence[str] = ""
    caption: str = ""

    @property
    def rows(self) -> str:
        """What a row is of, in JSON."""
        return "series" if isinstance(self.row_names, str) else "vector"


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


@dataclass(kw_only=True)
class Chart:
    """A chart ready to be drawn. `to_json` says what each part means to the browser.

    A `build` leaves out what `ChartEntry.build` fills in: the part from `name` on, and the title
    and subtitle where they are those of charts.toml.
    """

    figure: go.Figure
    bindings: Bindings
    table: Table
    height: int
    subtitle: str = ""
    title: str = ""
    selectors: tuple[Selector, ...] = ()
    switch: Mapping[str, str] | None = None
    wide: Mapping[str, Any] = field(default_factory=dict)
    medium: Mapping[str, Any] | None = None
    compact: Mapping[str, Any] | None = None
    low: Mapping[str, Any] | None = None
    name: str = ""
    needs: tuple[str, ...] = ()
    source: str = ""
    look: str = ""
    help: str = ""
    shelf: str = ""

    @property
    def time(self) -> bool:
        """Whether it shows series over time, with the time cursor."""
        return any(isinstance(each, Cursor) for each in self.bindings)

    def to_json(self) -> Attributes:
        """The chart as plain values for the browser."""
        figure = self.figure.to_plotly_json()
        return {
            **{each.name: getattr(self, each.name) for each in fields(self)},
            "time": self.time, "needs": list(self.needs), "config": PLOTLY_CONFIG,
            "figure": {"data": figure["data"], "layout": figure["layout"]},
            "bindings": [binding.to_json() for binding in self.bindings],
            "selectors": [asdict(selector) for selector in self.selectors],
            "table": {**asdict(self.table), "rows": self.table.rows},
        }  # fmt: skip
