"""Charts: a figure drawn once, and the bindings that fill it from frames.

JSON of a chart, as `live_view.js` receives it:
    name, title, subtitle: "{step}" in the subtitle is the step shown.
    time: true for series over time with marks and the cursor, false for one frame.
    switch: {"group", "label"} or null. Charts of one group share one place on the page; a switch
        with these labels selects one.
    needs: probes whose age (`measured_at`) the chart must show.
    height: height of the figure in pixels.
    figure, config: {"data", "layout"}, and Plotly's config.
    wide: {"height", "layout"}: layout changes with dotted keys ("xaxis.domain", …) for
        `Plotly.relayout`, applied if the chart is wide.
    medium, compact: {"height", "layout", "below"} or null: changes for a chart narrower than
        `below` pixels (on a projector, on a phone). "least" is the smallest readable height.
    low: {"layout", "below"} or null: further changes for a figure lower than `below` pixels. Its
        "compact" has the changes for a figure that is also narrow.
    bindings: see `bnviz.charts.binding`.
    selectors: [{"name": "layer", "label", "options": [labels], "default": 5, "layouts": [layout
        changes per option] or []}, …]
    source, look, help: origin ("Ioffe & Szegedy 2015, Fig. 1") or "", a sentence on what to look
        at, and a sentence on what the chart shows.
    shelf: category in the gallery ("layers", "training", "statistics", "surface").
    table: {"caption", "rows", "row_names", "columns"}, the same values as text. With rows "vector",
        value i of each column is in row i, which has the name row_names[i]. With rows "series",
        there is one row per step with a measurement (at most 20, newest first), and row_names is
        the heading of the steps. Columns are {"label", "field", "index", "format", "over"}.
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
# Chart width in pixels below which a chart takes its compact form, and below which it takes its
# medium form, each with normal and with large type.
COMPACT_BELOW, COMPACT_BELOW_LARGE = 640, 700
MEDIUM_BELOW, MEDIUM_BELOW_LARGE = 900, 1100


def chart_texts(language: str | None = None) -> Attributes:
    """Return the texts of charts, with "norms" (network names) and "marks" (labels of changes)."""
    words = texts("charts", language)
    marks = dict(of_each("knobs", "mark", language))
    # Add the labels for actions on one layer, and for knobs with several choices.
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
    """Labelled points of the plane, scaled as the networks receive them."""

    inputs: np.ndarray  # [N, 2]
    labels: np.ndarray  # [N]


@dataclass(frozen=True)
class ChartView:
    """Run, page and texts for which a chart is built.

    Attributes:
        config: initial config of the run.
        texts: see `chart_texts`.
        classes, features: numbers of classes and features of the data set that was loaded.
        large_type: smallest type size in pixels in the presentation view, or 0 elsewhere.
        only: network of a chart that shows one network, or None for the first network.
        points: training points of a plane data set, or None to load them when needed.
    """

    config: RunConfig
    texts: Mapping[str, Any]
    dark: bool = False
    classes: int = 10
    features: int = 64
    large_type: int = 0
    only: str | None = None
    points: Points | None = None

    @property
    def norms(self) -> tuple[str, ...]:
        """Return the compared networks in the order of their colours."""
        return self.config.norms

    @cached_property
    def theme(self) -> Theme:
        return theme(self.dark)

    @cached_property
    def sizes(self) -> Type:
        return type_sizes(large_type=self.large_type)

    @cached_property
    def styles(self) -> dict[str, NetworkStyle]:
        return self.theme.networks(self.norms)

    def style(self, norm: str | None) -> NetworkStyle:
        """Return the style of a network, or a neutral style for None."""
        if norm is None:
            return NetworkStyle(self.theme.muted, self.theme.muted, "3px,3px", "circle")
        return self.styles[norm]

    def axis(self, title: str = "", **more: Any) -> Attributes:
        """Return an axis in the app's style; `more` overrides its attributes."""
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
        """Return the common layout: transparent paper, no legend, zoom kept between frames."""
        font = {"family": font_family(), "size": self.sizes.base}
        return {
            "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)", "showlegend": False,
            "font": {**font, "color": self.theme.ink}, "hoverlabel": {"font": font},
            "uirevision": "keep", "hovermode": "closest", "dragmode": "zoom", "autosize": True,
            **more,
        }  # fmt: skip

    def left_margin(self, letters: int) -> int:
        """Return the left margin in pixels, for a title and numbers of `letters` digits."""
        return round(0.6 * self.sizes.base * letters + 1.5 * self.sizes.small + 8)

    @property
    def foot(self) -> int:
        """Return the height in pixels that axis numbers and a title need below a plot."""
        return round(3.2 * self.sizes.base)

    def note(self, text: str, colour: str, size: int | None = None, **at: Any) -> Attributes:
        """Return an annotation, by default in small type."""
        font = {"size": size or self.sizes.small, "color": colour}
        return {"text": text, "showarrow": False, "font": font, **at}

    def heading(
        self, text: str, norm: str | None, size: int | None = None, **at: Any
    ) -> Attributes:
        """Return a bold annotation above a panel, in the colour of network `norm` if given."""
        colour = self.styles[norm].text if norm else self.theme.ink
        return self.note(
            f"<b>{text}</b>", colour, size or self.sizes.heading, xref="paper", xanchor="left",
            yref="paper", yanchor="bottom", align="left", **at,
        )  # fmt: skip

    def level(self, **at: Any) -> Attributes:
        """Return a dashed reference line across the figure; `at` overrides its ends and axes."""
        line = {"color": self.theme.muted, "width": 1, "dash": "3px,3px"}
        return {
            "type": "line", "layer": "below", "xref": "paper", "x0": 0, "x1": 1, "yref": "paper",
            "y0": 0, "y1": 1, "line": line, **at,
        }  # fmt: skip

    def zone(self, **at: Any) -> Attributes:
        """Return a shaded area behind the traces, by default as high as the figure."""
        return {
            "type": "rect", "layer": "below", "yref": "paper", "y0": 0, "y1": 1,
            "fillcolor": self.theme.zone, "line": {"width": 0}, **at,
        }  # fmt: skip

    def chance(self, name_at: Literal["start", "end"] = "end", **at: Any) -> Attributes:
        """Return a dotted line at the chance level, with its name at one end."""
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
        return Column(self.column_words(norm, what), f"{norm}.{field}", format, index, over)

    def columns(self, *of: tuple[Any, ...], norms: Sequence[str] | None = None) -> list[Column]:
        """Return table columns for each network, one per item of `of` (arguments of `column`)."""
        chosen = self.norms if norms is None else norms
        return [self.column(norm, *each) for norm in chosen for each in of]

    def column_words(self, norm: str, what: str) -> str:
        words = self.texts["common"]["network_column"]
        return str(words.format(network=self.label(norm), what=what))

    def label(self, norm: str) -> str:
        """Return the name of a network as shown on screen ("without BN")."""
        return self._name(norm, "network")

    def short_label(self, norm: str) -> str:
        """Return the short name of a network ("no BN")."""
        return self._name(norm, "short")

    def _name(self, norm: str, length: str) -> str:
        return str(self.texts["norms"].get(norm, {}).get(length, norm))

    def batch_norms(self) -> tuple[str, ...]:
        """Return the networks that normalize with mini-batch statistics."""
        return tuple(norm for norm in self.norms if NORMS[norm].minimum_batch > 1)

    @property
    def layers(self) -> int:
        """Return the number of rows of layer charts: hidden layers, or time steps."""
        return self.config.layer_count

    def text(self, key: str) -> str:
        """Return a text in the terms of the network's kind (time steps, feature maps)."""
        own = self.texts["words"].get(self.config.network, {})
        return str(own.get(key, self.texts["common"][key]))

    @property
    def phi(self) -> str:
        """Return the name of the nonlinearity's input."""
        return str(self.texts["phi"][self.config.activation])

    def own(self, words: Mapping[str, Any], key: str) -> str:
        """Return a chart's text for the kind of network, or its general text if there is none."""
        return str(words.get(f"{key}_{self.config.network}", words.get(key, "")))

    @cached_property
    def terms(self) -> dict[str, str]:
        """Return values for the placeholders in texts. The browser fills in "{step}"."""
        keys = ("all_units", "one_unit", "units", "each_layers", "above")
        return {
            **{key: self.text(key) for key in keys}, "unit": self.text("the_unit"),
            "input": self.phi, "probe": self.probe_text(), "share": HEAT_FULL_WORDS,
            "step": "{step}",
        }  # fmt: skip

    def say(self, words: str, **more: object) -> str:
        return words.format(**{**self.terms, **more})

    def layer_names(self, *, output: bool = False) -> list[str]:
        """Return the names of the layers, and with `output` the output layer's name at the end."""
        name = self.text("layer_name")
        names = [name.format(number=number) for number in range(1, self.layers + 1)]
        return [*names, self.text("output")] if output else names

    def probe_text(self) -> str:
        """Return a description of the examples on which distributions are measured."""
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
    """Values of a chart as text.

    Attributes:
        row_names: names of the rows, or the heading of the steps if there is one row per step.
        caption: caption, or "" for the chart's subtitle.
    """

    columns: Sequence[Column]
    row_names: str | Sequence[str] = ""
    caption: str = ""

    @property
    def rows(self) -> str:
        return "series" if isinstance(self.row_names, str) else "vector"


@dataclass(frozen=True)
class Selector:
    """Choice of a layer or unit in the browser; `layouts` are the layout changes per option."""

    name: str
    label: str
    options: Sequence[str]
    default: int
    layouts: Sequence[Mapping[str, Any]] = ()


@dataclass(kw_only=True)
class Chart:
    """Chart ready to be drawn; the module's docstring describes the fields.

    `ChartEntry.build` fills in the fields from `name` on, and a missing title or subtitle.
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
        return any(isinstance(each, Cursor) for each in self.bindings)

    def to_json(self) -> Attributes:
        figure = self.figure.to_plotly_json()
        return {
            **{each.name: getattr(self, each.name) for each in fields(self)},
            "time": self.time, "needs": list(self.needs), "config": PLOTLY_CONFIG,
            "figure": {"data": figure["data"], "layout": figure["layout"]},
            "bindings": [binding.to_json() for binding in self.bindings],
            "selectors": [asdict(selector) for selector in self.selectors],
            "table": {**asdict(self.table), "rows": self.table.rows},
        }  # fmt: skip
