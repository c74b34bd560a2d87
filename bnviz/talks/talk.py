"""Talks: lists of stations that a presenter walks through with PageDown and PageUp.

The app's own are entries here, their words in `assets/texts/<language>/talks.toml`; a test holds
that every station opens. A talk from a file (`bnviz.own_talks`) brings its words along.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from bnviz.config import LIVE_KNOBS, RunConfig
from bnviz.presets import DEFAULT_PRESET, PRESETS
from bnviz.records import Change
from bnviz.words.texts import texts

# Steps that a station may ask to take at once.
MOST_AT_ONCE = 1_000


@dataclass(frozen=True, kw_only=True)
class Station:
    """One station.

    Attributes:
        name: a key of the talk's words: `title`, and `ask`, the question to the class.
        preset: with which its run begins.
        knobs: knobs of that run that differ from the preset's.
        change: live knobs that it sets on the run of the station before it; None where it opens a
            run of its own.
        paused: whether its run waits at step 0.
        does: what else the page does on arrival.
        ask: how the run answers the question, a kind of `assets/classroom/run_questions.js`; None
            where only the class can. The station does not show the answer yet: a later one does.
        answers: the question's own, where the class votes and no run answers it.
        network: the network that the question asks about.
        steps: of the run, after which the question is settled; None: those of its kind.
        needs: live knobs that the question takes to be set so.
        after: steps that its run has taken when the station is reached; those that are missing then
            are taken at once.
        chart: the chart below the networks on the stage. It shows what the station says, and what
            it asks about as far as the run has gone.
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
        """The config with which its run begins, if it opens one."""
        return PRESETS[self.preset].config(**self.knobs)


@dataclass(frozen=True, kw_only=True)
class StationWords:
    """What is said at a station.

    Attributes:
        title: its name.
        ask: the question to the class, or "".
        say: a sentence that the stage shows, or "".
        notes: what only the presenter sees, or "".
    """

    title: str
    ask: str = ""
    say: str = ""
    notes: str = ""


@dataclass(frozen=True, kw_only=True)
class TalkWords:
    """The words of a talk.

    Attributes:
        title: its name.
        about: what it is about, or "".
        stations: those of each station.
    """

    title: str
    about: str = ""
    stations: tuple[StationWords, ...] = ()


class Chapter(NamedTuple):
    """A run of a recording.

    Attributes:
        number: of the station that opens it.
        config: with which it begins.
        changes: that its stations make.
        stops: number and step of each of its stations.
    """

    number: int
    config: RunConfig
    changes: list[Change]
    stops: list[tuple[int, int]]


@dataclass(frozen=True, kw_only=True)
class Talk:
    """A talk.

    Attributes:
        stations: in order; the first one opens a run.
        last: the last step of every run in a recording, by the number of the station that opens it.
        words: those that it brings along; None: they are in the texts.
    """

    stations: tuple[Station, ...]
    last: Mapping[int, int]
    words: TalkWords | None = None

    def __len__(self) -> int:
        return len(self.stations)

    def opener(self, number: int) -> int:
        """The number of the station that opened the run of a station; numbers count from 1."""
        return max(at for at in range(1, number + 1) if self.stations[at - 1].change is None)

    def past(self, number: int) -> tuple[Change, ...]:
        """The changes that a station's run has gone through when the station is reached."""
        on_the_way = self.stations[self.opener(number) : number]
        return tuple(Change(each.after, dict(each.change)) for each in on_the_way if each.change)

    def live_knobs(self, number: int) -> dict[str, Any]:
        """All live knobs of a station's run as they are at the station."""
        config = self.stations[self.opener(number) - 1].config()
        knobs = {name: getattr(config, name) for name in LIVE_KNOBS}
        for change in self.past(number):
            knobs |= change.values
        return knobs

    def last_step_of(self, number: int, needs: Mapping[str, float]) -> int:
        """The number of the last station at which a question of a station is still open.

        It stays open at the stations that follow on the same run, as long as they change nothing
        but what the question needs.

        Args:
            number: of the station that asks.
            needs: live knobs that the question takes to be set so.
        """
        last = number
        for at, station in enumerate(self.stations[number:], start=number + 1):
            if station.change is None or (station.change and station.change != needs):
                break
            last = at
        return last

    def chapters(self) -> list[Chapter]:
        """The runs of a recording, in order."""
        found: list[Chapter] = []
        for number, station in enumerate(self.stations, start=1):
            if station.change is None:
                found.append(Chapter(number, station.config(), [], []))
            found[-1].stops.append((number, station.after))
            if station.change:
                found[-1].changes.append(Change(station.after, dict(station.change)))
        return found


# Steps: at a rate of 1 the plain network of the first preset breaks some seven steps after.
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
    """What is said in a talk.

    Args:
        name: of the talk.
        talk: the talk.
        language: of the words, unless the talk brings its own along; None: the current one.
    """
    if talk.words is not None:
        return talk.words
    said = texts("talks", language)["talk"][name]
    stations = tuple(StationWords(**said["station"][each.name]) for each in talk.stations)
    return TalkWords(title=said["title"], about=said["about"], stations=stations)
