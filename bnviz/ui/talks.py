"""Talks in the lab: navigation between a talk's stations, data for the live view, and links."""

from __future__ import annotations

from typing import Any

from bnviz.config import ConfigError
from bnviz.live import current_hub
from bnviz.talks.recording import data_path
from bnviz.talks.talk import TALKS, Talk, words_of
from bnviz.ui.html import Markup, joined, tag
from bnviz.ui.lab_query import station_query
from bnviz.ui.language import carried
from bnviz.ui.navigation import page_link
from bnviz.ui.sitemap import base_path
from bnviz.ui.tab_run import FREE_KNOBS, TAKES_KNOBS, TabRun, differing
from bnviz.words.phrase import integer_between, phrase
from bnviz.words.texts import current_language, texts


def go_to_station(lab: TabRun, command: dict[str, Any]) -> None:
    """Switch to a station (stop) of the current talk.

    If the next station only sets knobs, it continues the talk's current run: all live knobs get the
    station's values, and the run advances to the station's step. A visited station shows its run
    again, or a fork from the step at which the station was entered if later stations have changed
    that run. Any other station starts its own run.

    Raises:
        ConfigError: If there is no such station.
        LiveError: If the hub refuses the run.
    """
    name, talk, number = lab.query.talk, lab.query.given_talk, command.get("number")
    if name is None or talk is None:
        lab.query.talk = None
        lab.notify("talk_gone")
        return
    stations = talk.stations
    if type(number) is not int or not 1 <= number <= len(stations):
        raise ConfigError("station", number, integer_between(1, len(stations)))
    before, station, info = lab.query.station, stations[number - 1], lab.info()
    visited = lab.visited_stations.get((name, number))
    if info is not None:
        lab.visited_stations.setdefault((name, before), (lab.run_id, info.step, lab.config))
    if number == before + 1 and station.change is not None and _goes_on(lab, talk, number):
        lab.query.station, lab.query.paused = number, False
        entered = max(station.after, info.step if info else 0)
        lab.visited_stations[name, number] = (lab.run_id, entered, lab.config)
        return
    same_run = talk.opener(number) == talk.opener(before)
    unchanged = number < before and not any(each.change for each in stations[number:before])
    if same_run and unchanged and _has_run_of(lab, talk, number):
        lab.query.station = number
        return
    if not same_run and lab.can_control and info is not None and info.status == "running":
        current_hub().pause(lab.owner, lab.run_id)  # pause, because the run is no longer in view
    ended = visited is None or current_hub().info(visited[0]) is None
    if visited is None or ended or (same_run and station.change is None):
        _start_at(lab, name, number)
    elif not same_run:
        lab.query = station_query(lab.query, name, number)
        lab.show_again(visited[0])
        lab.history_entries, lab.charts_version = lab.history_entries + 1, lab.charts_version + 1
    else:
        run_id, step, config = visited
        lab.fork(run_id, step, config)
        lab.query.station = number
        earlier = {at: kept for at, kept in lab.visited_stations.items() if at < (name, number)}
        lab.visited_stations = {**earlier, (name, number): (lab.run_id, step, config)}
        lab.refresh()


def _has_run_of(lab: TabRun, talk: Talk, number: int) -> bool:
    """Return whether the lab owns a run with the station's config, apart from `FREE_KNOBS`."""
    info = lab.info()
    if info is None or not lab.can_control:
        return False
    begun = talk.stations[talk.opener(number) - 1].config()
    return differing(begun, info.config).keys() <= FREE_KNOBS


def _goes_on(lab: TabRun, talk: Talk, number: int) -> bool:
    """If possible, continue the current run as the station's run; return whether that was done."""
    info = lab.info()
    if not _has_run_of(lab, talk, number) or info is None or info.status not in TAKES_KNOBS:
        return False
    wanted = talk.live_knobs(number).items()
    changed = {knob: value for knob, value in wanted if getattr(info.config, knob) != value}
    current_hub().advance(lab.owner, lab.run_id, talk.stations[number - 1].after)
    current_hub().set_knobs(lab.owner, lab.run_id, **changed)
    lab.refresh()
    return True


def _start_at(lab: TabRun, name: str, number: int) -> None:
    before = lab.query
    lab.query = query = station_query(lab.query, name, number)
    if lab.start(query.config, paused=query.paused, entry=True):
        lab.charts_version += 1
        lab.refresh()
        lab.visited_stations[name, number] = (lab.run_id, query.from_step or 0, lab.config)
    else:
        lab.query = before


def talk_words() -> dict[str, str]:
    return {key: text for key, text in texts("talks").items() if isinstance(text, str)}


def talk_data(lab: TabRun) -> dict[str, Any]:
    """Data of the current talk for the live view; empty if there is none."""
    name, talk, number = lab.query.talk, lab.query.given_talk, lab.query.station
    if name is None or talk is None or not lab.can_control:
        return {}
    words = words_of(name, talk)
    station, after = talk.stations[number - 1], talk.stations[number : number + 1]
    here = words.stations[number - 1]
    # Number of steps needed to answer the question if the run waits to be started, else 0.
    waits = (station.steps or 0) if station.paused and not station.needs else 0
    # A talk from a file has its texts in one language only.
    ask = phrase(f"talks.talk.{name}.station.{station.name}.ask") if talk.words is None else None
    shared = lab.query.to_query(lab.config, None)
    return {
        # A shared link opens the run, not the talk.
        "query": {key: value for key, value in shared.items() if key not in ("talk", "station")},
        "talk": {
            "name": name, "title": words.title, "number": number, "does": station.does,
            "titles": [each.title for each in words.stations],
            "ask": here.ask, "say": here.say, "notes": here.notes, "chart": station.chart,
            "answers": list(station.answers), "waits": waits,
            "until": talk.last_step_of(number, {}), "recorded": data_path(name).is_file(),
        },
        "question": {
            "text": here.ask, "text_phrase": ask.plain() if ask and here.ask else None,
            "answers": list(station.answers) or None, "kind": station.ask,
            "network": station.network, "steps": station.steps, "needs": dict(station.needs),
            # Step from which the answer is counted: 0 if the run waits to be started, or if this
            # station has set the knobs that the question needs.
            "since": 0 if waits or (station.needs and station.needs == station.change) else None,
            # The question may need knobs that only the next station sets.
            "until": talk.last_step_of(number, station.needs),
            "walks": bool(station.needs) and any(next.change == station.needs for next in after),
        },
    }  # fmt: skip


def talk_links() -> Markup:
    """One line per talk of the app, with links that present and download the talk."""
    words = texts("talks")
    lines = []
    for name, talk in TALKS.items():
        own = words_of(name, talk)
        begin = page_link(
            "lab", own.title, {"talk": name, "station": "1", "present": "1"},
            title=words["start_help"].format(count=len(talk)),
        )  # fmt: skip
        parts = [tag("span", f"{words['list']} "), begin, tag("span", f": {own.about} ")]
        if data_path(name).is_file():
            asked = f"?lang={current_language()}" if carried() else ""
            source = f"{base_path()}/recording/{name}.html{asked}"
            help_text = words["take_help"]
            parts.append(tag("a", words["take"], href=source, download=True, title=help_text))
        lines.append(tag("p", *parts, class_="bnviz-talks"))
    return joined(*lines)
