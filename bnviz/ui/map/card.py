"""The card of a cell: what became of its networks, and the run itself, small and live."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import streamlit as st

from bnviz.charts.theme import theme
from bnviz.config import RunConfig
from bnviz.planned_runs.plan import Plan
from bnviz.sweeps.cells import Cell, Outcome
from bnviz.sweeps.plane import Plane
from bnviz.ui.blocks import View, mount_live_view, open_block
from bnviz.ui.embed import PARAMETER, embedded
from bnviz.ui.html import Markup, tag
from bnviz.ui.knobs import number
from bnviz.ui.map.tab_map import TabMap
from bnviz.ui.navigation import page_link
from bnviz.ui.tab_run import TabRun
from bnviz.words.headline import Headline, headline_text
from bnviz.words.story import first_break
from bnviz.words.texts import texts

BLOCK = "map_cell"
CHARTS = ("accuracy", "hills")
# A replay takes a few seconds, and is slow where most happens.
RATES = ((30, 15.0), (100, 30.0))


def draw_card(desk: TabMap, done: Mapping[Cell, Outcome]) -> None:
    """Draw the card of the cell that is looked at, if one is.

    Args:
        desk: what the tab shows.
        done: what became of the map's networks, as far as it is known.
    """
    cell = desk.visit.cell
    if cell is None or desk.visit.present:
        return
    config, planes = desk.setting.at(*cell), desk.setting.planes()
    steps = planes[0].steps_of(config)
    with st.container(key="map_card"):
        with st.container(key="map_card_head", horizontal=True, vertical_alignment="top"):
            st.html(tag("h2", _title(desk, config), class_="map-cell"))
            st.button(_words()["close"], key="map_close", on_click=desk.choose, args=(None,))
        said = st.container(key="map_outcomes")
        lab = _replay(desk, config, steps)
        with said:
            if desk.setting.seeds > 1:
                st.caption(_words()["first_seed"].format(seed=config.seed))
            found = outcomes(desk, done)
            for place, (plane, outcome) in enumerate(zip(planes, found, strict=True)):
                # That the map has not run this setting is said once.
                again = outcome is None and None in found[:place]
                st.html(_network(plane, outcome, config, steps, lab.run, again=again))


def outcomes(desk: TabMap, done: Mapping[Cell, Outcome]) -> list[Outcome | None]:
    """What became of each network of the cell that is looked at, as far as it was run."""
    if desk.visit.cell is None:
        return []
    config, planes = desk.setting.at(*desk.visit.cell), desk.setting.planes()
    steps = planes[0].steps_of(config)
    return [done.get(Cell(_alone(config, plane), steps)) for plane in planes]


def _words() -> Mapping[str, Any]:
    return dict(texts("map")["card"])


def _alone(config: RunConfig, plane: Plane) -> RunConfig:
    return config.replace(norms=plane.config.norms, learning_rates=None)


def _replay(desk: TabMap, config: RunConfig, steps: int) -> TabRun:
    """The very run, live: all networks, at a pace at which it can be watched."""
    rates = (*(rate for rate in RATES if rate[0] < steps), (steps, 60.0))
    name = f"{BLOCK}_{desk.setting.key}_{desk.visit.cell}"
    lab = open_block(name, config, plan=Plan(rates=rates, last_step=steps))
    lab.drawn = True  # nothing on the page waits for it
    view = View(
        key="map_replay", charts=tuple((chart, "half") for chart in CHARTS),
        parts=("transport", "timeline"), knobs=(), one_on_phone=True,
    )  # fmt: skip
    mount_live_view(lab, view)
    return lab


def _title(desk: TabMap, config: RunConfig) -> str:
    """Where the run beside it stands: an address may name a place between whole numbers."""
    axes = texts("map")["page"]["axis"]
    knobs = desk.setting.across.knob, desk.setting.up.knob
    said = ", ".join(f"{axes[knob]} {number(getattr(config, knob))}" for knob in knobs)
    return said[:1].upper() + said[1:]


def _network(
    plane: Plane, outcome: Outcome | None, config: RunConfig, steps: int, run: str, *, again: bool
) -> Markup:
    """What became of one network, and the link to its run in the lab just before it broke."""
    norm = plane.config.norms[0]
    name = texts(name="norms")[norm]["network"]
    style = theme(st.context.theme.type == "dark").networks(config.norms)[norm]
    heading = tag("h3", _title_of(name, outcome), style=f"color: {style.text}")
    query = {**config.to_query(), **({"run": run} if run else {})}
    at = steps if outcome is None or outcome.broke is None else max(0, outcome.broke.step - 1)
    query |= {"at": str(at)} | ({PARAMETER: "1"} if embedded() else {})
    link = page_link("lab", _words()["watch"], query)
    if outcome is None:
        sentences = [] if again else [_words()["not_run"]]
    else:
        sentences = list(_sentences(outcome, steps))
    text = tag("p", tag("span", " ".join(sentences)), " ", link) if sentences else tag("p", link)
    return tag("section", heading, text, class_="map-outcome")


def _title_of(name: str, outcome: Outcome | None) -> str:
    said = None if outcome is None else _headline(outcome)
    if said is not None:
        return headline_text(name, said)
    told = _words()["unknown" if outcome is None else "under"].format(label=name)
    return told[:1].upper() + told[1:]


def _headline(outcome: Outcome) -> Headline | None:
    """The lab's own words for the state of a network; None where a map knows too little for them.

    A map has no accuracies of steps between: one that is neither broken nor stuck is called
    learning only where it has learned.
    """
    at = {} if outcome.broke is None else {"step": outcome.broke.step}
    if outcome.paused:
        return "paused", {}
    if outcome.state == "diverged" and outcome.stopped is not None:
        return "diverged_at", {"step": outcome.stopped}
    if outcome.state in ("learning", "recovered") and not outcome.learned:
        return None
    if not at:
        return outcome.state, {}
    if outcome.state == "recovered":
        return "recovered_at", at
    accuracy = {"accuracy": outcome.test_accuracy} if outcome.state == "learning" else {}
    return f"broke_{outcome.state}", {**at, **accuracy}


def _sentences(outcome: Outcome, steps: int) -> Iterator[str]:
    if outcome.broke is not None:
        yield first_break(outcome.broke).text()
    if not math.isnan(outcome.test_accuracy):
        accuracy = f"{100 * outcome.test_accuracy:.0f}"
        yield _words()["accuracy"].format(accuracy=accuracy, steps=steps)
