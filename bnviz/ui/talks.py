"""Walks through a talk: from station to station on the run that stands, or to another one.

Where a talk is begun, and where its recording is taken from.
"""

from __future__ import annotations

from typing import Any

from bnviz.config import LIVE_KNOBS, ConfigError
from bnviz.live import current_hub
from bnviz.talks.recording import data_path
from bnviz.talks.talk import TALKS, Station
from bnviz.ui.html import Markup, joined, tag
from bnviz.ui.lab_query import read_lab_query
from bnviz.ui.language import carried
from bnviz.ui.navigation import page_link
from bnviz.ui.sitemap import base_path
from bnviz.ui.tab_run import TAKES_KNOBS, TabRun
from bnviz.words.phrase import integer_between
from bnviz.words.texts import current_language, texts

# Knobs besides the live ones on which no station depends.
ANY = ("seed", "device")


def walk(lab: TabRun, command: dict[str, Any]) -> None:
    """Go to a station.

    One that only changes knobs does so on the run that stands, if that is its talk's, with all live
    knobs as the talk has them there; the steps that it speaks of are taken at once where they are
    still to come. One that was visited is shown as its run was left, which stands still since;
    where that went on to stations that changed something, from the step at which it was entered.
    Any other opens its run anew.

    Args:
        lab: what the tab shows.
        command: `number` of the station, from 1.

    Raises:
        ConfigError: there is no such station.
        LiveError: the run cannot be had.
    """
    name, number = lab.query.talk, command.get("number")
    if name is None:
        return
    stations = TALKS[name].stations
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= len(stations):
        raise ConfigError("station", number, integer_between(1, len(stations)))
    before, station, info = lab.query.station, stations[number - 1], lab.info()
    mark = lab.visited_stations.get((name, number))
    if (name, before) not in lab.visited_stations and info is not None:
        lab.visited_stations[name, before] = (lab.run_id, info.step, lab.config)
    if number == before + 1 and station.change is not None and _goes_on(lab, name, number):
        lab.query.station, lab.query.paused = number, False
        entered = max(station.after, info.step if info else 0)
        lab.visited_stations[name, number] = (lab.run_id, entered, lab.config)
        return
    over = mark is None or current_hub().info(mark[0]) is None
    together = TALKS[name].opener(number) == TALKS[name].opener(before)
    unchanged = number < before and not any(each.change for each in stations[number:before])
    if together and unchanged and _stands(lab, name, number):
        lab.query.station = number
        return
    if not together and lab.can_control and info is not None and info.status == "running":
        current_hub().pause(lab.owner, lab.run_id)  # nobody would see what it does meanwhile
    if mark is None or over or (together and station.change is None):
        _open(lab, name, number)
    elif not together:
        lab.query = _page(lab, name, number)
        lab.leave(back=True)
        lab.run_id = mark[0]
        current_hub().come_back(lab.owner, lab.run_id)
        lab.history_entries, lab.charts_version = lab.history_entries + 1, lab.charts_version + 1
        lab.refresh()
    else:
        run, step, config = mark
        lab.run_id = current_hub().fork(lab.owner, run, step, config=config)
        lab.query.station, lab.history_entries = number, lab.history_entries + 1
        lab.visited_stations = {
            at: other for at, other in lab.visited_stations.items() if at < (name, number)
        }
        lab.visited_stations[name, number] = (lab.run_id, step, config)
        lab.refresh()


def _stands(lab: TabRun, name: str, number: int) -> bool:
    """Whether what stands there is one's own run of the kind that the station is about."""
    info, talk = lab.info(), TALKS[name]
    if info is None or not lab.can_control:
        return False
    own = {knob: getattr(info.config, knob) for knob in (*LIVE_KNOBS, *ANY)}
    return talk.stations[talk.opener(number) - 1].config().replace(**own) == info.config


def _goes_on(lab: TabRun, name: str, number: int) -> bool:
    """Whether the run that stands could go on as the station's, which it then does."""
    info, talk = lab.info(), TALKS[name]
    if not _stands(lab, name, number) or info is None or info.status not in TAKES_KNOBS:
        return False
    wanted = talk.live_knobs(number)
    own = {knob: getattr(info.config, knob) for knob in LIVE_KNOBS}
    current_hub().advance(lab.owner, lab.run_id, talk.stations[number - 1].after)
    current_hub().change(
        lab.owner,
        lab.run_id,
        **{knob: value for knob, value in wanted.items() if own[knob] != value},
    )
    lab.refresh()
    return True


def _page(lab: TabRun, name: str, number: int) -> Any:
    page = read_lab_query({"talk": name, "station": str(number)})
    page.present, page.hide = lab.query.present, lab.query.hide
    return page


def _open(lab: TabRun, name: str, number: int) -> None:
    before = lab.query
    lab.query = page = _page(lab, name, number)
    if lab.start(page.config, paused=page.paused, entry=True):
        lab.charts_version += 1
        lab.refresh()
        lab.visited_stations[name, number] = (lab.run_id, page.from_step or 0, lab.config)
    else:
        lab.query = before


def talk_words() -> dict[str, str]:
    """The words of the ways from station to station."""
    return {key: said for key, said in texts(name="talks").items() if isinstance(said, str)}


def _waits(station: Station) -> int:
    """After how many steps of its own run, which waits to be played, what it asks is answered."""
    return (station.steps or 0) if station.paused and not station.needs else 0


def _done(station: Station) -> bool:
    """Whether a station has done what its question takes for granted: what came of it counts."""
    return bool(station.needs) and station.needs == station.change


def talk_data(lab: TabRun) -> dict[str, Any]:
    """What the live view needs of the talk that is given; empty where none is."""
    name, number = lab.query.talk, lab.query.station
    if name is None or not lab.can_control:
        return {}
    words = texts(name="talks")
    said = words["talk"][name]
    stations = [station.name for station in TALKS[name].stations]
    station, after = TALKS[name].stations[number - 1], TALKS[name].stations[number : number + 1]
    here = said["station"][station.name]
    shared = lab.query.to_query(lab.config, None)
    return {
        # Who is given a link gets the run, not the talk.
        "query": {key: value for key, value in shared.items() if key not in ("talk", "station")},
        "talk": {
            "name": name, "title": said["title"], "number": number, "does": station.does,
            "titles": [said["station"][each]["title"] for each in stations],
            "ask": here["ask"], "say": here["say"], "chart": station.chart,
            "waits": _waits(station),
            "until": TALKS[name].until(number, {}),
        },
        "question": {
            "text": here["ask"], "answers": None, "kind": station.ask,
            "network": station.network, "steps": station.steps, "needs": dict(station.needs),
            # Its own run answers it, from the beginning on, as far as that is as the question says.
            "since": 0 if _waits(station) or _done(station) else None,
            # What it takes for granted is what the next station does.
            "until": TALKS[name].until(number, station.needs),
            "walks": bool(station.needs) and any(next.change == station.needs for next in after),
        },
    }  # fmt: skip


def talk_links() -> Markup:
    """A line for each talk: its name, which begins it on the stage, and its recording."""
    words = texts(name="talks")
    lines = []
    for name, talk in TALKS.items():
        said = words["talk"][name]
        begin = page_link(
            "lab", said["title"], {"talk": name, "station": "1", "present": "1"},
            title=words["start_help"].format(count=len(talk)),
        )  # fmt: skip
        parts = [tag("span", f"{words['list']} "), begin, tag("span", f": {said['about']} ")]
        if data_path(name).is_file():
            asked = f"?lang={current_language()}" if carried() else ""
            source = f"{base_path()}/recording/{name}.html{asked}"
            help_text = words["take_help"]
            parts.append(tag("a", words["take"], href=source, download=True, title=help_text))
        lines.append(tag("p", *parts, class_="bnviz-talks"))
    return joined(*lines)
