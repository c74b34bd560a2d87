"""Chart templates: figures without values, shared by all runs with the same charts."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bnviz.charts import CHARTS, ChartEntry, ChartView
from bnviz.charts.chart import chart_texts
from bnviz.charts.theme import PAPER, PRESENTATION_TYPE, theme
from bnviz.config import RunConfig
from bnviz.data import DATASETS
from bnviz.live.web.templates import Templates, offer, pack
from bnviz.presets import DEFAULT_PRESET, PRESETS
from bnviz.words.texts import ENGLISH, current_language

HOME_CHARTS = ("stacks",)


def chart_ids(
    config: RunConfig,
    names: tuple[str, ...] | None,
    labels: tuple[tuple[str, str], ...],
    *,
    dark: bool,
    large_type: bool,
) -> dict[str, str]:
    """Return the ids of a view's chart templates for each minimum window width in pixels."""
    structure, spoken = _structure(config), current_language()
    sizes = PRESENTATION_TYPE if large_type else {0: 0}
    return {
        str(least): offer(build_charts(structure, dark, size, names, spoken, labels))
        for least, size in sizes.items()
    }


def home_charts() -> Templates:
    return build_charts(_structure(RunConfig()), False, 0, HOME_CHARTS, current_language(), ())


def picture_ids(
    config: RunConfig, name: str, labels: tuple[tuple[str, str], ...]
) -> dict[str, dict[str, Any]]:
    """Template `id` and `colours` of a picture in large type, by theme ("light", "dark")."""
    structure, spoken, found = _structure(config), current_language(), {}
    for dark in (False, True):
        templates = build_charts(
            structure, dark, min(PRESENTATION_TYPE.values()), (name,), spoken, labels
        )
        text = {norm: style.text for norm, style in theme(dark).networks(config.norms).items()}
        colours = {**palette(dark), "text": text}
        found["dark" if dark else "light"] = {"id": offer(templates), "colours": colours}
    return found


def network_colours(norms: Sequence[str], *, dark: bool) -> dict[str, dict[str, str]]:
    """Chart colours by norm; `norms` lists all networks that are shown together, in order."""
    return {
        norm: {"line": style.line, "text": style.text, "dash": style.dash}
        for norm, style in theme(dark).networks(norms).items()
    }


def palette(dark: bool) -> dict[str, str]:
    return {"paper": PAPER[dark], "ink": theme(dark).ink, "muted": theme(dark).muted}


def _structure(config: RunConfig) -> RunConfig:
    """Reset settings that templates ignore; keep the seed if charts draw the data set's points."""
    default = RunConfig()
    same = ["learning_rate", "rate_factors", "momentum", "weight_decay"]
    same += [] if DATASETS[config.dataset].plane else ["seed"]
    # Use the smallest batch, because a large network may not be allowed with a larger batch.
    knobs = {name: getattr(default, name) for name in same}
    return config.replace(learning_rates=None, batch_size=1, **knobs)


@functools.lru_cache(maxsize=64)
def build_charts(
    config: RunConfig,
    dark: bool,
    large_type: int,
    names: tuple[str, ...] | None,
    spoken: str,
    labels: tuple[tuple[str, str], ...],
) -> Templates:
    """Return the templates of the charts that fit a config, by group ("main", "more", "stage").

    Args:
        large_type: Smallest type size of the presentation view in pixels, or 0 for normal type.
        names: Names of the charts, in order, or None for the lab's charts.
        labels: Pairs (norm, name) that replace the usual names of networks.
    """
    data = DATASETS[config.dataset]
    words = chart_texts(spoken)
    own = {norm: {**words["norms"][norm], "network": name, "short": name} for norm, name in labels}
    view = ChartView(
        config=config, texts={**words, "norms": {**words["norms"], **own}}, dark=dark,
        classes=data.classes, features=data.features, large_type=large_type,
    )  # fmt: skip
    groups: dict[str, list[dict[str, Any]]] = {"main": [], "more": [], "stage": []}
    if names is not None:
        built = [CHARTS[name].build(view) for name in names if CHARTS[name].fits(config)]
        groups["main"] = [{**chart.to_json(), "switch": None} for chart in built]
    for entry in CHARTS.values():
        if not entry.fits(config):
            continue
        if entry.group in ("main", "more") and names is None:
            groups[entry.group].append(entry.build(view).to_json())
        elif entry.group == "stage" and large_type:
            groups["stage"] += [_of_one(entry, view, norm) for norm in config.norms]
    return pack(groups)


def _of_one(entry: ChartEntry, view: ChartView, norm: str) -> dict[str, Any]:
    """Template of a chart of one network, named after the chart and the network."""
    chart = entry.build(replace(view, only=norm))
    return replace(chart, name=f"{chart.name}_{norm}").to_json() | {"network": norm}


def prepare_charts(names: tuple[str, ...] | None = None) -> None:
    """Build the default run's chart templates before the first visitor arrives."""
    config = _structure(PRESETS[DEFAULT_PRESET].config())
    for dark in (False, True):
        offer(build_charts(config, dark, 0, names, ENGLISH, ()))
