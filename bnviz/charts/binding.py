"""Bindings: how a frame's measured fields fill a chart's traces.

A chart is a Plotly figure drawn once plus a list of bindings. The browser knows no chart by name;
it walks the bindings of each chart for every frame. Rules that hold for all:

Fields
    `field` is a network scalar ("none.loss", "none.test_loss", "none.test_accuracy",
    "none.learning_rate", "none.stability_limit", "none.seconds_per_step", "none.examples",
    "none.epochs", "none.training_seconds") or an array of the frame ("none.<probe>.<value>"). A
    field that the frame lacks leaves the trace as it is. `index` picks
    a part: comma-separated, each part an integer (negative counts from the end), ":" (all), "1:"
    (all from 1 on), "$layer" or "$unit" (the selector's chosen option, counted from 0); null means
    all; axes not named are taken whole. "$layer,$unit,1" of [L, 8, 3] is a number, "1,:" of [2, L]
    a vector, ":,2" of [L, 3] a column. With `over` (kinds array and text, columns of "vector"
    tables) each value is divided by the number in that field first.
Numbers
    A drawn number is `value * scale`, with `transform` "asinh" the asinh of that, then clipped to
    `clip` = [low, high] (either may be null; in the same units as what is drawn). Beyond `clip` it
    is drawn on the bound. +Infinity is drawn on `high`, -Infinity on `low` (where that bound is
    null, and for NaN: the value last drawn at that place, null if there was none). Nothing is left
    out in silence.
Traces
    `trace` counts from 0 in `figure.data`. A binding replaces the named attribute of its trace and
    touches nothing else. Attributes may be dotted ("marker.symbol"). Attributes that a binding
    never names are constant: colours, y positions of rows, axis layout.
Time
    series, band, labels, marks and cursor draw a run over time. All other kinds draw one frame: the
    newest, or the one rewound to. A chart may hold both; `time` says that it holds the former.

Kinds (the classes below, `kind` in JSON = class name in lower case):

array       attr = the vector field[index] as drawn numbers; a matrix is read row by row. With
            `edges` = {"low", "inside", "high"} it also sets "marker.symbol" to an array of those
            names: which bound, if any, the value lies beyond (NaN counts as "high"). With
            `edge_format` it also sets "text": the value's number in that format where it lies
            beyond a bound, "" elsewhere. With `edge_upright` ("middle", "top") it also sets
            "textposition": at the upper bound of x to the left of the marker, else to its right.
spans       matrix [L, K] -> x = [low₀, high₀, null, low₁, high₁, null, …] from the columns `low`
            and `high`. The trace's y is constant ([y₀, y₀, null, y₁, y₁, null, …]).
ridges      count matrix [L, B], or one row [B] (65535 = everything) -> one closed path per row,
            rows parted by null, bins evenly spaced on [left, right]. With e_b the bin edges and
            y_b = base[row] + min(scale * count / 65535, limit): (e_0, base), (e_0, y_0),
            (e_1, y_0), (e_1, y_1), (e_2, y_1) … (e_B, y_(B-1)), (e_B, base), (e_0, base), null.
            Neighbouring bins of equal height may share one segment. Sets x and y (fill is
            "toself"). Where rows stand side by side, `left` and `right` have one end for each.
heat        matrix -> z, an array of rows, as drawn numbers.
text        vector field[index], times `scale`, written in `format` into the trace's text array
            from place `at` on; the places before and after stay. `template` holds the number as
            "{value}"
            ("{value} beyond 1000"). With `blank_zero` an exact 0 gives "", and so does a size below
            `least`. `nonfinite`, unless null, stands alone for a number that is not finite.
series      x = steps, y = drawn numbers of the scalar field[index] over kept frames and live ones,
            in order of step: each value once, at the step at which it was measured, whichever
            frames carry it along. Non-finite points are null (the line ends; `labels` says so).
            Thinned to at most `points` points: cut the steps into points/2 equal buckets, keep each
            bucket's smallest and largest y in order of step; always the first and last point.
            Beyond `points`, no point within 50 steps of a break or of one of the newest changes is
            left out. Between two points with a step between them that the run has passed while
            nobody looked stands (null, null): no line is drawn from one to the other. With `across`
            = {"by": "$<selector>", "fields": [one for each of its options]} x is, in place of a
            step, the number that the chosen field had at that step; "" is the steps.
band        the area between the lines of the traces `low` and `high`, which are series: a closed
            path for each stretch of steps over which both lines go on, parted by null. Sets x and y
            (fill is "toself").
labels      one text trace, one point per item of `of` ({"field", "index", "text"}): x = step and
            y = drawn number of the last finite point of that field over time, text = the item's.
            If the newest value is non-finite the text is `lost` with "{text}" and "{step}" (step of
            the last finite point) filled in; `lost_short` where that would end beyond the figure.
            An item that `may_end` keeps its text.
            On screen the y positions are pushed apart so that no two are closer than `gap` pixels
            (order kept, centre of a pushed group kept where the axis has room for it). Where the
            newest value lies beyond `clip`, its number follows in brackets: "without BN (3e9)".
            `across` of an item is that of its series.
marks       vertical lines: x = [s, s, null, …], y = [0, top, null, …], text = ["", label, "", …]
            on the overlay axis 0…1; a `top` below 1 makes the line shorter and its label lower, so
            that labels of networks that break together do not lie on each other.
            of="changes": one line per live change, label = the templates of `labels` by knob name,
            {old} and {new} written as "number", joined by ", "; {old} is the knob's value before:
            from earlier changes, else from the run's initial config; if that is not known either
            the template of `labels_new` is used. A knob without template gives no label. A change
            of learning_rates (a list, or null) gives "learning_rates" with {network} (from
            `networks`, in order), {old}, {new} for each rate that changed.
            of="<network>": one line at that network's break, if any; label = labels["break"].
            A label that would run into its right-hand neighbour (6.5 px a character) is blanked,
            newest placed first; the line stays.
cursor      x = [step, step] while a step other than the newest is shown, else [null, null]. The
            browser may draw it as an overlay instead and leave the trace empty.
state       while the network's state is a key of `when`, its attributes {"line.color": …} are set;
            otherwise those of `otherwise`. Applied only when the state changes.
statetext   writes into the trace's text array at place `at`: the template of `when` for the
            network's state, "" for other states. {broke_step} is the step of its `broke`;
            {stopped_step} is `networks.<norm>.stopped`, the step at which the network became
            non-finite and stopped (where that is null, the step of `broke`).
rows        no trace: tells the browser where layers stand on the y axis `axis`: `centres` (y of
            each row, layer 1 first), `half` (half a row's height) and `names`. Hovering one of
            these rows lights it across the whole figure (an overlay, no redraw).
callout     no trace: once the network has broken, and the rule names one of `rows`, the page points
            at that row of the axes `x` and `y` and says the template of `words` for the rule that
            fired, with the row's name for "{layer}"; where there is none, nothing. The words stand
            on the side on which they cover less of the histogram `field`.

Layers drawn as nodes have some more, in `bnviz.charts.nodes`. Formats are those of
`bnviz.words.numbers`.
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
    """One line of a chart's list; the kinds below say what it does."""

    @property
    def kind(self) -> str:
        """The kind's name in JSON."""
        return type(self).__name__.lower()

    def to_json(self) -> Attributes:
        """The binding as plain values, `kind` first."""
        return {"kind": self.kind, **asdict(self)}


Bindings = list[Binding]


@dataclass(frozen=True, kw_only=True)
class Measured(Binding):
    """A binding that reads one field into one trace."""

    trace: int
    field: str
    index: str | None = None


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """The conversion of measured numbers to drawn ones."""

    transform: Literal["asinh"] | None = None
    scale: float = 1.0
    clip: Clip | None = None


@dataclass(frozen=True, kw_only=True)
class Array(Measured, Drawn):
    """A vector of numbers into one attribute of a trace."""

    attr: str
    over: str | None = None
    edges: Mapping[str, str] | None = None
    edge_format: Format | None = None
    edge_upright: str | None = None


def edge_marks(inside: str, *, upward: bool = False) -> dict[str, str]:
    """`edges` of an array: a marker, and triangles for what lies beyond its axis."""
    low, high = ("down", "up") if upward else ("left", "right")
    return {"low": f"triangle-{low}", "inside": inside, "high": f"triangle-{high}"}


@dataclass(frozen=True, kw_only=True)
class Spans(Measured):
    """Two columns of a matrix into segments along x."""

    low: int
    high: int
    clip: Clip | None = None


@dataclass(frozen=True, kw_only=True)
class Ridges(Measured):
    """Rows of counts into closed step outlines, each scaled to its own peak.

    Attributes:
        base: y of each row.
        left, right: x of all rows, or of each.
        height: of the highest bin of a row.
        peaks: fields of the same shape and index; a row's peak is the largest count in all of them.
    """

    base: Sequence[float]
    left: float | Sequence[float]
    right: float | Sequence[float]
    height: float
    peaks: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Heat(Measured):
    """A matrix into the z of a heat map."""

    scale: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Text(Measured):
    """A vector of numbers, written as a person would, into a trace's text."""

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
    """What points stand over in place of steps: a field for each option of a selector."""

    by: str
    fields: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Series(Measured, Drawn):
    """One number over time; `may_end`: it is not finite at times, and nothing is lost then."""

    points: int = 400
    across: Across | None = None
    may_end: bool = False


@dataclass(frozen=True, kw_only=True)
class Band(Binding):
    """The area between two lines."""

    trace: int
    low: int
    high: int


@dataclass(frozen=True, kw_only=True)
class Label(Drawn):
    """The words at the end of one line; `may_end`: see `Series`."""

    field: str
    text: str
    index: str | None = None
    across: Across | None = None
    may_end: bool = False


@dataclass(frozen=True, kw_only=True)
class Labels(Binding):
    """Words at the ends of lines, kept apart."""

    trace: int
    of: Sequence[Label]
    lost: str
    lost_short: str = "{text}"
    gap: float = 14.0


@dataclass(frozen=True, kw_only=True)
class Marks(Binding):
    """Vertical lines at live changes, or at one network's break."""

    trace: int
    of: str
    labels: Mapping[str, str]
    top: float = 1.0
    labels_new: Mapping[str, str] = field(default_factory=dict)
    networks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Cursor(Binding):
    """The one time cursor."""

    trace: int


@dataclass(frozen=True, kw_only=True)
class State(Binding):
    """Attributes that follow a network's state."""

    trace: int
    network: str
    when: Mapping[str, Mapping[str, Any]]
    otherwise: Mapping[str, Any]


def grey(network: str, trace: int, alive: Attributes, dead: Attributes) -> State:
    """A trace looks `alive`, and `dead` once its network has diverged."""
    return State(trace=trace, network=network, when={"diverged": dead}, otherwise=alive)


@dataclass(frozen=True, kw_only=True)
class StateText(Binding):
    """Words that follow a network's state."""

    trace: int
    network: str
    at: int
    when: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Rows(Binding):
    """Where the layers stand, for lighting one of them."""

    axis: str
    centres: Sequence[float]
    half: float
    names: Sequence[str]


def rows(axis: str, names: Sequence[str]) -> Rows:
    """Rows that stand at 1, 2, 3 …, each as high as one."""
    centres = [float(row) for row in range(1, len(names) + 1)]
    return Rows(axis=axis, centres=centres, half=0.5, names=names)


@dataclass(frozen=True, kw_only=True)
class Callout(Binding):
    """Tints of rows, and a mark at the one in which a network broke.

    Attributes:
        field: share of each row's values in the flat zone; a row in which most are there is tinted.
        x, y: axes of the network's rows.
        base: where a row begins, from its middle.
        rows: names of the rows.
        words: sentences about the row that broke first, by the reason.
        first: the word beside that row; "": there is no room for one.
        beside: how many pixels right of the rows it stands.
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
