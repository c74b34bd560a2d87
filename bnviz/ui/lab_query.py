"""Which talk an address names, and at which of its stations it is.

A page's address, read before any widget is made: the run's knobs and how to show it.

A wrong value never stops the page. It is answered by a sentence, and its field falls back to the
default; the page then writes the clean address back.

Addresses that mean the lab but name the root, where they come up without a request.

Those that a browser asks the server for are answered before a page is sent
(`bnviz.live.web.old_addresses`); these were reached from within a page, as by Back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from bnviz.charts import CHARTS
from bnviz.config import KNOBS, ConfigError, RunConfig, defaults
from bnviz.knobs import to_text
from bnviz.live.classroom.classrooms import FOLLOW_PARAMETER
from bnviz.planned_runs.plan import MOST_STEPS
from bnviz.presets import DEFAULT_PRESET, PRESETS
from bnviz.talks.talk import TALKS, Station
from bnviz.ui.claims.measured import charts_of, watchable
from bnviz.ui.html import tag
from bnviz.ui.language import carried
from bnviz.ui.query_schema import is_foreign
from bnviz.ui.sitemap import LAB
from bnviz.words.phrase import error_text
from bnviz.words.texts import texts

Problem = tuple[str, dict[str, str]]
LONGEST = 60


def read_talk(rest: dict[str, str], problems: list[Problem]) -> tuple[str | None, int]:
    """Take the talk out of what an address says; what is wrong becomes a problem.

    Args:
        rest: names and values that nobody has read yet.
        problems: a sentence for each thing that was wrong: (key of `notice`, values).

    Returns:
        The talk, or None, and the number of the station, from 1.
    """
    name, number = rest.pop("talk", None), rest.pop("station", None)
    if name is None:
        if number is not None:
            problems.append(("station_alone", {}))
        return None, 1
    if name not in TALKS:
        problems.append(("talk", {"value": repr(name[:LONGEST]), "allowed": ", ".join(TALKS)}))
        return None, 1
    count = len(TALKS[name])
    if number is None or number in map(str, range(1, count + 1)):
        return name, int(number or 1)
    problems.append(("station", {"value": repr(number[:LONGEST]), "most": str(count)}))
    return name, 1


def station_of(talk: str, number: int) -> Station:
    """The station whose run an address opens that names no more than a talk and a station."""
    return TALKS[talk].stations[TALKS[talk].opener(number) - 1]


def station_knobs(station: Station) -> dict[str, str]:
    """The knobs of a station's run, over those of its preset."""
    return {name: to_text(value) for name, value in station.knobs.items()}


# Charts that the address may add to the page.
ADDED = tuple(name for name, entry in CHARTS.items() if entry.group == "more")
# What an address says that takes away the charts of its preset.
NO_CHARTS = "none"
STEP = re.compile(r"[0-9]{1,9}")
RUN_ID = re.compile(r"[0-9a-f]{32}")
# Names that are answered one by one; more of them are no slip of a hand.
MOST_UNKNOWN = 5
# What `hide` can take from the page besides single knobs.
HIDEABLE = (
    "preset", "transport", "share", "export", "new_seed", "more", "more_knobs", "more_norms",
    "ablations", "edge", "timeline",
)  # fmt: skip

# Names in an address that mean the lab, whatever page they are said to.
LAB_PARAMETERS = frozenset(
    {
        *KNOBS, "claim", "preset", "run", "present", "paused", "hide", "charts", "at", "talk",
        "station",
    }
)  # fmt: skip
# Names that any page takes, and that say nothing of the lab.
ANY_PAGE = frozenset({"lang", "embed", "embed_options", FOLLOW_PARAMETER})


def is_ignored(name: str) -> bool:
    """Whether a name in an address is none that a single page reads or has to answer."""
    return name in ANY_PAGE or is_foreign(name)


@dataclass
class LabQuery:
    """The address, understood.

    Attributes:
        config: every knob; those that were wrong at their default.
        run: the run to watch or to go on with, or None.
        preset: the preset whose knobs lie under the ones in the address.
        present: large type for a lecture hall.
        paused: open at step 0 and ask what will happen.
        hide: controls the link takes away.
        charts: charts that were added to the page, by the preset or by the visitor.
        claim: the claim that is watched, by name, or None; its setting is in the knobs.
        at: the step at which the run is to be looked at first; not written into the address again.
        talk: the talk that is given, a name of `TALKS`, or None.
        station: where it is, from 1.
        from_step: the step of the station's run at which it stands, where the address opens that.
        problems: a sentence for each thing that was wrong: (key of `notice`, values).
    """

    config: RunConfig
    run: str | None = None
    preset: str = DEFAULT_PRESET
    present: bool = False
    paused: bool = False
    hide: tuple[str, ...] = ()
    charts: tuple[str, ...] = ()
    claim: str | None = None
    at: int | None = None
    problems: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    talk: str | None = None
    station: int = 1
    from_step: int | None = None

    def to_query(self, config: RunConfig, run: str | None) -> dict[str, str]:
        """The clean address of this page showing `run`, whose present knobs are `config`."""
        query = {"claim": self.claim} if self.claim else {}
        query |= {"talk": self.talk, "station": str(self.station)} if self.talk else {}
        if self.preset != DEFAULT_PRESET:
            query["preset"] = self.preset
        written, read = config.replace().to_query(), self.unsaid(config)
        for name in KNOBS:
            if getattr(config, name) != read[name]:
                query[name] = written.get(name, _text(config, name))
        query.update({"present": "1"} if self.present else {})
        query.update({"paused": "1"} if self.paused else {})
        query.update({"hide": ",".join(self.hide)} if self.hide else {})
        if self.charts != PRESETS[self.preset].charts:
            query["charts"] = ",".join(self.charts) or NO_CHARTS
        query.update({"run": run} if run else {})
        return query | carried()

    @property
    def leading(self) -> tuple[str, ...]:
        """The charts that stand before all others: those of the claim, or of the preset."""
        return charts_of(watchable()[self.claim]) if self.claim else PRESETS[self.preset].leading

    def unsaid(self, config: RunConfig) -> dict[str, Any]:
        """The value of every knob that an address does not mention, where it opens `config`.

        As the preset has it, or as the kind of network or the optimizer does.
        """
        read: dict[str, Any] = {name: knob.default for name, knob in KNOBS.items()}
        return read | {
            **defaults(config.network, config.optimizer), **PRESETS[self.preset].config().changed()
        }  # fmt: skip


def read_lab_query(query: Mapping[str, str]) -> LabQuery:
    """Read an address; wrong parts become `problems`."""
    rest = {str(name): str(value) for name, value in query.items() if not is_ignored(name)}
    problems: list[tuple[str, dict[str, str]]] = []
    preset = rest.pop("preset", DEFAULT_PRESET)
    if preset not in PRESETS:
        problems.append(("preset", {"value": _short(preset), "allowed": ", ".join(PRESETS)}))
        preset = DEFAULT_PRESET
    claim = _read_claim(rest.pop("claim", None), problems)
    if claim and not KNOBS.keys() & rest.keys() and not {"run", "preset", "charts"} & query.keys():
        rest |= watchable()[claim].query  # the claim alone names a setting
    (talk, station), from_step = read_talk(rest, problems), None
    if talk and not KNOBS.keys() & rest.keys() and not {"run", "preset", "paused"} & query.keys():
        opened = station_of(talk, station)
        preset, from_step = opened.preset, TALKS[talk].stations[station - 1].after
        rest |= {"paused": str(int(opened.paused and not from_step)), **station_knobs(opened)}
    run = rest.pop("run", None)
    if run is not None and not RUN_ID.fullmatch(run):
        problems.append(("run", {"value": _short(run)}))
        run = None
    at = _read_step(rest.pop("at", None), problems)
    flags = {}
    for name in ("present", "paused"):
        given = rest.pop(name, "0")
        flags[name] = given == "1"
        if given not in ("0", "1"):
            problems.append(("flag", {"field": name, "value": _short(given)}))
    hide = _read_names("hide", rest.pop("hide", ""), (*KNOBS, *HIDEABLE), problems)
    charts = _read_charts(rest.pop("charts", None), preset, problems)
    config = _read_config(rest, preset, problems)
    return LabQuery(
        config,
        run,
        preset,
        flags["present"],
        flags["paused"],
        hide,
        charts,
        claim,
        at,
        problems,
        talk,
        station,
        from_step,
    )


def _read_step(given: str | None, problems: list[tuple[str, dict[str, str]]]) -> int | None:
    if given is None or (STEP.fullmatch(given) and int(given) <= MOST_STEPS):
        return None if given is None else int(given)
    problems.append(("at", {"value": _short(given), "most": str(MOST_STEPS)}))
    return None


def talk_past(page: LabQuery) -> dict[str, Any]:
    """What a run has behind it that stands at a station of a talk: for `Hub.start`."""
    if page.talk is None or not page.from_step:
        return {}
    return {"changes": TALKS[page.talk].past(page.station), "from_step": page.from_step}


def wants_lab(query: Mapping[str, str]) -> bool:
    """Whether an address without a page's path means the lab."""
    return not LAB_PARAMETERS.isdisjoint(query)


def unknown_names(query: Mapping[str, str], known: Iterable[str] = ()) -> list[str]:
    """What an address names that a page without knobs does not read, each short enough to show.

    Args:
        known: what that page reads besides what every page does.
    """
    names = (name for name in map(str, query) if name not in known and not is_ignored(name))
    return [_short(name) for name in names][:MOST_UNKNOWN]


def _read_claim(given: str | None, problems: list[tuple[str, dict[str, str]]]) -> str | None:
    """A claim's name, from that or from its number."""
    if given is None or given in watchable():
        return given
    for name, row in watchable().items():
        if given == row.place:
            return name
    example = next(iter(watchable()), "")
    problems.append(("claim", {"value": _short(given), "example": example}))
    return None


def known_charts(names: Iterable[Any]) -> tuple[str, ...]:
    """Of some values those that name a chart that can be added, each once."""
    return tuple(name for name in dict.fromkeys(map(str, names)) if name in ADDED)


def probes_of(charts: Iterable[str]) -> tuple[str, ...]:
    """The probes that some charts draw."""
    return tuple(dict.fromkeys(probe for name in charts for probe in CHARTS[name].needs))


def _read_charts(
    text: str | None, preset: str, problems: list[tuple[str, dict[str, str]]]
) -> tuple[str, ...]:
    """The charts that an address adds; those of the preset where it says nothing of charts."""
    if text is None:
        return PRESETS[preset].charts
    return () if text == NO_CHARTS else _read_names("charts", text, ADDED, problems)


def _read_names(
    field: str, text: str, allowed: tuple[str, ...], problems: list[tuple[str, dict[str, str]]]
) -> tuple[str, ...]:
    """Names separated by commas, each once; unknown ones are answered and left out."""
    wanted = [part.strip() for part in text.split(",") if part.strip()]
    for part in wanted:
        if part not in allowed and len(problems) < 10:
            problems.append((field, {"value": _short(part), "allowed": ", ".join(allowed)}))
    return tuple(dict.fromkeys(part for part in wanted if part in allowed))


def _read_config(
    given: dict[str, str], preset: str, problems: list[tuple[str, dict[str, str]]]
) -> RunConfig:
    """The knobs in an address over those of a preset; wrong ones are dropped one at a time."""
    given = dict(given)
    base = PRESETS[preset].config().to_query()
    while True:
        try:
            return RunConfig.from_query({**base, **given})
        except ConfigError as error:
            if error.field in base and error.field not in given:
                # What the preset brought does not go with what the address asks for: the address
                # wins, as init=he does over the σ of a preset with normal weights.
                del base[error.field]
                continue
            known = error.field in KNOBS or error.field not in given
            problems.append(("config" if known else "unknown", {"message": error_text(error)}))
            if error.field in given:
                del given[error.field]
            else:
                # The knobs are wrong together (too large for a step, say): none of them is to
                # blame alone.
                given.clear()
            if len(problems) > 10:
                given.clear()


def _text(config: RunConfig, name: str) -> str:
    value = getattr(config, name)
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def lead_to_lab() -> None:
    """Go on to the lab where the address means it."""
    query = st.query_params.to_dict()
    if wants_lab(query):
        st.switch_page(LAB, query_params=query)


def answer_unknown(*known: str) -> None:
    """A sentence on what the address names that this page does not read.

    Args:
        known: what it reads besides what every page does.
    """
    names = unknown_names(st.query_params.to_dict(), known)
    if names:
        said = texts(name="navigation")["unknown"].format(names=", ".join(names))
        st.html(tag("p", said, class_="bnviz-answer", role="status"))
