"""Card of a cell: the outcomes of its networks, and a replay of its run in a live view."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import streamlit as st

from bnviz.charts.theme import theme
from bnviz.config import RunConfig
from bnviz.live.web.security import EMBED
from bnviz.planned_runs.plan import Plan
from bnviz.sweeps.cells import Cell, CellOutcome
from bnviz.sweeps.plane import Plane
from bnviz.ui.embed import embedded
from bnviz.ui.html import Markup, tag
from bnviz.ui.knobs import format_number
from bnviz.ui.live_view import LiveViewSpec, mount_live_view
from bnviz.ui.map.tab_map import TabMap
from bnviz.ui.navigation import page_link
from bnviz.ui.tab_run import TabRun, open_page_run
from bnviz.words.headline import Headline, headline_text
from bnviz.words.joining import in_list
from bnviz.words.joining import sentences as joined
from bnviz.words.story import first_break
from bnviz.words.texts import Words, texts

RUN = "map_cell"
CHARTS = ("accuracy", "hills")
# Replay rates as (last step, steps per second): slow at first, where most changes happen.
RATES = ((30, 15.0), (100, 30.0))


def draw_card(tab_map: TabMap, found: Sequence[CellOutcome | None]) -> None:
    """Draw the card of the chosen cell, if there is one; `found` is the result of `outcomes`."""
    cell = tab_map.query.cell
    if cell is None or tab_map.query.present:
        return
    config, planes = tab_map.setting.at(*cell), tab_map.setting.planes()
    steps = planes[0].steps_of(config)
    with st.container(key="map_card"):
        with st.container(key="map_card_head", horizontal=True, vertical_alignment="top"):
            st.html(
                tag(
                    "h2", _title(tab_map, config), class_="map-cell", data_side=_side(tab_map, cell)
                )
            )
            st.button(_words()["close"], key="map_close", on_click=tab_map.choose, args=(None,))
        cards = st.container(key="map_outcomes")
        run = _replay(tab_map, config, steps)
        with cards:
            if tab_map.setting.seeds > 1:
                st.caption(_words()["first_seed"].format(seed=config.seed))
            for index, (plane, outcome) in enumerate(zip(planes, found, strict=True)):
                # Say only once that this setting was not measured on the map.
                told = outcome is None and None in found[:index]
                st.html(_network(plane, outcome, config, steps, run.run_id, told=told))


def outcomes(tab_map: TabMap, done: Mapping[Cell, CellOutcome]) -> list[CellOutcome | None]:
    """Outcomes of the chosen cell's networks; None for a network that was not run."""
    if tab_map.query.cell is None:
        return []
    config, planes = tab_map.setting.at(*tab_map.query.cell), tab_map.setting.planes()
    steps = planes[0].steps_of(config)
    alone = (config.replace(norms=each.config.norms, learning_rates=None) for each in planes)
    return [done.get(Cell(each, steps)) for each in alone]


def _words() -> Words:
    words: Words = texts("map")["card"]
    return words


def _replay(tab_map: TabMap, config: RunConfig, steps: int) -> TabRun:
    """Mount the live view of the cell's run with all networks, slow enough to be followed."""
    rates = (*(rate for rate in RATES if rate[0] < steps), (steps, 60.0))
    name = f"{RUN}_{tab_map.setting.key}_{tab_map.query.cell}"
    run = open_page_run(name, config, plan=Plan(rates=rates, last_step=steps))
    run.view_drawn = True  # no part of the page waits for the view
    view = LiveViewSpec(
        key="map_replay", charts=tuple((chart, "half") for chart in CHARTS),
        parts=("transport", "timeline"), knobs=(), one_on_phone=True,
    )  # fmt: skip
    mount_live_view(run, view)
    return run


def _side(tab_map: TabMap, cell: tuple[float, float]) -> str:
    """Side of the window that the card covers, opposite the cell."""
    rungs = tab_map.setting.across.rungs
    return "left" if 2 * sum(rung < cell[0] for rung in rungs) > len(rungs) else "right"


def _title(tab_map: TabMap, config: RunConfig) -> str:
    """Title with the axis values of the run, which may lie between the map's values."""
    axes = texts("map")["page"]["said"]
    knobs = tab_map.setting.across.knob, tab_map.setting.up.knob
    title = in_list(f"{axes[knob]} {format_number(getattr(config, knob))}" for knob in knobs)
    return title[:1].upper() + title[1:]


def _network(
    plane: Plane,
    outcome: CellOutcome | None,
    config: RunConfig,
    steps: int,
    run_id: str,
    *,
    told: bool,
) -> Markup:
    """Outcome of one network, and a link that opens its run in the lab one step before it broke.

    Args:
        config: Config of the run with all networks.
        run_id: Id of the run, or "" if there is none.
        told: Whether another network's text already says that this setting was not measured.
    """
    norm = plane.config.norms[0]
    name = texts("norms")[norm]["network"]
    style = theme(st.context.theme.type == "dark").networks(config.norms)[norm]
    heading = tag("h3", _title_of(name, outcome), style=f"color: {style.text}")
    at = steps if outcome is None or outcome.broke is None else max(0, outcome.broke.step - 1)
    shown = {"run": run_id, "at": str(at), EMBED: "1" if embedded() else ""}
    query = config.to_query() | {name: text for name, text in shown.items() if text}
    link = page_link("lab", _words()["watch"], query)
    if outcome is not None:
        sentences = list(_sentences(outcome, steps))
    else:
        sentences = [] if told else [_words()["not_run"]]
    text = [tag("span", joined(sentences)), " "] if sentences else []
    return tag("section", heading, tag("p", *text, link), class_="map-outcome")


def _title_of(name: str, outcome: CellOutcome | None) -> str:
    headline = None if outcome is None else _headline(outcome)
    if headline is not None:
        return headline_text(name, headline)
    title = _words()["unknown" if outcome is None else "under"].format(label=name)
    return title[:1].upper() + title[1:]


def _headline(outcome: CellOutcome) -> Headline | None:
    """Headline of a network as in the lab, or None if the map has too few measurements.

    A map measures accuracy only at the last step. Therefore a network that is neither broken nor
    stuck gets a headline only if it has learned.
    """
    at = {} if outcome.broke is None else {"step": outcome.broke.step}
    if outcome.undefined_norm:
        return Headline("undefined_norm")
    if outcome.state == "diverged" and outcome.stopped is not None:
        return Headline("diverged_at", {"step": outcome.stopped})
    if outcome.state in ("learning", "recovered") and not outcome.learned:
        return None
    if not at:
        return Headline(outcome.state)
    if outcome.state == "recovered":
        return Headline("recovered_at", at)
    accuracy = {"accuracy": outcome.test_accuracy} if outcome.state == "learning" else {}
    return Headline(f"broke_{outcome.state}", {**at, **accuracy})


def _sentences(outcome: CellOutcome, steps: int) -> Iterator[str]:
    if outcome.broke is not None:
        yield first_break(outcome.broke).text()
    if not math.isnan(outcome.test_accuracy):
        accuracy = f"{100 * outcome.test_accuracy:.0f}"
        yield _words()["accuracy"].format(accuracy=accuracy, steps=steps)
