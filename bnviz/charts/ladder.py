"""A ladder: how many steps each network of each run needed, a bar each; whiskers over seeds.

A still picture, drawn anew for each run that has ended; no frame fills it.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from bnviz.charts.chart import ChartView
from bnviz.charts.panels import add_trace, widest
from bnviz.charts.theme import Attributes
from bnviz.planned_runs.comparison import Comparison, ComparisonResult, Value
from bnviz.words.numbers import write

# Heights in sizes of type: of a bar with the room below it, and between two runs.
BAR, APART = 1.55, 0.75
# How far ahead of the longest bar the axis ends at least: room for a number at its end, and for
# three.
AHEAD, AHEAD_RANGE = 1.25, 1.7
# The part of a bar's room that it fills.
FILLED = 0.8
NEVER_OPACITY = 0.13


@dataclass(frozen=True)
class Bar:
    """One network in one run, of one seed or several.

    Attributes:
        value: of the run.
        norm: the network.
        reached: the steps at which it arrived, a seed each; None: it did not.
        last_step: until which it was tried.
    """

    value: Value
    norm: str
    reached: tuple[int | None, ...]
    last_step: int

    @property
    def arrived(self) -> list[int]:
        """The steps of those seeds in which it arrived."""
        return [step for step in self.reached if step is not None]

    @property
    def middle(self) -> float | None:
        """The median over seeds, where one without an arrival is longer than any; None: that."""
        found = statistics.median_low([math.inf if s is None else s for s in self.reached])
        return None if math.isinf(found) else found


@dataclass(frozen=True)
class GuessedBar:
    """The bar that a reader has guessed.

    Attributes:
        value, norm: of which bar.
        steps: how long; None: without an arrival.
        text: stands at its end.
    """

    value: Value
    norm: str
    steps: float | None
    text: str


def bars_of(results: Sequence[ComparisonResult]) -> list[Bar]:
    """The bars of runs that have ended, in order.

    Args:
        results: of the same settings, a seed each.
    """
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
    names: Mapping[Value, str],
    words: Mapping[str, str],
    guess: GuessedBar | None = None,
    asked: tuple[Value, str] | None = None,
) -> go.Figure:
    """A bar a network and run; those that have not run yet have their place.

    Args:
        results: of the same settings, a seed each; the last may be at an early run.
        view: what the page knows.
        names: of the runs, by value.
        words: `series.toml`.
        guess: a bar that was guessed, drawn as an outline.
        asked: the run and the network of the bar that is asked for; marked as long as there is
            neither the bar nor a guess.
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
            # If the accuracy is never reached, the bar is pale and open at the edge.
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


def _rows(result: ComparisonResult) -> dict[tuple[Value, str], float]:
    """Where each bar stands, in sizes of type from the top down."""
    norms, found, at = result.comparison.norms, {}, 0.0
    for value in result.comparison.settings:
        for norm in norms:
            found[value, norm] = -at - BAR / 2
            at += BAR
        at += APART
    return found


def _axis_end(bars: Sequence[Bar], guess: GuessedBar | None, last_step: int) -> float:
    """The end of the axis of steps: the last one, or ahead of every arrival and of the guess."""
    arrived = [step for bar in bars for step in bar.arrived]
    if guess is not None and guess.steps is not None:
        arrived.append(round(guess.steps))
    several = any(len(bar.reached) > 1 for bar in bars)
    return max(last_step, (AHEAD_RANGE if several else AHEAD) * max(arrived, default=0))


def _bar_text(bar: Bar, words: Mapping[str, str]) -> str:
    """How long a bar is, in words."""
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
    view: ChartView, comparison: Comparison, names: Mapping[Value, str],
    rows: Mapping[tuple[Value, str], float], most: float, words: Mapping[str, str],
) -> Attributes:  # fmt: skip
    """The figure's size, and its axes of steps and of runs."""
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
