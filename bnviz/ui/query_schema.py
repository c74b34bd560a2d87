"""Parameters of page addresses, each declared once.

`LAB_SCHEMA`, `lesson_schema` and `map_schema` define the name and the default of each parameter,
and the functions that read and write its value. Knobs are defined in `RunConfig`, and settings of a
map in `MapSetting`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bnviz.actions import ACTIONS, scaling_in, scaling_to_text
from bnviz.charts import CHARTS
from bnviz.config import KNOBS, LIVE_KNOBS, ConfigError, RunConfig, read_changes
from bnviz.knobs import to_text
from bnviz.lessons import LESSONS
from bnviz.lessons.drawing import HIGHEST, POINTS, PREFIX, read_points, write_points
from bnviz.lessons.lesson import Lesson
from bnviz.lessons.report import one_a_step
from bnviz.live.classroom.classrooms import FOLLOW_PARAMETER
from bnviz.live.classroom.messages import one_line
from bnviz.live.contract import MAP_COLOURS
from bnviz.live.web.run_socket import RUN_ID
from bnviz.own_talks.talk_cache import find_talk, is_own
from bnviz.planned_runs.plan import MOST_STEPS
from bnviz.presets import DEFAULT_PRESET, PRESETS
from bnviz.records import Change
from bnviz.sweeps.setting import USUAL, MapSetting, Span
from bnviz.talks.talk import TALKS
from bnviz.ui.claims.measured import claims_in_lab
from bnviz.ui.query_problems import Problem, allowed_like, no_parameter, shortened
from bnviz.words.phrase import error_text, one_of, phrase

MOST_SEED = 2**31 - 1
# Maximum number of messages about the problems of an address.
MOST_PROBLEMS = 10
# Maximum number of unknown parameters that an error message names. If there are more, they are
# unlikely to be typing errors.
MOST_UNKNOWN = 5


# Parameters that other sites append to links.

FOREIGN_PREFIXES = ("utm_", "mtm_", "pk_", "hsa_", "_hs")
FOREIGN_NAMES = frozenset(
    {
        "fbclid", "gclid", "gclsrc", "gbraid", "wbraid", "dclid", "gad_source", "gad_campaignid",
        "srsltid", "msclkid", "twclid", "ttclid", "yclid", "ysclid", "li_fat_id", "rdt_cid",
        "igshid", "igsh", "mc_cid", "mc_eid", "mkt_tok", "vero_id", "oly_anon_id", "oly_enc_id",
        "wickedid", "s_cid", "ref_src", "ref_url", "_ga", "_gl",
    }
)  # fmt: skip
# Parameter with the id of the run that a page showed before a restart of the server. It is never in
# the address bar (assets/live/data/script_connection.js).
SHOWN_RUN = "shown_run"
# Parameters of every page, read elsewhere: language, embedding, and following a teacher's page.
EVERY_PAGE = frozenset({"lang", "embed", "embed_options", FOLLOW_PARAMETER, SHOWN_RUN})


def is_ignored(name: str) -> bool:
    """Return whether a parameter is read elsewhere for every page, or comes from another site."""
    small = name.lower()
    return name in EVERY_PAGE or small in FOREIGN_NAMES or small.startswith(FOREIGN_PREFIXES)


class Query(dict[str, str]):
    """Query of an address; the last text of a repeated parameter counts.

    Attributes:
        repeated: Number of occurrences of each repeated parameter.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        pairs = list(pairs)
        super().__init__(pairs)
        counts = Counter(name for name, _ in pairs if not is_ignored(name))
        self.repeated = {name: count for name, count in counts.items() if count > 1}


def unknown_names(query: Mapping[str, str], known: Iterable[str] = ()) -> list[str]:
    """First unknown parameters of an address, shortened; `known` are the page's parameters."""
    names = (name for name in map(str, query) if name not in known and not is_ignored(name))
    return [shortened(name) for name in names][:MOST_UNKNOWN]


# Function that converts the text of a parameter to its value. It raises `WrongValue`, or a
# `ConfigError` that has its own message.

Reader = Callable[[str], Any]


class WrongValue(ValueError):
    """Error of a parameter whose text is invalid, wholly or in part.

    Attributes:
        key: Key of the error message, or "" for the parameter's own message.
        parts: Values for the message, one dict per invalid part. The message also gets the
            parameter's name (`field`, `names`) and text (`value`).
        instead: Value of the valid parts, or None for the parameter's default.
    """

    def __init__(
        self,
        key: str = "",
        *,
        parts: Sequence[dict[str, str]] = ({},),
        instead: object = None,
        **values: str,
    ) -> None:
        self.key, self.instead = key, instead
        self.parts = [{**values, **part} for part in parts]
        super().__init__(key, self.parts)


@dataclass(frozen=True)
class Parameter:
    """Parameter of a page's address; its default value is not written to the address."""

    read: Reader
    default: Any = None
    write: Callable[[Any], str] = str


# Key of the message about a parameter that the page does not have.
UNKNOWN = "unknown"


def choice(names: Sequence[str]) -> Reader:
    """Return a function that reads one of `names`; for no names, the parameter is unknown."""

    def read(text: str) -> str:
        if text not in names:
            raise WrongValue("" if names else UNKNOWN, allowed=", ".join(names))
        return text

    return read


def yes_or_no(yes: str, no: str, key: str = "") -> Parameter:
    """Boolean parameter with two texts; `key` selects the error message for other texts."""

    def read(text: str) -> bool:
        if text not in (yes, no):
            raise WrongValue(key)
        return text == yes

    return Parameter(read, False, lambda value: yes if value else no)


FLAG = yes_or_no("1", "0", "flag")


def as_knob(name: str, read: Reader, allowed: Sequence[str]) -> Reader:
    """Wrap `read` so that an invalid text raises a knob's error with the `allowed` texts."""

    def read_or_tell(text: str) -> Any:
        try:
            return read(text)
        except WrongValue:
            raise ConfigError(name, text, one_of(allowed)) from None

    return read_or_tell


def whole_number(most: int, *, least: int = 0, digits: int | None = None) -> Reader:
    """Return a function that reads an integer from `least` to `most`. If `most` is 0, the page has
    no such parameter.

    `digits` is the maximum number of digits with leading zeros; None forbids leading zeros.
    """

    def read(text: str) -> int:
        # Check the length first, so that a number with thousands of digits is not converted.
        if text.isascii() and text.isdecimal() and len(text) <= (digits or len(str(most))):
            value = int(text)
            if least <= value <= most and (digits or text == str(value)):
                return value
        raise WrongValue("" if most else UNKNOWN, most=str(most))

    return read


def run_id(text: str) -> str:
    if not RUN_ID.fullmatch(text):
        raise WrongValue
    return text


def name_list(names: Sequence[str], *, empty: str = "") -> Reader:
    """Return a function that reads comma-separated `names`; it drops duplicates and other names."""

    def read(text: str) -> tuple[str, ...]:
        given = [part.strip() for part in text.split(",") if part.strip()]
        given = [] if text == empty else given
        kept = tuple(dict.fromkeys(part for part in given if part in names))
        parts = [
            {"value": shortened(part), "allowed": allowed_like(part, names)}
            for part in given
            if part not in names
        ]
        if parts:
            raise WrongValue(parts=parts, instead=kept)
        return kept

    return read


def claim_name(text: str) -> str:
    """Read the name or the number of a claim that the lab can show."""
    claims = claims_in_lab()
    numbers = {row.place: claim for claim, row in claims.items()}
    if text not in claims and text not in numbers:
        raise WrongValue(example=next(iter(claims), ""))
    return numbers.get(text, text)


def talk_name(text: str) -> str:
    """Read the name of a talk of the app, or of a user's stored talk."""
    if find_talk(text) is None:
        raise WrongValue("talk_gone" if is_own(text) else "", allowed=", ".join(TALKS))
    return text


def guess(answers: Sequence[str], *, curves: int) -> Reader:
    """Return a function that reads a lesson's answer, or drawn curves with five points each."""

    def read(text: str) -> str:
        if not curves or not text.startswith(PREFIX):
            return str(choice(answers)(text))
        points = read_points(text, curves)
        if points is None:
            raise WrongValue("drawing", count=str(POINTS * curves), most=str(HIGHEST))
        return write_points(points)

    return read


def own_words(most: int) -> Reader:
    """Return a function that reads a line cut to `most` characters; with 0, it refuses any text."""

    def read(text: str) -> str:
        if not text.strip():
            return ""
        key = "" if most else UNKNOWN
        try:
            line = one_line(text, len(text))
        except ValueError:
            raise WrongValue(key, most=str(most)) from None
        if len(line) > most:
            raise WrongValue(key, most=str(most), instead=line[:most].rstrip())
        return line

    return read


# Pattern of a live change: its step, the name of the knob or action (omitted if it is the same as
# in the previous change), and the value.
CHANGE = re.compile(r"([0-9]{1,6}):(?:([a-z_]{1,40})=)?(none|[0-9.,e+@-]{1,120})", re.ASCII)


def live_changes(config: RunConfig) -> Reader:
    """Return a function that reads the live changes of a run that starts with `config`.

    For example `46:learning_rate=0.5~47:0.7~80:scale_weights=10@3`. An omitted name repeats the
    previous name. assets/live/dialogs/report.js writes these texts.
    """

    def read(text: str) -> tuple[Change, ...]:
        found: list[tuple[int, str, str]] = []
        named = ""
        for part in text.split("~"):
            change = CHANGE.fullmatch(part)
            named = (change and change[2]) or named
            if (
                change is None
                or int(change[1]) >= MOST_STEPS
                or named not in (*LIVE_KNOBS, *ACTIONS)
            ):
                raise WrongValue
            found.append((int(change[1]), named, change[3]))
        return one_a_step((each.step, each.values) for each in read_changes(found, config))

    return read


def changes_text(changes: tuple[Change, ...]) -> str:
    parts: list[str] = []
    named = ""
    for change in changes:
        for name, value in change.values.items():
            scaling = scaling_in({name: value})
            text = scaling_to_text(scaling) if scaling else to_text(value) or "none"
            parts.append(f"{change.step}:{'' if name == named else f'{name}='}{text}")
            named = name
    return "~".join(parts)


Rectangle = tuple[Span, Span]
# Maximum number of nested zooms; beyond it, float32 precision is exhausted.
MOST_ZOOMS = 12


def zooms(setting: MapSetting) -> Reader:
    """Return a function that reads the axes of the maps around `setting`'s map, widest first."""

    def read(text: str) -> tuple[Rectangle, ...]:
        spans = [Span.from_text("zooms", part) for part in text.split("~")[: 2 * MOST_ZOOMS]]
        knobs = setting.across.knob, setting.up.knob
        pairs = list(zip(spans[::2], spans[1::2], strict=False))
        if len(spans) % 2 or any((across.knob, up.knob) != knobs for across, up in pairs):
            raise ConfigError("zooms", text, phrase("errors.zooms", example="~".join(knobs)))
        return tuple(pairs)

    return read


def zooms_text(value: tuple[Rectangle, ...]) -> str:
    return "~".join(span.to_text() for rectangle in value for span in rectangle)


def cell(setting: MapSetting) -> Reader:
    def read(text: str) -> tuple[float, float]:
        try:
            if not text.isascii() or "_" in text:
                raise ValueError
            x, y = map(float, text.split(","))
            setting.at(x, y)
        except ConfigError:
            raise
        except (ValueError, OverflowError):
            raise ConfigError("cell", text, phrase("errors.cell")) from None
        return x, y

    return read


def cell_text(value: tuple[float, float]) -> str:
    return ",".join(f"{part:.9g}" for part in value)


# Schemas of the pages.

# Key of the message about an invalid knob.
CONFIG = "config"


# Parameters of a page by name.
QuerySchema = Mapping[str, Parameter]

# Charts that an address of the lab may add.
ADDABLE_CHARTS = tuple(name for name, entry in CHARTS.items() if entry.group == "more")
# Text that removes the preset's charts, also defined in assets/live/dialogs/share.js.
NO_CHARTS = "none"
# Controls that `hide` can remove from the lab, in addition to single knobs.
HIDEABLE = (
    "preset", "transport", "share", "export", "new_seed", "more", "more_knobs", "more_norms",
    "ablations", "edge", "timeline", "scale_weights", "pin",
)  # fmt: skip

LAB_SCHEMA: QuerySchema = {
    "preset": Parameter(choice(tuple(PRESETS)), default=DEFAULT_PRESET),
    "claim": Parameter(claim_name),
    "talk": Parameter(talk_name),
    "station": Parameter(whole_number(1, least=1)),
    "run": Parameter(run_id),
    "at": Parameter(whole_number(MOST_STEPS, digits=9)),
    # Repetition of a run: the changes made during it, and its last step.
    "changes": Parameter(live_changes(RunConfig()), (), changes_text),
    "steps": Parameter(whole_number(MOST_STEPS, least=1)),
    "present": FLAG,
    "paused": FLAG,
    "hide": Parameter(name_list((*KNOBS, *HIDEABLE)), (), ",".join),
    "charts": Parameter(
        name_list(ADDABLE_CHARTS, empty=NO_CHARTS),
        write=lambda names: ",".join(names) or NO_CHARTS,
    ),
}
# Parameters that make an address without a page path an address of the lab.
LAB_PARAMETERS = frozenset({*KNOBS, *LAB_SCHEMA})

# Sections (beats) of a lesson with a claim, in order.
BEATS = ("question", "predict", "verdict", "why", "break")
# Additional last section of a lesson with accounts: the reader's own verdict.
OWN_VERDICT = "own"
# Maximum number of characters of a reader's reasons.
LONGEST_REASON = 280
# Lesson that replaces an unknown lesson in an address.
FIRST_LESSON = next(iter(LESSONS))
HIDE_ANSWERS = "answers"


def beats_of(lesson: Lesson) -> tuple[str, ...]:
    return (*BEATS, OWN_VERDICT) if lesson.accounts else BEATS


def lesson_schema(lesson: Lesson | None) -> QuerySchema:
    """Parameters of a lesson's page; `lesson` is None for a page without a run."""
    answers = lesson.answers if lesson else ()
    stops = len(lesson.stops) if lesson else 0
    accounts = lesson.accounts if lesson else ()
    curves = len(lesson.drawing.curves) if lesson and lesson.drawing else 0
    return {
        "lesson": Parameter(choice(tuple(LESSONS)), default=FIRST_LESSON),
        "beat": Parameter(choice(beats_of(lesson) if lesson and answers else ())),
        "guess": Parameter(guess(answers, curves=curves)),
        "seed": Parameter(whole_number(MOST_SEED, digits=10), default=0),
        "break": Parameter(choice(tuple(e.name for e in lesson.breaks) if lesson else ())),
        # The browser writes this parameter, so that a reload shows the same run
        # (assets/lessons.js).
        "run": Parameter(run_id),
        "present": FLAG,
        "hide": yes_or_no(HIDE_ANSWERS, ""),
        "stop": Parameter(whole_number(stops), default=0),
        "print": FLAG,
        "account": Parameter(choice(accounts)),
        "because": Parameter(own_words(LONGEST_REASON if accounts else 0), default=""),
        # The browser writes this parameter if the reader finished the lesson before
        # (assets/lessons.js).
        "again": FLAG,
    }


def map_schema(setting: MapSetting = USUAL) -> QuerySchema:
    """Parameters of the map's page, except the parameters of its setting."""
    return {
        "zooms": Parameter(zooms(setting), (), zooms_text),
        "colour": Parameter(
            as_knob("colour", choice(MAP_COLOURS), MAP_COLOURS), default=MAP_COLOURS[0]
        ),
        "cell": Parameter(cell(setting), write=cell_text),
        "present": Parameter(as_knob("present", FLAG.read, ("0", "1")), False, FLAG.write),
    }


# Writing and reading of an address with a schema.


def write_query(schema: QuerySchema, values: Mapping[str, Any]) -> dict[str, str]:
    """Query parameters for the values that differ from their defaults, in the order of `values`."""
    return {
        name: schema[name].write(value)
        for name, value in values.items()
        if value != schema[name].default
    }


@dataclass
class QueryReader:
    """Reader of a query; `rest` holds the texts of parameters that have not been taken yet."""

    schema: QuerySchema
    rest: dict[str, str]
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def of(cls, query: Mapping[str, str], schema: QuerySchema) -> QueryReader:
        """Create a `QueryReader` for the parameters that are not ignored (see `is_ignored`)."""
        rest = {str(name): str(text) for name, text in query.items() if not is_ignored(name)}
        repeated = query.repeated if isinstance(query, Query) else {}
        told = [
            {"field": shortened(name)[1:-1], "count": str(count), "value": shortened(query[name])}
            for name, count in repeated.items()
        ]
        return cls(schema, rest, [("repeated", values) for values in told[:MOST_PROBLEMS]])

    def take(self, name: str, read: Reader | None = None) -> Any:
        """Take a parameter out of `rest`; return its default if it is missing or invalid."""
        parameter, text = self.schema[name], self.rest.pop(name, None)
        if text is None:
            return parameter.default
        try:
            return (read or parameter.read)(text)
        except WrongValue as wrong:
            room = max(0, MOST_PROBLEMS - len(self.problems))
            usual = {"field": name, "names": name, "value": shortened(text)}
            told = [{**usual, **values} for values in wrong.parts[:room]]
            self.problems += [(wrong.key or name, values) for values in told]
            return parameter.default if wrong.instead is None else wrong.instead
        except ConfigError as error:
            self.problems.append((CONFIG, {"field": name, "message": error_text(error)}))
            return parameter.default


def read_setting(
    read: Callable[[dict[str, str]], Any],
    given: dict[str, str],
    problems: list[Problem],
    known: Collection[str],
    blame: Callable[[str, Mapping[str, str]], str | None],
) -> Any:
    """Read the settings in an address, and drop invalid parameters one at a time.

    Args:
        read: Function from texts to settings, which raises `ConfigError`.
        given: Texts by name; invalid texts are removed.
        known: Names of the parameters that the page reads.
        blame: Function that returns the parameter to drop for an error in a field, or None for all.
    """
    while True:
        try:
            return read(given)
        except ConfigError as error:
            field, blamed = error.field, blame(error.field, given)
            if field in given and field not in known:
                problems.append(no_parameter(field, known))
            else:
                told = {"field": field, "message": error_text(error), "left_out": blamed or ""}
                problems.append((CONFIG, told))
            if blamed is None or len(problems) > MOST_PROBLEMS:
                given.clear()
            else:
                del given[blamed]
