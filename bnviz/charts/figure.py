"""Charts of the app as Plotly figures, filled with the values of snapshots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Real

import plotly.graph_objects as go

from bnviz.charts import CHARTS, ChartEntry
from bnviz.charts.binding import Cursor, MeasuredBinding, Series
from bnviz.charts.callouts import callouts
from bnviz.charts.chart import Chart, ChartView, Selector, chart_texts
from bnviz.charts.filling import Filling, Scene
from bnviz.charts.panels import NARROWEST, axis_key, patched, text_width
from bnviz.charts.placing import Placement
from bnviz.charts.theme import PAPER, PRESENTATION_TYPE, Attributes
from bnviz.config import ConfigError, RunConfig
from bnviz.data import DATASETS
from bnviz.records import Snapshot
from bnviz.snapshot_order import in_order
from bnviz.words.numbers import write
from bnviz.words.phrase import integer_between, listed, one_of, phrase
from bnviz.words.texts import text

WIDTH, MOST_WIDTH = 700, 4000
# Option that selects the network of a chart that shows one network, by its norm.
NORM = "norm"
# How to measure a chart's probes, for errors. Some probes compare with the weights of earlier
# steps, and `run` saves these weights only if `keep` has their steps.
CALL = "run(config, steps=100, probes={probes})"
CALLS = {
    "cut": "run(config, steps=100, keep=(0, 50, 100), probes={probes})",
    "before_change": "run(config, steps=100, keep=(50,), probes={probes}, "
    'changes=[Change(50, {{"scale_weights": (10, None)}})])',
}
# Smallest type size of the charts that are made for the presentation view, in pixels.
LARGE_TYPE = min(PRESENTATION_TYPE.values())
# Type sizes of the title and the subtitle, their margin and line heights in pixels, and the maximum
# number of lines of the subtitle.
TITLE, SUBTITLE, EDGE = 18, 12, 12
TITLE_LINE, SUBTITLE_LINE, BELOW, MOST_LINES = 34, 16, 10, 3


def figure(
    name: str, snapshots: Snapshot | Iterable[Snapshot], *, step: int | None = None,
    width: int = WIDTH, dark: bool = False, **options: int | str,
) -> go.Figure:  # fmt: skip
    """Return a chart of the app as a Plotly figure with the measured values of a run.

    Lines over time have the values of all snapshots. All other parts show one step. If a probe was
    not measured at this step, they show its last values before.

        snapshots = list(bnviz.run(bnviz.RunConfig(), steps=100))
        bnviz.figure("jacobian", snapshots, layer=3)

    Args:
        name: Name of a chart in `bnviz.charts.CHARTS`.
        snapshots: Snapshots of one run, from `bnviz.run` or `Experiment.snapshot`.
        step: Step that is shown, by default the last.
        width: Width in pixels. The chart determines the height.
        dark: Whether to use the colours of the dark theme.
        **options: Choices that the chart offers in the app, such as `layer=3`, by their number or
            label. For a chart of one network, `norm="batch"`.

    Raises:
        ConfigError: If an argument is not allowed, the chart does not fit the run, or a probe that
            the chart draws was not measured.
    """
    if not isinstance(name, str) or name not in CHARTS:
        raise ConfigError("chart", name, one_of(CHARTS))
    low = NARROWEST["compact"]
    if not _is_number(width) or width % 1 or not low <= width <= MOST_WIDTH:
        raise ConfigError("width", width, integer_between(low, MOST_WIDTH))
    entry, taken = CHARTS[name], in_order(snapshots)
    config: RunConfig = taken[0].config
    misfit = entry.misfit(config)
    if misfit is not None:
        field, value, allowed = misfit
        raise ConfigError(field, value, phrase("errors.for_chart", allowed=allowed, chart=name))
    only = options.pop(NORM, config.norms[0]) if entry.one_network else None
    if entry.one_network and only not in config.norms:
        raise ConfigError(NORM, only, one_of(config.norms))
    view = _view(config, entry, None if only is None else str(only), dark)
    chart, shown = entry.build(view), _shown(taken, step)
    selected = dict(_selected(chart.selectors, options))
    _check_measured(name, entry, shown)
    return _filled(view, chart, Scene(taken, shown, selected), width)


def _view(config: RunConfig, entry: ChartEntry, only: str | None, dark: bool) -> ChartView:
    data = DATASETS[config.dataset]
    return ChartView(
        config=config, texts=chart_texts(), dark=dark, classes=data.classes,
        features=data.features, only=only, large_type=LARGE_TYPE if entry.one_network else 0,
    )  # fmt: skip


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _shown(snapshots: Sequence[Snapshot], step: int | None) -> Snapshot:
    """Return the snapshot of a step, with the last values of probes that were not measured then."""
    steps = [one.step for one in snapshots]
    if step is None:
        step = steps[-1]
    if not _is_number(step):
        raise ConfigError("step", step, integer_between(steps[0], steps[-1]))
    if step not in steps:
        nearest = min(steps, key=lambda each: abs(each - step))
        raise ConfigError("step", step, phrase("errors.step_of_snapshot", step=nearest))
    earlier = snapshots[: steps.index(step) + 1]
    networks = {}
    for norm, record in earlier[-1].networks.items():
        probes, measured_at = dict(record.probes), dict(record.measured_at)
        for one in reversed(earlier[:-1]):
            for probe in one.networks[norm].probes.keys() - probes.keys():
                probes[probe] = one.networks[norm].probes[probe]
                measured_at[probe] = one.networks[norm].measured_at.get(probe, one.step)
        networks[norm] = replace(record, probes=probes, measured_at=measured_at)
    return replace(earlier[-1], networks=networks)


def _selected(
    selectors: Sequence[Selector], options: Mapping[str, int | str]
) -> Iterator[tuple[str, int]]:
    """Yield each selector's name with the number of its chosen option, from 0."""
    names = [selector.name for selector in selectors]
    for name in options:
        if name not in names:
            allowed = one_of(names) if names else phrase("errors.no_options")
            raise ConfigError("option", name, allowed)
    for selector in selectors:
        chosen = options.get(selector.name, selector.options[selector.default])
        found = [place for place, label in enumerate(selector.options)
                 if chosen == label or re.findall(r"\d+", label) == [str(chosen)]]  # fmt: skip
        if not found:
            raise ConfigError(selector.name, chosen, one_of(selector.options))
        yield selector.name, found[0]


def _check_measured(name: str, entry: ChartEntry, shown: Snapshot) -> None:
    """Raise ConfigError if no network has the values of a probe that the chart draws."""
    measured = {probe for record in shown.networks.values() for probe in record.probes}
    missing = [probe for probe in entry.needs if probe not in measured]
    if missing:
        call = next((CALLS[probe] for probe in missing if probe in CALLS), CALL)
        needs = ", ".join(f'"{probe}"' for probe in entry.needs)
        allowed = phrase(
            "errors.probes_of_chart", names=listed(missing), chart=name,
            call=call.format(probes=f"({needs},)" if len(entry.needs) == 1 else f"({needs})"),
        )  # fmt: skip
        raise ConfigError("probes", tuple(sorted(measured)) or None, allowed)


def _filled(view: ChartView, chart: Chart, scene: Scene, width: int) -> go.Figure:
    template = chart.figure.to_plotly_json()
    traces = template["data"]
    layout, head = _layout(view, chart, scene, template["layout"], width)
    filling = Filling(traces, scene)
    filling.apply(chart.bindings)
    for binding in chart.bindings:
        if isinstance(binding, Cursor) and scene.shown.step < scene.newest.step:
            filling.filled[binding.trace] = {"x": [scene.shown.step] * 2}
    placement = Placement(layout, head, traces, filling)
    placement.set_ranges(set(_time_axes(chart, traces, scene)))
    placement.place_labels(chart.bindings)
    headings = layout.get("annotations", [])
    shapes, notes = callouts(view, scene, chart.bindings, placement, headings)
    layout["shapes"] = [*layout.get("shapes", []), *shapes]
    layout["annotations"] = [*headings, *notes]
    data = [patched(trace, filling.filled.get(place, {})) for place, trace in enumerate(traces)]
    return go.Figure(data=data, layout=layout)


def _layout(
    view: ChartView, chart: Chart, scene: Scene, layout: Attributes, width: int
) -> tuple[Attributes, int]:
    """Return the layout for this width and the chosen options, and the height of its title."""
    narrow = (form for form in (chart.compact, chart.medium) if form and width < form["below"])
    form = next(narrow, chart.wide)
    layout = patched(layout, dict(form.get("layout", {})))
    for selector in chart.selectors:
        if selector.layouts:
            layout = patched(layout, dict(selector.layouts[scene.selected[selector.name]]))
    lines = _subtitle_lines(_subtitle(chart, scene), width - 2 * EDGE)
    lines += _ages(chart, scene)
    names = _missing_names(view, chart, layout)
    lines += [" &nbsp; ".join(names)] if names else []
    head = TITLE_LINE + SUBTITLE_LINE * len(lines) + BELOW
    layout["margin"]["t"] += head
    title = {
        "text": f"<b>{chart.title}</b>", "x": 0, "xref": "container", "xanchor": "left",
        "y": 1, "yref": "container", "yanchor": "top", "pad": {"l": EDGE, "t": EDGE},
        "font": {"size": TITLE, "color": view.theme.ink},
        "subtitle": {"text": "<br>".join(lines),
                     "font": {"size": SUBTITLE, "color": view.theme.muted}},
    }  # fmt: skip
    height = form.get("height", chart.height) + head
    size = {"autosize": False, "width": width, "height": height}
    return layout | size | {"title": title, "paper_bgcolor": PAPER[view.dark]}, head


def _missing_names(view: ChartView, chart: Chart, layout: Attributes) -> list[str]:
    """Return the networks that the figure draws but does not name, each in its colour."""
    fields = (one.field for one in chart.bindings if isinstance(one, MeasuredBinding))
    networks = dict.fromkeys(field.partition(".")[0] for field in fields)
    words = repr((chart.figure.to_plotly_json()["data"], layout, chart.subtitle, chart.title))
    return [
        f'<b style="color:{view.styles[norm].text}">{view.label(norm)}</b>' for norm in networks
        if view.label(norm) not in words and view.short_label(norm) not in words
    ]  # fmt: skip


def _subtitle(chart: Chart, scene: Scene) -> str:
    """Return the chart's subtitle, with the step if the chart shows one."""
    step, subtitle = scene.shown.step, chart.subtitle
    of_a_step = any(
        isinstance(one, MeasuredBinding) and not isinstance(one, Series) for one in chart.bindings
    )
    if "{step}" in subtitle:
        subtitle = subtitle.replace("{step}", write(step, "count"))
    elif of_a_step:
        subtitle = f"{text('live.chart.at_step').format(step=write(step, 'count'))}, {subtitle}"
    return subtitle


def _ages(chart: Chart, scene: Scene) -> Iterator[str]:
    """Yield a note for each probe that was measured before the step shown."""
    for probe in chart.needs:
        steps = {
            record.measured_at[probe] for record in scene.shown.networks.values()
            if record.state != "diverged" and probe in record.measured_at
        }  # fmt: skip
        old = [step for step in steps if step < scene.shown.step]
        if old:
            yield text("live.chart.older").format(
                probe=text(f"probes.{probe}.short"), step=min(old)
            )


def _subtitle_lines(subtitle: str, room: float) -> list[str]:
    """Split a subtitle into lines; keep as many of the parts between semicolons as fit."""
    parts = subtitle.split("; ")
    for count in range(len(parts), 0, -1):
        lines = [""]
        for word in "; ".join(parts[:count]).split(" "):
            longer = f"{lines[-1]} {word}".strip()
            if text_width(longer, SUBTITLE) <= room:
                lines[-1] = longer
            else:
                lines.append(word)
        if len(lines) <= MOST_LINES:
            return lines
    return lines[:MOST_LINES]


def _time_axes(chart: Chart, traces: Sequence[Attributes], scene: Scene) -> Iterator[str]:
    """Yield the layout keys of the axes that show steps."""
    for binding in chart.bindings:
        if isinstance(binding, Cursor) or (
            isinstance(binding, Series) and binding.across and not scene.across(binding.across)
        ):
            yield axis_key(traces[binding.trace].get("xaxis", "x"))
