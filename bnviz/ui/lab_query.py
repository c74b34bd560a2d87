"""Query of the lab's address, which is read before any widget is created.

An invalid value never stops the page. The page shows a message, uses the default, and writes the
corrected address to the browser.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bnviz.charts import CHARTS
from bnviz.config import KNOBS, ConfigError, RunConfig, defaults
from bnviz.knobs import to_text
from bnviz.own_talks.talk_cache import find_talk
from bnviz.planned_runs.plan import MOST_STEPS, REPEAT_AFTER_CHANGE, REPEAT_RATES, Plan
from bnviz.presets import DEFAULT_PRESET, PRESETS
from bnviz.records import Change
from bnviz.talks.talk import Talk
from bnviz.ui.claims.measured import charts_of, claims_in_lab
from bnviz.ui.language import carried
from bnviz.ui.query_problems import Problem, problem_text, used_text
from bnviz.ui.query_schema import (
    ADDABLE_CHARTS,
    LAB_PARAMETERS,
    LAB_SCHEMA,
    QueryReader,
    live_changes,
    read_setting,
    whole_number,
    write_query,
)
from bnviz.words.joining import sentences
from bnviz.words.texts import texts

# Parameters that are written to an address before the knobs, and parameters written after them.
AROUND_KNOBS = (
    ("claim", "talk", "station", "preset"), ("present", "paused", "hide", "charts", "run"),
)  # fmt: skip
# Keys of the messages that already name the value used instead of an invalid value.
TOLD_WHOLE = frozenset(
    {
        "repeated", "unknown", "unknown_but", "run", "changes", "steps", "station",
        "station_alone", "talk_gone",
    }
)  # fmt: skip


@dataclass
class LabQuery:
    """Query of the lab's address.

    Attributes:
        run: Id of the run to watch or continue, or None.
        preset: Preset whose knobs apply unless the address names them.
        paused: Whether to open at step 0 and ask for a prediction.
        charts: Charts added by the preset or by the visitor.
        claim: Name of the claim shown, or None; the claim's settings are in `config`.
        at: Step shown first, or None; it is not written to the address again.
        station: Number of the talk's station, from 1.
        from_step: Step of the station's run at which the address opens the run, or None.
        changes: Live changes of a run that the address asks to repeat.
        steps: Last step of the repeated run, or None if no run is to be repeated.
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
    problems: list[Problem] = field(default_factory=list)
    talk: str | None = None
    station: int = 1
    from_step: int | None = None
    changes: tuple[Change, ...] = ()
    steps: int | None = None

    @property
    def given_talk(self) -> Talk | None:
        return find_talk(self.talk) if self.talk else None

    @property
    def plan(self) -> Plan | None:
        """Schedule of a repeated run, or None; a change by hand cancels the remaining changes."""
        if self.steps is None:
            return None
        return Plan(
            rates=REPEAT_RATES, last_step=self.steps, shown=(self.steps,), from_change=True,
            yields=True,
            changes=tuple(change for change in self.changes if change.step < self.steps),
        )  # fmt: skip

    @property
    def again(self) -> dict[str, str]:
        """Query parameters that repeat a run, for the link in a report."""
        return write_query(LAB_SCHEMA, {"changes": self.changes, "steps": self.steps})

    def to_query(self, config: RunConfig, run: str | None) -> dict[str, str]:
        """Clean query for an address that shows `run` with the current knobs `config`."""
        known, written = self.defaults(config), config.replace().to_query()
        knobs = {name: getattr(config, name) for name in KNOBS}
        moved = [name for name, value in knobs.items() if value != known[name]]
        values = vars(self) | {
            "station": self.station if self.talk else None,
            "charts": None if self.charts == PRESETS[self.preset].charts else self.charts,
            "run": run or None,
        }
        before, after = ({name: values[name] for name in part} for part in AROUND_KNOBS)
        return {
            **write_query(LAB_SCHEMA, before),
            **{name: written.get(name, to_text(knobs[name])) for name in moved},
            **write_query(LAB_SCHEMA, after),
            **carried(),
        }

    def told(self) -> list[str]:
        """Messages about all problems of the address, and about the values used instead."""
        notices = texts("lab")["notice"]
        return [
            sentences(filter(None, (problem_text(each, notices), self._used(*each))))
            for each in self.problems
        ]  # fmt: skip

    def _used(self, key: str, values: Mapping[str, str]) -> str:
        name = values.get("field", "")
        if key in TOLD_WHOLE:
            return ""
        if name in KNOBS:
            used = to_text(getattr(self.config, name))
        elif key == "flag":
            used = ""
        elif name in LAB_SCHEMA:
            value = getattr(self, name)
            used = "" if value is None else LAB_SCHEMA[name].write(value)
        else:
            return str(texts("navigation")["link"]["all"])
        return used_text(used)

    @property
    def leading(self) -> tuple[str, ...]:
        """Charts shown before all others, from the claim or the preset."""
        return (
            charts_of(claims_in_lab()[self.claim]) if self.claim else PRESETS[self.preset].leading
        )

    def defaults(self, config: RunConfig) -> dict[str, Any]:
        """Values of the knobs that an address of `config` may omit."""
        return values_of(PRESETS[self.preset].config(), config)


def values_of(preset: RunConfig, config: RunConfig) -> dict[str, Any]:
    """Values of all knobs: from the preset, else from the network or optimizer, else defaults."""
    found: dict[str, Any] = {name: knob.default for name, knob in KNOBS.items()}
    return found | defaults(config.network, config.optimizer) | preset.changed()


def read_lab_query(query: Mapping[str, str]) -> LabQuery:
    """Read the query of an address, and collect the invalid parts in `problems`."""
    reader = QueryReader.of(query, LAB_SCHEMA)
    preset, claim = reader.take("preset"), reader.take("claim")
    alone = not KNOBS.keys() & reader.rest.keys()
    if claim and alone and not {"run", "preset", "charts"} & query.keys():
        reader.rest |= claims_in_lab()[claim].query  # a claim without other settings sets the knobs
    talk, given, station = _read_station(reader)
    from_step = None
    alone = not KNOBS.keys() & reader.rest.keys()
    if given and alone and not {"run", "preset", "paused"} & query.keys():
        opened = given.stations[given.opener(station) - 1]
        preset, from_step = opened.preset, given.stations[station - 1].after
        reader.rest["paused"] = str(int(opened.paused and not from_step))
        reader.rest |= {name: to_text(value) for name, value in opened.knobs.items()}
    names = "run", "at", "present", "paused", "hide", "charts"
    values = {name: reader.take(name) for name in names}
    if values["charts"] is None:
        values["charts"] = PRESETS[preset].charts
    made, steps = reader.rest.pop("changes", None), reader.take("steps")
    config = _read_config(reader, preset)
    # The allowed changes depend on the initial config of the run, so read them after the config.
    reader.rest = {} if made is None else {"changes": made}
    changes = reader.take("changes", live_changes(config))
    if changes and steps is None:
        steps = min(changes[-1].step + REPEAT_AFTER_CHANGE, MOST_STEPS)
    return LabQuery(
        config=config, preset=preset, claim=claim, problems=reader.problems, talk=talk,
        station=station, from_step=from_step, changes=changes, steps=steps, **values,
    )  # fmt: skip


def station_query(before: LabQuery, name: str, number: int) -> LabQuery:
    """Query of a talk's station that keeps the presentation view and hidden controls."""
    query = read_lab_query({"talk": name, "station": str(number)})
    query.present, query.hide = before.present, before.hide
    return query


def _read_station(reader: QueryReader) -> tuple[str | None, Talk | None, int]:
    """Return the talk's name and the talk (or None for each), and the station's number from 1."""
    named, numbered = "talk" in reader.rest, "station" in reader.rest
    talk: str | None = reader.take("talk")
    given = find_talk(talk) if talk is not None else None
    if given is not None:
        return talk, given, reader.take("station", whole_number(len(given), least=1)) or 1
    reader.rest.pop("station", None)
    if numbered and not named:
        reader.problems.append(("station_alone", {}))
    return None, None, 1


def _read_config(reader: QueryReader, preset: str) -> RunConfig:
    base = PRESETS[preset].config().to_query()

    def read(given: dict[str, str]) -> RunConfig:
        while True:
            try:
                return RunConfig.from_query({**base, **given})
            except ConfigError as error:
                if error.field in given or error.field not in base:
                    raise
                # The address overrides a preset value that conflicts with it. For example, init=he
                # removes the σ of a preset with normal weights.
                del base[error.field]

    def blame(name: str, given: Mapping[str, str]) -> str | None:
        # knobs may be invalid only in combination, such as too much work per step
        return name if name in given else None

    config: RunConfig = read_setting(read, reader.rest, reader.problems, LAB_PARAMETERS, blame)
    return config


def talk_past(page: LabQuery) -> dict[str, Any]:
    """Arguments of `Hub.start` to begin at a talk's station: earlier changes and the step."""
    talk = page.given_talk
    if talk is None or not page.from_step:
        return {}
    return {"changes": talk.past(page.station), "from_step": page.from_step}


def known_charts(names: Iterable[Any]) -> tuple[str, ...]:
    """Names of charts that can be added, without duplicates."""
    return tuple(name for name in dict.fromkeys(map(str, names)) if name in ADDABLE_CHARTS)


def probes_of(charts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(probe for name in charts for probe in CHARTS[name].needs))
