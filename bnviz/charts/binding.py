"""Bindings: instructions by which the browser fills a chart's traces from each frame.

A chart is a Plotly figure drawn once and a list of bindings. Each class below is one kind of
binding; `kind` in JSON is its class name in lower case. `bnviz.charts.nodes` has more kinds, for
layers that are drawn as nodes. Rules for all kinds:

Fields
    `field` is a scalar of a network ("none.loss", "none.test_loss", "none.test_accuracy",
    "none.learning_rate", "none.stability_limit", "none.seconds_per_step", "none.examples",
    "none.epochs", "none.training_seconds") or an array of the frame ("none.<probe>.<value>"). If
    the frame lacks the field, a binding empties the attributes that it filled before. `Text` stays
    unchanged.

    `index` selects a part of the field, with one entry per axis, separated by commas: an integer
    (negative from the end), ":" (all), "1:" (all from 1 on), "$layer" or "$unit" (the selected
    option, counted from 0). Axes without an entry are taken whole. "$layer,$unit,1" of [L, 8, 3]
    is a number, "1,:" of [2, L] a vector, ":,2" of [L, 3] a column. `over` is a field with one
    number, by which each value is divided first.
Numbers
    The drawn number is `value * scale`, or its asinh with `transform` "asinh", clipped to `clip`,
    which is (low, high) in drawn units. A bound of None leaves its side open. Infinity is drawn at
    its bound. If that side is open, and for NaN, the number last drawn in that place is kept (null
    if there is none). No value is left out.
Traces
    `trace` is an index in `figure.data`. A binding replaces only the attributes that it names,
    which may be dotted ("marker.symbol"). All other attributes are constant.
Time
    `Series`, `Band`, `Labels`, `Marks` and `Cursor` draw a run over time. All other kinds draw one
    frame: the newest, or the frame to which the user rewound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from bnviz.charts.theme import Attributes
from bnviz.words.numbers import Format

Clip = tuple[float | None, float | None]


@dataclass(frozen=True, kw_only=True)
class Binding:
    """Base class of the bindings."""

    @property
    def kind(self) -> str:
        return type(self).__name__.lower()

    def to_json(self) -> Attributes:
        """Return the binding as plain values, `kind` first."""
        return {"kind": self.kind, **asdict(self)}


Bindings = list[Binding]


@dataclass(frozen=True, kw_only=True)
class MeasuredBinding(Binding):
    """Binding that reads one field into one trace."""

    trace: int
    field: str
    index: str | None = None


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Mixin that defines how measured numbers are converted to drawn numbers."""

    transform: Literal["asinh"] | None = None
    scale: float = 1.0
    clip: Clip | None = None


@dataclass(frozen=True, kw_only=True)
class Array(MeasuredBinding, Drawn):
    """Vector of numbers for one attribute of a trace; a matrix is read row by row.

    Attributes:
        edges: symbols for "marker.symbol" by the place of a value relative to `clip`: "low",
            "inside" or "high". NaN is "high".
        edge_format: format of values beyond a bound, which are written into "text".
        edge_upright: "middle" or "top", the vertical part of "textposition". Text is to the left of
            a marker at the upper bound of x, and to the right of all other markers.
    """

    attr: str
    over: str | None = None
    edges: Mapping[str, str] | None = None
    edge_format: Format | None = None
    edge_upright: str | None = None


def edge_marks(inside: str, *, upward: bool = False) -> dict[str, str]:
    """Return `edges` for an `Array`: `inside` on the axis, triangles beyond its ends."""
    low, high = ("down", "up") if upward else ("left", "right")
    return {"low": f"triangle-{low}", "inside": inside, "high": f"triangle-{high}"}


@dataclass(frozen=True, kw_only=True)
class Spans(MeasuredBinding):
    """Segments along x, from the columns `low` and `high` of a matrix [L, K].

    Sets x to [low₀, high₀, null, low₁, high₁, null, …]. The trace's y is constant: [y₀, y₀, null,
    y₁, y₁, null, …].
    """

    low: int
    high: int
    clip: Clip | None = None


@dataclass(frozen=True, kw_only=True)
class Ridges(MeasuredBinding):
    """Closed step outlines of the rows of a count matrix [L, B], or of one row [B].

    The bin edges e_b are evenly spaced on [left, right]. A row with counts c_b becomes the path
    (e_0, base), (e_0, y_0), (e_1, y_0), (e_1, y_1), …, (e_B, y_(B-1)), (e_B, base), (e_0, base),
    null with y_b = base + height * c_b / peak. The peak is the row's largest count, rounded up to a
    power of 1.05, so that small changes do not move the whole outline.

    Attributes:
        base: y of each row.
        left, right: x of the first and last bin edge, for all rows or for each row.
        peaks: fields of the same shape whose counts are included in the peak.
    """

    base: Sequence[float]
    left: float | Sequence[float]
    right: float | Sequence[float]
    height: float
    peaks: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Heat(MeasuredBinding):
    """Matrix for the attribute z of a heat map."""

    scale: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Text(MeasuredBinding):
    """Vector of numbers, formatted as text.

    Attributes:
        at: index of the first text that is written. The texts before and after the vector stay
            unchanged.
        template: text around the number ("{value} beyond 1000").
        least: smallest absolute value that is written. For smaller values the text is "".
        nonfinite: text for NaN and infinity, without the template; None to format them as numbers.
    """

    format: Format
    at: int = 0
    template: str | None = None
    blank_zero: bool = False
    least: float = 0.0
    nonfinite: str | None = None
    scale: float = 1.0
    over: str | None = None


@dataclass(frozen=True, kw_only=True)
class Across:
    """Fields that replace the step as x, one per option of the selector `by`; "" means the step."""

    by: str
    fields: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Series(MeasuredBinding, Drawn):
    """Line of one number over the steps of the run, each value at the step of its measurement.

    Non-finite values interrupt the line, and so do steps that the run passed without storing
    frames. The line is thinned to about `points` points: each of points/2 equal intervals of steps
    keeps its smallest and largest y. The first and last point stay, and so do all points within 50
    steps of a break or of one of the newest changes.

    With `may_end`, non-finite values are normal and do not count as missing. Points that are not
    `joined` keep the mode of their trace.
    """

    points: int = 400
    joined: bool = True
    across: Across | None = None
    may_end: bool = False


@dataclass(frozen=True, kw_only=True)
class Band(Binding):
    """Area between the two `Series` that fill the traces `low` and `high`.

    Each range of steps in which neither line is interrupted becomes one closed path in x and y
    (fill is "toself").
    """

    trace: int
    low: int
    high: int


@dataclass(frozen=True, kw_only=True)
class Label(Drawn):
    """Label of the last point of a line, with the same fields as its `Series`, and a `text`."""

    field: str
    text: str
    index: str | None = None
    across: Across | None = None
    may_end: bool = False


@dataclass(frozen=True, kw_only=True)
class Labels(Binding):
    """Labels at the last finite points of lines, at least `gap` pixels apart.

    If the newest value is not finite, the text is `lost` with "{text}" and "{step}" (the step of
    the last finite point), or `lost_short` if `lost` would not fit in the figure. A `Label` with
    `may_end` keeps its text. If the newest value is beyond `clip`, the label includes it: "without
    BN (3e9)".
    """

    trace: int
    of: Sequence[Label]
    lost: str
    lost_short: str = "{text}"
    gap: float = 14.0


@dataclass(frozen=True, kw_only=True)
class Marks(Binding):
    """Vertical lines with labels, at live changes or at the break of one network.

    The lines are on an axis from 0 to 1 and end at `top`, which is lower for breaks. Breaks are
    labelled first, then changes from the newest on. A label that does not fit is left out.

    Attributes:
        of: "changes", or the name of a network.
        labels: templates by knob with "{old}" and "{new}" (for `learning_rates` also "{network}"),
            or texts by kind of break.
        labels_new: templates for changes whose old value is unknown.
        networks: names for "{network}", in the order of the rates.
    """

    trace: int
    of: str
    labels: Mapping[str, str]
    top: float = 1.0
    labels_new: Mapping[str, str] = field(default_factory=dict)
    networks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Cursor(Binding):
    """Time cursor. The browser draws it as an overlay, so the trace only names its axes."""

    trace: int


@dataclass(frozen=True, kw_only=True)
class State(Binding):
    """Attributes that depend on a network's state: `when[state]` if present, else `otherwise`."""

    trace: int
    network: str
    when: Mapping[str, Mapping[str, Any]]
    otherwise: Mapping[str, Any]


def grey(network: str, trace: int, alive: Attributes, dead: Attributes) -> State:
    """Return a `State` that switches a trace from `alive` to `dead` once its network diverges."""
    return State(trace=trace, network=network, when={"diverged": dead}, otherwise=alive)


@dataclass(frozen=True, kw_only=True)
class StateText(Binding):
    """Text at index `at` of a trace: `when[state]` for the state of a network, or "".

    "{broke_step}" is the step of the break. "{stopped_step}" is the step at which the network
    became non-finite and stopped, or the step of the break if the former is unknown.
    """

    trace: int
    network: str
    at: int
    when: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Rows(Binding):
    """Positions of the layers on `axis`, layer 1 first, to highlight the row under the pointer."""

    axis: str
    centres: Sequence[float]
    half: float
    names: Sequence[str]


def rows(axis: str, names: Sequence[str]) -> Rows:
    """Return rows of height 1 that are centred at 1, 2, 3, …"""
    centres = [float(row) for row in range(1, len(names) + 1)]
    return Rows(axis=axis, centres=centres, half=0.5, names=names)


@dataclass(frozen=True, kw_only=True)
class Callout(Binding):
    """Tints of rows, and a numbered disc at the row in which a network broke.

    Attributes:
        field: share of each row's values that are in the flat zone; rows above 90 % are tinted.
        x, y: axes of the network's rows.
        base: lower end of a row, relative to its middle.
        words: templates of texts about the row that broke, by the rule that found the break;
            "{layer}" is the row's name.
        first: word beside the row that broke, or "" if it does not fit.
        beside: distance in pixels between the rows and the word `first`.
    """

    network: str
    field: str
    x: str
    y: str
    rows: Sequence[str]
    words: Mapping[str, str]
    base: float = 0.0
    first: str = ""
    beside: int = 0
