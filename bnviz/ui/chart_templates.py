"""Templates of charts: figures without values, made once for all runs with the same charts."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bnviz.charts import CHARTS, ChartEntry, ChartView
from bnviz.charts.chart import chart_texts
from bnviz.charts.theme import HALL, PAPER, theme
from bnviz.config import RunConfig
from bnviz.data import DATASETS
from bnviz.live.web.templates import Templates, offer, pack
from bnviz.presets import DEFAULT_PRESET, PRESETS
from bnviz.words.texts import ENGLISH, current_language

# The charts of the home page.
HOME_CHARTS = ("stacks",)


def chart_ids(
    config: RunConfig,
    names: tuple[str, ...] | None,
    labels: tuple[tuple[str, str], ...],
    *,
    dark: bool,
    hall: bool,
) -> dict[str, str]:
    """The ids under which browsers ask for the templates of a view's charts.

    Args:
        config: the run's.
        names: these charts, in this order; None: those of the lab.
        labels: (norm, name) of networks that have another name here.
        dark: the theme.
        hall: whether type is large; its size then depends on the window.

    Returns:
        Ids by the least width of the window, in pixels, for which the charts are made.
    """
    structure, spoken = _structure(config), current_language()
    sizes = HALL if hall else {0: 0}
    return {
        str(least): offer(build_charts(structure, dark, size, names, spoken, labels))
        for least, size in sizes.items()
    }


def home_charts() -> Templates:
    """The templates of the home page's charts in the current language, in light colours."""
    return build_charts(_structure(RunConfig()), False, 0, HOME_CHARTS, current_language(), ())


def picture_ids(
    config: RunConfig, name: str, labels: tuple[tuple[str, str], ...]
) -> dict[str, dict[str, Any]]:
    """What a picture of a chart is made of: its templates for large type, light and dark.

    Args:
        config: the run's.
        name: of the chart; it has to fit the run.
        labels: as for `chart_ids`.

    Returns:
        By "light" and "dark", the `id` of its templates and the `colours` of the picture.
    """
    structure, spoken, found = _structure(config), current_language(), {}
    for dark in (False, True):
        templates = build_charts(structure, dark, min(HALL.values()), (name,), spoken, labels)
        text = {norm: style.text for norm, style in theme(dark).networks(config.norms).items()}
        colours = {**palette(dark), "text": text}
        found["dark" if dark else "light"] = {"id": offer(templates), "colours": colours}
    return found


def network_colours(norms: Sequence[str], *, dark: bool) -> dict[str, dict[str, str]]:
    """The colours of networks as in charts, by norm.

    Args:
        norms: of all networks that are shown together, in order.
        dark: the theme.
    """
    return {
        norm: {"line": style.line, "text": style.text, "dash": style.dash}
        for norm, style in theme(dark).networks(norms).items()
    }


def palette(dark: bool) -> dict[str, str]:
    """The colours of a picture besides those of networks."""
    return {"paper": PAPER[dark], "ink": theme(dark).ink, "muted": theme(dark).muted}


def _structure(config: RunConfig) -> RunConfig:
    """A config without what the templates do not depend on: live knobs, and mostly the seed.

    The seed counts where a chart draws the points of a plane, which it decides.
    """
    default = RunConfig()
    same = ["learning_rate", "rate_factors", "momentum", "weight_decay"]
    same += [] if DATASETS[config.dataset].plane else ["seed"]
    # The smallest batch: with a larger one than the run's a large network may not be allowed.
    knobs = {name: getattr(default, name) for name in same}
    return config.replace(learning_rates=None, batch_size=1, **knobs)


@functools.lru_cache(maxsize=64)
def build_charts(
    config: RunConfig,
    dark: bool,
    large: int,
    names: tuple[str, ...] | None,
    spoken: str,
    labels: tuple[tuple[str, str], ...],
) -> Templates:
    """The templates of the charts that fit a config, by group ("main", "more", "stage").

    Args:
        config: the run's, without what its templates do not depend on.
        dark: the theme.
        large: the smallest type for a hall, in pixels; 0 for a desk.
        names: these charts, in this order; None: those of the lab.
        spoken: the language of their words.
        labels: (norm, name) of networks that have another name here.
    """
    data = DATASETS[config.dataset]
    words = chart_texts(spoken)
    own = {norm: {**words["norms"][norm], "network": name, "short": name} for norm, name in labels}
    view = ChartView(
        config=config, texts={**words, "norms": {**words["norms"], **own}}, dark=dark,
        classes=data.classes, features=data.features, large=large,
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
        elif entry.group == "stage" and large:
            groups["stage"] += [_of_one(entry, view, norm) for norm in config.norms]
    return pack(groups)


def _of_one(entry: ChartEntry, view: ChartView, norm: str) -> dict[str, Any]:
    """The template of a chart of one network, named after chart and network."""
    chart = entry.build(replace(view, only=norm))
    return replace(chart, name=f"{chart.name}_{norm}").to_json() | {"network": norm}


def prepare_charts(names: tuple[str, ...] | None = None) -> None:
    """Make the templates of the first page's charts before the first visitor comes.

    Args:
        names: of the charts; None: those of the lab.
    """
    config = _structure(PRESETS[DEFAULT_PRESET].config())
    for dark in (False, True):
        offer(build_charts(config, dark, 0, names, ENGLISH, ()))
