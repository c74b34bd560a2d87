"""Results of a comparison on a page: charts, sentences and a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from bnviz.charts.chart import PLOTLY_CONFIG, ChartView, chart_texts
from bnviz.charts.ratios import build_ratios
from bnviz.charts.series import build_curves, build_outcome, value_text
from bnviz.config import RunConfig
from bnviz.data import DATASETS
from bnviz.planned_runs.comparison import ComparisonResult
from bnviz.planned_runs.gauges import ABOVE, BELOW, Ratios
from bnviz.ui.html import Markup, tag
from bnviz.words.joining import clauses, in_list, sentences
from bnviz.words.numbers import Format, write
from bnviz.words.texts import texts


def chart_view(config: RunConfig) -> ChartView:
    data = DATASETS[config.dataset]
    return ChartView(
        config=config, texts=chart_texts(), dark=st.context.theme.type == "dark",
        classes=data.classes, features=data.features,
    )  # fmt: skip


class ComparisonResults:
    """Results of at least one run of a comparison; `axis` names the setting that varies."""

    def __init__(self, result: ComparisonResult, axis: str) -> None:
        self.result, self.axis, self.words = result, axis, texts("series")
        self.comparison, self.members = result.comparison, result.members

    @cached_property
    def view(self) -> ChartView:
        return chart_view(self.comparison.first)

    @cached_property
    def _target(self) -> str:
        until = self.comparison.target_accuracy
        return "" if until is None else write(until, "percent0")

    def draw(self) -> None:
        ratios = self.comparison.ratios
        if ratios is not None:
            self._draw_ratios(ratios)
        else:
            self._draw_accuracies()
        st.html(tag("p", self._sentence()))
        if self.comparison.learned is not None:
            st.html(tag("p", self.who_learned()))
        with st.expander(self.words["table"]):
            st.html(self._table())

    def _draw_chart(self, name: str, title: str, figure: go.Figure) -> None:
        st.html(tag("p", title, class_="series-title"))
        key = f"series_{name}_{self.comparison.name}"
        st.plotly_chart(figure, key=key, theme=None, config=PLOTLY_CONFIG)

    def _draw_accuracies(self) -> None:
        """Draw two charts: accuracy against steps for all runs, and the final results."""
        outcome = self.words["outcome_race" if self.comparison.races else "outcome"]
        reaches = self.words["reaches"].format(until=self._target)
        curves = build_curves(self.result, self.view)
        self._draw_chart("curves", self.words["curves"].format(axis=self.axis), curves)
        ends = build_outcome(self.result, self.view, self.axis, reaches)
        self._draw_chart("outcome", outcome, ends)

    def _draw_ratios(self, ratios: Ratios) -> None:
        """Draw each ratio of measured quantities, and the number of runs in which it is below 1."""
        words, gauges = self.words["ratios"], self.words["gauges"]
        networks = {
            "above": self.view.label(ABOVE), "below": self.view.label(BELOW)
        }  # fmt: skip
        steps = in_list(write(step, "count") for step in ratios.steps)
        figure = build_ratios(self.result, self.view, gauges, words["axis"].format(**networks))
        self._draw_chart("ratios", words["title"].format(**networks, steps=steps), figure)
        said = []
        for gauge in ratios.gauges:
            found = [each.ratios[gauge] for each in self.members]
            smaller = [ratio < 1 for ratio in found if ratio is not None]
            less, count = sum(smaller), len(smaller)
            said.append(
                words["turns"].format(
                    gauge=gauges[gauge], less=less, more=count - less, count=count, **networks
                )
            )
        st.html(tag("p", sentences(said)))

    def _sentence(self) -> str:
        parts, races = [], self.comparison.races
        values: dict[str, Any]
        for norm in self.comparison.norms:
            if races:
                arrived = sum(each.curves[norm].reached is not None for each in self.members)
                key, values = "arrivals", {"arrived": arrived, "count": len(self.members)}
            else:
                ends = self.result.ends(norm)
                low, high = (write(end(ends), "percent0") for end in (min, max))
                key = "one_end" if low == high else "network_ends"
                values = {"low": low, "high": high, "end": low}
            parts.append(self.words[key].format(network=self.view.label(norm), **values))
        sentence: str = self.words["arrived" if races else "ends"]
        return sentence.format(networks=in_list(parts), until=self._target)

    def who_learned(self) -> str:
        """Sentence that lists, per network, the runs in which it learned."""
        parts, count = [], len(self.members)
        for norm in self.comparison.norms:
            found = self.result.learned(norm)
            key = "learned_at" if len(found) < count else "learned_all"
            words: str = self.words[key if found else "learned_none"]
            values = in_list(map(value_text, found))
            parts.append(words.format(network=self.view.label(norm), values=values, count=count))
        sentence: str = self.words["learned"]
        return sentence.format(axis=self.axis, networks=clauses(parts))

    def _columns(self) -> Iterator[tuple[str, Sequence[str]]]:
        """Columns of the table after the first: a heading, and one cell per run."""
        words, own, ratios = self.words, self.words["ratios"], self.comparison.ratios
        for norm in self.comparison.norms:
            network, curves = self.view.label(norm), [each.curves[norm] for each in self.members]
            lasts = [write(curve.last, "percent1") for curve in curves]
            yield words["accuracy"].format(network=network), lasts
            if self.comparison.races:
                yield (
                    words["arrival"].format(network=network, until=self._target),
                    [_or(curve.reached, "count", words["never"]) for curve in curves],
                )
        for gauge in ratios.gauges if ratios is not None else ():
            found, missing = (
                [each.ratios[gauge] for each in self.members],
                words["ratios"]["missing"],
            )
            head = own["column"].format(gauge=words["gauges"][gauge])
            yield head, [_or(ratio, "number3", missing) for ratio in found]

    def _table(self) -> Markup:
        heads, columns = zip(*self._columns(), strict=True)
        head = tag("tr", *(tag("th", text, scope="col") for text in (self.axis, *heads)))
        rows = [
            tag(
                "tr",
                tag("th", value_text(each.value), scope="row"),
                *(tag("td", text) for text in cells),
            )
            for each, *cells in zip(self.members, *columns, strict=True)
        ]
        table = tag("table", tag("thead", head), tag("tbody", *rows), class_="series-table")
        # A table of ratios may be too wide. The attribute `tabindex` lets the keyboard scroll it.
        wide = self.comparison.ratios is not None
        return tag("div", table, class_="series-wide", tabindex="0" if wide else None)


def _or(value: float | None, style: Format, missing: str) -> str:
    return missing if value is None else write(value, style)
