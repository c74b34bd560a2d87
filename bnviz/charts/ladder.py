"""Static bar chart of the steps that each network needed in each run, with ranges over seeds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from bnviz.charts.chart import ChartView
from bnviz.charts.panels import add_trace, widest
from bnviz.charts.theme import Attributes
from bnviz.planned_runs.comparison import Comparison, ComparisonResult, VariedValue
from bnviz.words.numbers import write

# Height of a bar with the gap below it, and gap between two runs, as multiples of the type size.
BAR, APART = 1.55, 0.75
# Minimum length of the axis, as a multiple of the longest bar. `AHEAD` leaves space for one number
# after the bar, and `AHEAD_RANGE` for three numbers.
AHEAD, AHEAD_RANGE = 1.25, 1.7
# Share of `BAR` that is filled; the rest is the gap.
FILLED = 0.8
NEVER_OPACITY = 0.13


@dataclass(frozen=True)
class Bar:
    """Result of one network in one run, over one or several seeds.

    Attributes:
        value: varied setting of the run.
        reached: step at which each seed reached the target accuracy, or None if it did not.
    """

    value: VariedValue
    norm: str
    reached: tuple[int | None, ...]
    last_step: int

    @property
    def arrived(self) -> list[int]:
        return [step for step in self.reached if step is not None]

    @property
    def middle(self) -> float | None:
        """Return the median over seeds, or None if the median seed did not reach the target."""
        found = statistics.median_low([math.inf if s is None else s for s in self.reached])
        return None if math.isinf(found) else found


@dataclass(frozen=True)
class GuessedBar:
    """Reader's guess for a bar; `steps` is None if the network is guessed to miss the target."""

    value: VariedValue
    norm: str
    steps: float | None
    text: str


def bars_of(results: Sequence[ComparisonResult]) -> list[Bar]:
    """Return the bars of finished runs; the results have the same settings and one seed each."""
    comparison = results[-1].comparison
    found = []
    for place, value in enumerate(comparison.settings):
        for norm in comparison.norms:
            reached = tuple(
                result.members[place].curves[norm].reached
                for result in results if len(result.members) > place
            )  # fmt: skip
            if reached:
                found.append(Bar(value, norm, reached, comparison.plan.last_step))
    return found


def build_ladder(
    results: Sequence[ComparisonResult],
    view: ChartView,
    names: Mapping[VariedValue, str],
    words: Mapping[str, str],
    guess: GuessedBar | None = None,
    asked: tuple[VariedValue, str] | None = None,
) -> go.Figure:
    """Draw one bar per network and run, with an empty place for a run that has not finished.

    Args:
        results: results of the same settings, one per seed; the last result may be incomplete.
        asked: run and network of the bar to guess. Its place is marked until it has a bar or guess.
    """
    comparison, figure, notes = results[-1].comparison, go.Figure(), list[Attributes]()
    bars = bars_of(results)
    most = _axis_end(bars, guess, comparison.plan.last_step)
    rows = _rows(results[-1])
    for bar in bars:
        style, never, text = view.styles[bar.norm], bar.middle is None, _bar_text(bar, words)
        low, high = (end(bar.arrived, default=0) for end in (min, max))
        spread = len(bar.arrived) > 1 and not never
        add_trace(figure, go.Bar(
            x=[most if bar.middle is None else bar.middle], y=[rows[bar.value, bar.norm]],
            orientation="h", width=FILLED * BAR, hoverinfo="skip",
            # The bar of a network that never reached the target is pale and has no outline.
            marker={"color": style.alpha(NEVER_OPACITY if never else 0.5),
                    "line": {"color": style.line, "width": 0 if never else 1.5}},
            text=[text], constraintext="none", cliponaxis=False,
            textposition="inside" if never else "none", insidetextanchor="start",
            textangle=0, textfont={"color": style.text, "size": view.sizes.base},
            error_x={"type": "data", "symmetric": False, "visible": spread,
                     "array": [high - (bar.middle or 0)],
                     "arrayminus": [(bar.middle or 0) - low],
                     "color": style.line, "thickness": 1.5, "width": 4},
        ))  # fmt: skip
        if not never:
            notes.append(
                view.note(text, style.text, view.sizes.base, x=high, y=rows[bar.value, bar.norm],
                          xanchor="left", xshift=7)
            )  # fmt: skip
    if asked in rows and guess is None and asked not in {(bar.value, bar.norm) for bar in bars}:
        colour = view.styles[asked[1]].text
        notes.append(
            view.note("<b>?</b>", colour, view.sizes.heading, x=0, y=rows[asked], xanchor="left",
                      xshift=6)
        )  # fmt: skip
    shapes = list[Attributes]()
    if guess is not None:
        at, end = rows[guess.value, guess.norm], most if guess.steps is None else guess.steps
        shapes.append({
            "type": "rect", "x0": 0, "x1": end, "y0": at - BAR / 2, "y1": at + BAR / 2,
            "layer": "above", "line": {"color": view.theme.ink, "width": 1.5, "dash": "4px,3px"},
        })  # fmt: skip
        notes.append(view.note(guess.text, view.theme.ink, x=end, y=at, xshift=-6, xanchor="right"))
    layout = _layout(view, comparison, names, rows, most, words)
    figure.layout = view.layout(**layout, annotations=notes, shapes=shapes)
    return figure


def _rows(result: ComparisonResult) -> dict[tuple[VariedValue, str], float]:
    """Return the y position of each bar, in multiples of the type size, downwards from 0."""
    norms, found, at = result.comparison.norms, {}, 0.0
    for value in result.comparison.settings:
        for norm in norms:
            found[value, norm] = -at - BAR / 2
            at += BAR
        at += APART
    return found


def _axis_end(bars: Sequence[Bar], guess: GuessedBar | None, last_step: int) -> float:
    """Return the end of the step axis: the last step, or more if bars or the guess need space."""
    arrived = [step for bar in bars for step in bar.arrived]
    if guess is not None and guess.steps is not None:
        arrived.append(round(guess.steps))
    several = any(len(bar.reached) > 1 for bar in bars)
    return max(last_step, (AHEAD_RANGE if several else AHEAD) * max(arrived, default=0))


def _bar_text(bar: Bar, words: Mapping[str, str]) -> str:
    missed = len(bar.reached) - len(bar.arrived)
    values = {
        "steps": write(bar.middle or 0, "count"), "last": write(bar.last_step, "count"),
        "low": write(min(bar.arrived, default=0), "count"),
        "high": write(max(bar.arrived, default=0), "count"),
        "missed": str(missed), "seeds": str(len(bar.reached)),
    }  # fmt: skip
    if bar.middle is None:
        return words["bar_never" if missed == len(bar.reached) else "bar_mostly_never"].format(
            **values
        )
    if missed:
        return words["bar_sometimes"].format(**values)
    key = "bar_range" if len(set(bar.arrived)) > 1 else "bar"
    return words[key].format(**values)


def _layout(
    view: ChartView, comparison: Comparison, names: Mapping[VariedValue, str],
    rows: Mapping[tuple[VariedValue, str], float], most: float, words: Mapping[str, str],
) -> Attributes:  # fmt: skip
    labels = [names.get(value, str(value)) for value in comparison.settings]
    places = [
        sum(rows[value, norm] for norm in view.norms) / len(view.norms)
        for value in comparison.settings
    ]
    deep = -min(rows.values()) + BAR / 2
    bottom, top = view.foot, 6
    left = round(widest(labels, view.sizes.base)) + 12
    title = words["reaches"].format(until=write(comparison.target_accuracy or 0, "percent0"))
    return {
        "height": round(deep * view.sizes.base) + top + bottom, "dragmode": False,
        "barmode": "overlay", "margin": {"l": left, "r": 12, "t": top, "b": bottom},
        "xaxis": view.axis(title, range=[0, most], nticks=6, fixedrange=True),
        "yaxis": view.axis(
            range=[-deep, 0], fixedrange=True, showgrid=False, tickmode="array", tickvals=places,
            ticktext=labels, tickfont={"color": view.theme.ink, "size": view.sizes.base},
        ),
    }  # fmt: skip
