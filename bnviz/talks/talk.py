"""Talks: lists of stops (stations) through which a presenter steps with PageDown and PageUp.

The texts of the app's talks are in `assets/texts/<language>/talks.toml`. A talk from a file
(`bnviz.own_talks`) brings its own texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from bnviz.config import LIVE_KNOBS, RunConfig
from bnviz.presets import DEFAULT_PRESET, PRESETS
from bnviz.records import Change
from bnviz.words.texts import texts

# Maximum number of steps that a run may take at once, for example on arrival at a station.
MOST_AT_ONCE = 1_000


@dataclass(frozen=True, kw_only=True)
class Station:
    """Station (stop) of a talk.

    Attributes:
        name: key of the station's texts.
        preset, knobs: preset of a new run, and knobs that differ from it.
        change: live knobs that change in the run of the previous station, or None for a new run.
        paused: whether the new run is paused at step 0.
        does: additional action of the page on arrival at the station.
        ask: kind of question that the run answers (`assets/classroom/run_questions.js`), or None if
            only the class can answer it. A later station shows the answer.
        answers: answers for a vote, if no run answers the question.
        steps: number of steps after which the question is settled, or None for the default of its
            kind.
        needs: live knob values that the question assumes.
        after: step of the run at this station; missing steps are taken on arrival.
        chart: chart below the networks in the presentation view.
    """

    name: str
    preset: str = DEFAULT_PRESET
    knobs: Mapping[str, Any] = field(default_factory=dict)
    change: Mapping[str, Any] | None = None
    paused: bool = False
    does: Literal["show_break"] | None = None
    ask: str | None = None
    answers: tuple[str, ...] = ()
    network: str | None = None
    steps: int | None = None
    needs: Mapping[str, float] = field(default_factory=dict)
    after: int = 0
    chart: str = "loss"

    def config(self) -> RunConfig:
        return PRESETS[self.preset].config(**self.knobs)


@dataclass(frozen=True, kw_only=True)
class StationWords:
    """Texts of a station; `say` is shown on screen, `notes` only to the presenter."""

    title: str
    ask: str = ""
    say: str = ""
    notes: str = ""


@dataclass(frozen=True, kw_only=True)
class TalkWords:
    """Texts of a talk and of its stations."""

    title: str
    about: str = ""
    stations: tuple[StationWords, ...] = ()


class Chapter(NamedTuple):
    """Run of a recording; `number` is its first station's number, `stops` are (station, step)."""

    number: int
    config: RunConfig
    changes: list[Change]
    stops: list[tuple[int, int]]


@dataclass(frozen=True, kw_only=True)
class Talk:
    """Talk; its first station opens a run.

    Attributes:
        last: last step of each run in a recording, by number of the station that opens the run.
        words: texts of a talk from a file, or None for a talk of the app.
    """

    stations: tuple[Station, ...]
    last: Mapping[int, int]
    words: TalkWords | None = None

    def __len__(self) -> int:
        return len(self.stations)

    def opener(self, number: int) -> int:
        """Return the number, from 1, of the station that opened the run of station `number`."""
        return max(at for at in range(1, number + 1) if self.stations[at - 1].change is None)

    def past(self, number: int) -> tuple[Change, ...]:
        """Return the live changes from the start of a station's run up to the station."""
        on_the_way = self.stations[self.opener(number) : number]
        return tuple(Change(each.after, dict(each.change)) for each in on_the_way if each.change)

    def live_knobs(self, number: int) -> dict[str, Any]:
        """Return the values of all live knobs of the run at a station."""
        config = self.stations[self.opener(number) - 1].config()
        knobs = {name: getattr(config, name) for name in LIVE_KNOBS}
        for change in self.past(number):
            knobs |= change.values
        return knobs

    def last_step_of(self, number: int, needs: Mapping[str, float]) -> int:
        """Return the number of the last station at which the question of station `number` is still
        open.

        The question stays open at later stations of the same run that make no change, or make
        exactly the change that the question needs.
        """
        last = number
        for at, station in enumerate(self.stations[number:], start=number + 1):
            if station.change is None or (station.change and station.change != needs):
                break
            last = at
        return last

    def chapters(self) -> list[Chapter]:
        """Return the runs of a recording, in order."""
        found: list[Chapter] = []
        for number, station in enumerate(self.stations, start=1):
            if station.change is None:
                found.append(Chapter(number, station.config(), [], []))
            found[-1].stops.append((number, station.after))
            if station.change:
                found[-1].changes.append(Change(station.after, dict(station.change)))
        return found


# Talks of the app by name. Their step numbers assume that the first preset's network without BN
# breaks after about seven steps at a learning rate of 1.
TALKS: dict[str, Talk] = {
    "first-five-minutes": Talk(
        stations=(
            Station(name="predict", paused=True, ask="breaks", steps=40,
                    needs={"learning_rate": 1.0}),
            Station(name="raise", change={"learning_rate": 1.0}, after=60, ask="layer",
                    network="none", needs={"learning_rate": 1.0}, chart="accuracy"),
            Station(name="break", change={}, does="show_break", after=75, ask="accuracy",
                    network="none", needs={"learning_rate": 0.1}, chart="accuracy"),
            Station(name="lower", change={"learning_rate": 0.1}, after=130, chart="accuracy"),
            Station(name="two", preset="batch-of-two", paused=True, ask="ahead", steps=300,
                    chart="accuracy"),
            Station(name="deep", knobs={"activation": "sigmoid", "depth": 20}, paused=True,
                    ask="ahead", steps=100, chart="accuracy"),
            Station(name="gradient", change={}, after=100, chart="gradients"),
            Station(name="start"),
        ),
        last={1: 230, 5: 300, 6: 120, 8: 100},
    ),
}  # fmt: skip


def words_of(name: str, talk: Talk, language: str | None = None) -> TalkWords:
    """Return a talk's own texts, or the app's texts in `language`, by default the current one."""
    if talk.words is not None:
        return talk.words
    said = texts("talks", language)["talk"][name]
    stations = tuple(StationWords(**said["station"][each.name]) for each in talk.stations)
    return TalkWords(title=said["title"], about=said["about"], stations=stations)
