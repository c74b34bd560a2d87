"""Talk files: their tables and fields, all checks, and the conversion to a `Talk`.

Each error names the line, the station (one stop of the talk), the field, the value and what is
allowed. CONTRIBUTING.md describes the format.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from bnviz.charts import CHARTS
from bnviz.config import KNOBS, LIVE_KNOBS, ConfigError, RunConfig, with_change
from bnviz.knobs import cut, must_be
from bnviz.live.classroom.messages import has_control_characters
from bnviz.live.contract import FEWEST_ANSWERS, LONGEST_ANSWER, LONGEST_TEXT, MOST_ANSWERS
from bnviz.own_talks.toml_source import NotToml, Path, TomlSource
from bnviz.presets import DEFAULT_PRESET, PRESETS
from bnviz.talks.talk import MOST_AT_ONCE, Station, StationWords, Talk, TalkWords
from bnviz.words.phrase import Phrase, integer_between, listed, one_of, phrase

# Maximum size of a talk file in bytes, maximum number of its stations, and maximum number of
# problems reported at once.
MOST_BYTES, MOST_STATIONS, MOST_PROBLEMS = 32_768, 40, 8
# Maximum number of characters in a title, in the sentence on screen, and in the notes.
LONGEST_TITLE, LONGEST_SENTENCE, LONGEST_NOTES = 60, 240, 4_000
# Number of steps for which a recording continues after the last station of a run.
AFTERWARDS = 60
# Maximum value for the last step of a run in a recording.
LAST_STEP = 2 * MOST_AT_ONCE
# Largest absolute value of an integer in a talk. No knob accepts a larger number.
LARGEST = 2**53
# Kinds of questions about a single network, and kinds of networks with layers in a fixed order.
ABOUT_ONE = ("accuracy", "layer")
LAYERED = ("mlp", "conv")
STATION_CHARTS = tuple(name for name, entry in CHARTS.items() if entry.group in ("main", "more"))

# Keys of our explanations of common mistakes, by the beginning of the TOML parser's error message.
SLIPS = {
    "Cannot overwrite a value": "twice",
    "Cannot declare": "twice",
    "Illegal character '\\n'": "open_quote",
    "Unterminated string": "open_quote",
    "Invalid value": "no_value",
}

# Unchecked knob values, by the name of the knob.
KnobValues = dict[str, Any]
QuestionKind = Literal["breaks", "first", "ahead", "accuracy", "layer"]

_MARKUP = re.compile(r"<[A-Za-z/!?]")
# Translation table that removes the control characters that notes may contain.
_BREAKS = str.maketrans("", "", "\n\t")


def _plain(text: str) -> str:
    controlled = has_control_characters(text.translate(_BREAKS))
    if _MARKUP.search(text) or controlled or not text.strip():
        raise ValueError
    return text.strip()


def _one_line(text: str) -> str:
    if "\n" in text:
        raise ValueError
    return _plain(text)


Title = Annotated[str, Field(max_length=LONGEST_TITLE), AfterValidator(_one_line)]
Sentence = Annotated[str, Field(max_length=LONGEST_SENTENCE), AfterValidator(_one_line)]
QuestionText = Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(_one_line)]
Answer = Annotated[str, Field(max_length=LONGEST_ANSWER), AfterValidator(_one_line)]
Notes = Annotated[str, Field(max_length=LONGEST_NOTES), AfterValidator(_plain)]
Steps = Annotated[int, Field(ge=0, le=MOST_AT_ONCE)]


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class QuestionTable(_Table):
    """`[station.question]`: question to the class.

    Attributes:
        answers: answers for a vote, if no run answers the question.
        kind: kind of question that the run answers (`PresetQuestion.kind`).
        steps: steps after which the question is settled.
        needs: live knob values that the question assumes.
    """

    text: QuestionText
    answers: list[Answer] | None = Field(None, min_length=FEWEST_ANSWERS, max_length=MOST_ANSWERS)
    kind: QuestionKind | None = None
    network: str | None = None
    steps: Annotated[int, Field(ge=1, le=MOST_AT_ONCE)] | None = None
    needs: KnobValues = {}


class StationTable(_Table):
    """`[[station]]`: station (one stop of a talk).

    Attributes:
        preset, setting: preset and knobs of a new run, which the station opens.
        paused: whether the new run waits at step 0.
        change: live knobs that the station changes in the run of the previous station.
        after: step of the run at this station, or None for the previous station's step.
        until: last step of the new run in a recording.
    """

    title: Title
    say: Sentence | None = None
    notes: Notes | None = None
    preset: str | None = None
    setting: KnobValues | None = None
    paused: bool = False
    change: KnobValues = {}
    after: Steps | None = None
    chart: str = "loss"
    show_break: bool = False
    until: Annotated[int, Field(ge=1, le=LAST_STEP)] | None = None
    question: QuestionTable | None = None


class TalkTable(_Table):
    """Contents of a talk file."""

    title: Title
    about: Sentence | None = None
    station: list[StationTable] = Field(min_length=1, max_length=MOST_STATIONS)


# Stand-in for the question of a station that has no question.
NO_QUESTION = QuestionTable.model_construct(text="")


def _text_of(most: int) -> Phrase:
    return phrase("talks.file.text", most=most)


# Descriptions of the allowed values, by the name of the field.
ALLOWED: dict[str, Phrase] = {
    "title": _text_of(LONGEST_TITLE),
    "about": _text_of(LONGEST_SENTENCE),
    "station": phrase("talks.file.stations", most=MOST_STATIONS),
    "say": _text_of(LONGEST_SENTENCE),
    "notes": phrase("talks.file.notes", most=LONGEST_NOTES),
    "preset": one_of(PRESETS),
    "setting": phrase("talks.file.knobs", names=listed(KNOBS)),
    "change": phrase("talks.file.knobs", names=listed(LIVE_KNOBS)),
    "after": integer_between(0, MOST_AT_ONCE),
    "chart": one_of(STATION_CHARTS),
    "until": integer_between(1, LAST_STEP),
    "question": phrase("talks.file.question"),
    "text": _text_of(LONGEST_TEXT),
    "answers": phrase(
        "talks.file.answers", low=FEWEST_ANSWERS, high=MOST_ANSWERS, most=LONGEST_ANSWER
    ),
    "kind": one_of(get_args(QuestionKind)),
    "steps": integer_between(1, MOST_AT_ONCE),
    "needs": phrase("talks.file.knobs", names=listed(LIVE_KNOBS)),
    **dict.fromkeys(("paused", "show_break"), phrase("errors.true_or_false")),
}


class TalkFileError(ValueError):
    """Invalid talk file. The text is English; `problems` are phrases that can be translated."""

    def __init__(self, problems: Iterable[Phrase]) -> None:
        self.problems = tuple(islice(problems, MOST_PROBLEMS))
        super().__init__("\n".join(problem.text("en") for problem in self.problems))


def read_talk(text: str) -> Talk:
    """Read and check a talk file; raise `TalkFileError` if it is invalid."""
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise TalkFileError([phrase("talks.file.no_text")]) from None
    if size > MOST_BYTES:
        raise TalkFileError([phrase("talks.file.too_large", size=size, most=MOST_BYTES)])
    try:
        source = TomlSource(text.removeprefix("\ufeff"))
    except NotToml as error:
        raise TalkFileError([_not_toml(error)]) from None
    try:
        table = TalkTable.model_validate(source.data)
    except ValidationError as invalid:
        problems = (_of_pydantic(source, one) for one in invalid.errors(include_url=False))
        raise TalkFileError(problems) from None
    return _Reader(source).talk(table)


def _not_toml(error: NotToml) -> Phrase:
    if not error.reason:
        return phrase("talks.file.too_deep")
    known = next((name for start, name in SLIPS.items() if error.reason.startswith(start)), None)
    reason = phrase(f"talks.file.slip.{known}") if known else error.reason
    return phrase("talks.file.syntax", line=error.line, reason=reason)


def _of_pydantic(source: TomlSource, error: Mapping[str, Any]) -> Phrase:
    path = tuple(error["loc"])
    if error["type"] == "extra_forbidden":
        tables: dict[int, type[_Table]] = {1: TalkTable, 3: StationTable, 4: QuestionTable}
        names = listed(tables[len(path)].model_fields)
        return _problem(source, path, phrase("talks.file.unknown", field=_name(path), names=names))
    named = [part for part in path if isinstance(part, str)]
    allowed = ALLOWED.get(named[-1], phrase("talks.file.question"))
    if named[-1] == "answers" and isinstance(path[-1], int):
        allowed = _text_of(LONGEST_ANSWER)
    if error["type"] == "missing":
        said = phrase("talks.file.missing", field=_name(path), allowed=allowed)
    else:
        said = must_be(_name(path), _shown(error["input"]), allowed)
    return _problem(source, path, said)


def _problem(source: TomlSource, path: Path, said: Phrase) -> Phrase:
    line = source.line_of(path)
    if len(path) > 1 and path[0] == "station":
        return phrase("talks.file.at_station", line=line, station=int(path[1]) + 1, said=said)
    return phrase("talks.file.at_line", line=line, said=said)


def _name(path: Path) -> str:
    """Return a field's name as in the file ("question.steps"). List entries count from 1."""
    parts = [f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in path]
    if path[0] == "station" and len(path) > 2:
        parts = parts[2:]
    return "".join(parts).removeprefix(".")[:80]


def _shown(value: object) -> Phrase | str:
    """Format a value for a message. Tables and lists are only described."""
    if isinstance(value, dict):
        return phrase("talks.file.a_table")
    if isinstance(value, list):
        return phrase("talks.file.a_list", count=len(value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) > LARGEST:
        return phrase("talks.file.large_number")
    return cut(repr(value) if isinstance(value, str | float | int) else str(value), 60)


class _Reader:
    """Converter from the tables of a file to a talk. It reads one station after another."""

    def __init__(self, source: TomlSource) -> None:
        self._source, self._problems = source, list[Phrase]()
        self._at: Path = ()
        # State of the current run: preset, knobs, config with all changes, number of the station
        # that opened the run, step of the previous station, and step of the last change.
        self._preset, self._knobs = DEFAULT_PRESET, KnobValues()
        self._config = RunConfig()
        self._opener, self._reached, self._changed = 1, 0, 0
        self._last: dict[int, int] = {}
        self._until: int | None = None

    def talk(self, table: TalkTable) -> Talk:
        """Return the talk, or raise `TalkFileError` if a station has problems."""
        stations = [self._station(place, each) for place, each in enumerate(table.station)]
        if self._problems:
            raise TalkFileError(self._problems)
        words = TalkWords(
            title=table.title, about=table.about or "",
            stations=tuple(
                StationWords(
                    title=each.title, ask=(each.question or NO_QUESTION).text,
                    say=each.say or "", notes=each.notes or "",
                )
                for each in table.station
            ),
        )  # fmt: skip
        return Talk(stations=tuple(stations), last=self._last, words=words)

    def _wrong(self, path: Path, value: object, allowed: Phrase | str) -> None:
        field = _name((*self._at, *path))
        if value is None:
            self._tell(path, phrase("talks.file.missing", field=field, allowed=allowed))
        else:
            self._tell(path, must_be(field, _shown(value), allowed))

    def _tell(self, path: Path, said: Phrase) -> None:
        """Record a problem with a field of the current station."""
        if len(self._problems) < MOST_PROBLEMS:
            self._problems.append(_problem(self._source, (*self._at, *path), said))

    def _station(self, place: int, table: StationTable) -> Station:
        self._at = ("station", place)
        opens = place == 0 or table.preset is not None or table.setting is not None
        change = None if opens else self._change(table)
        if opens:
            self._open(place + 1, table)
        after = self._after(table, opens=opens)
        question = table.question or NO_QUESTION
        if table.question is not None:
            self._check_question(question, waits=table.paused)
        self._check_chart(table.chart)
        asked = question.steps if question.steps and table.paused else 0
        if opens:
            self._until = table.until
        ends = max(after, asked) + (AFTERWARDS if self._until is None else 0)
        known = self._last.get(self._opener, self._until or 0)
        self._last[self._opener] = max(known, min(ends, LAST_STEP))
        return Station(
            name=f"station-{place + 1}", preset=self._preset,
            knobs=dict(self._knobs) if opens else {}, change=change, paused=table.paused,
            does="show_break" if table.show_break else None,
            ask=question.kind, answers=tuple(question.answers or ()), network=question.network,
            steps=question.steps, needs=dict(question.needs), after=after, chart=table.chart,
        )  # fmt: skip

    def _open(self, number: int, table: StationTable) -> None:
        """Check the new run that a station opens, and make it the current run."""
        self._opener, self._reached, self._changed = number, 0, 0
        if table.change:
            self._wrong(("change",), table.change, phrase("talks.file.not_with_setting"))
        self._preset = table.preset or DEFAULT_PRESET
        if self._preset not in PRESETS:
            self._wrong(("preset",), self._preset, one_of(PRESETS))
            self._preset = DEFAULT_PRESET
        self._knobs = self._known_knobs(("setting",), table.setting or {}, KNOBS)
        try:
            self._config = PRESETS[self._preset].config(**self._knobs)
        except ConfigError as error:
            self._tell(("setting", error.field), error.phrase)
            self._knobs, self._config = {}, PRESETS[self._preset].config()

    def _change(self, table: StationTable) -> KnobValues:
        """Check live knobs, change them in the current run, and return the knobs that changed."""
        if table.paused:
            self._wrong(("paused",), True, phrase("talks.file.only_own_waits"))
        if table.until is not None:
            self._wrong(("until",), table.until, phrase("talks.file.only_own_ends"))
        change = self._known_knobs(("change",), table.change, LIVE_KNOBS)
        try:
            self._config, made = with_change(self._config, change)
        except ConfigError as error:
            self._tell(("change", error.field), error.phrase)
            return {}
        return made

    def _known_knobs(
        self, path: Path, given: Mapping[str, Any], known: Collection[str]
    ) -> KnobValues:
        """Return the valid knobs. Record every other knob as a problem."""
        found = {}
        for name, value in given.items():
            parts = value if isinstance(value, list) else [value]
            if name not in known:
                names = phrase("talks.file.unknown", field=name[:80], names=listed(known))
                self._tell((*path, name), names)
            elif not all(map(_is_value, parts)):
                self._wrong((*path, name), value, KNOBS[name].rule)
            else:
                found[name] = tuple(value) if isinstance(value, list) else value
        return found

    def _after(self, table: StationTable, *, opens: bool) -> int:
        after = self._reached if table.after is None else table.after
        if after < self._changed:
            self._wrong(("after",), after, integer_between(self._changed, MOST_AT_ONCE))
        if not opens and table.change:
            self._changed = after
        self._reached = max(after, self._changed)
        return after

    def _check_chart(self, chart: str) -> None:
        fitting = [name for name in STATION_CHARTS if CHARTS[name].fits(self._config)]
        if chart not in fitting:
            self._wrong(("chart",), chart, one_of(fitting))

    def _check_question(self, question: QuestionTable, *, waits: bool) -> None:
        """Check that the fields of a question fit its kind and the current run."""
        at, norms = "question", self._config.norms
        if question.kind is None:
            for name in ("network", "steps", "needs"):
                if given := getattr(question, name):
                    self._wrong((at, name), given, phrase("talks.file.only_with_kind"))
            return
        if question.answers is not None:
            self._wrong((at, "answers"), question.answers, phrase("talks.file.not_with_kind"))
        if question.network is not None and question.network not in norms:
            self._wrong((at, "network"), question.network, one_of(norms))
        if question.kind in ABOUT_ONE and question.network is None and len(norms) > 1:
            self._wrong((at, "network"), None, one_of(norms))
        if question.kind not in self._kinds_that_fit():
            self._wrong((at, "kind"), question.kind, one_of(self._kinds_that_fit()))
        needs = self._known_knobs((at, "needs"), question.needs, LIVE_KNOBS)
        try:
            with_change(self._config, needs)
        except ConfigError as error:
            self._tell((at, "needs", error.field), error.phrase)
        if waits and not needs and question.steps is None:
            self._wrong((at, "steps"), None, ALLOWED["steps"])

    def _kinds_that_fit(self) -> list[str]:
        config, kinds = self._config, list(get_args(QuestionKind))
        if len(config.norms) < 2:
            kinds = [kind for kind in kinds if kind not in ("ahead", "first")]
        if config.depth < 2 or config.network not in LAYERED:
            kinds.remove("layer")
        return kinds


def _is_value(value: object) -> bool:
    """Return whether a value is a number, a boolean or a text, and not too large or too long."""
    if isinstance(value, int):
        return abs(value) <= LARGEST
    return isinstance(value, float) or (isinstance(value, str) and len(value) <= LONGEST_TITLE)
