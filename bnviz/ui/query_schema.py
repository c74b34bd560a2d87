"""The parameters of the pages' addresses, each declared once.

`LAB_SCHEMA`, `lesson_schema` and `map_schema` list what each page reads: the name of a parameter,
how it is read and written, and its default. Knobs are not among them: their names and ranges are
those of `RunConfig`, and of a map `MapSetting`.
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
from bnviz.own_talks.shelf import find_talk, is_own
from bnviz.planned_runs.plan import MOST_STEPS
from bnviz.presets import DEFAULT_PRESET, PRESETS
from bnviz.records import Change
from bnviz.sweeps.setting import USUAL, MapSetting, Span
from bnviz.talks.talk import TALKS
from bnviz.ui.claims.measured import watchable
from bnviz.ui.query_problems import Problem, allowed_like, no_parameter, shortened
from bnviz.words.phrase import error_text, one_of, phrase

MOST_SEED = 2**31 - 1
# A list with more wrong names than these is not answered name by name.
MOST_PROBLEMS = 10
# More unknown names than these are no slip of a hand; the others are not named.
MOST_UNKNOWN = 5


# Parameters of other sites.

FOREIGN_PREFIXES = ("utm_", "mtm_", "pk_", "hsa_", "_hs")
FOREIGN_NAMES = frozenset(
    {
        "fbclid", "gclid", "gclsrc", "gbraid", "wbraid", "dclid", "gad_source", "gad_campaignid",
        "srsltid", "msclkid", "twclid", "ttclid", "yclid", "ysclid", "li_fat_id", "rdt_cid",
        "igshid", "igsh", "mc_cid", "mc_eid", "mkt_tok", "vero_id", "oly_anon_id", "oly_enc_id",
        "wickedid", "s_cid", "ref_src", "ref_url", "_ga", "_gl",
    }
)  # fmt: skip
# Parameters that every page takes, which are read elsewhere: the language, the frame of another
# site, and whether the page follows a teacher's.
EVERY_PAGE = frozenset({"lang", "embed", "embed_options", FOLLOW_PARAMETER})


def is_ignored(name: str) -> bool:
    """Whether no single page reads a parameter of this name, and none answers it."""
    small = name.lower()
    return name in EVERY_PAGE or small in FOREIGN_NAMES or small.startswith(FOREIGN_PREFIXES)


class Query(dict[str, str]):
    """The query of an address: of a name that stands in it several times, the last text.

    Attributes:
        repeated: how often each of these names stands in it.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        pairs = list(pairs)
        super().__init__(pairs)
        counts = Counter(name for name, _ in pairs if not is_ignored(name))
        self.repeated = {name: count for name, count in counts.items() if count > 1}


def unknown_names(query: Mapping[str, str], known: Iterable[str] = ()) -> list[str]:
    """The first names in an address that its page does not read, each short enough to show.

    Args:
        query: the address's.
        known: the parameters that the page reads besides those of every page.
    """
    names = (name for name in map(str, query) if name not in known and not is_ignored(name))
    return [shortened(name) for name in names][:MOST_UNKNOWN]


# Readers: which texts a parameter may have, and which values they stand for. They raise
# `WrongValue`, or `ConfigError` with a sentence of its own.

Reader = Callable[[str], Any]


class WrongValue(ValueError):
    """A parameter's text is not allowed, or parts of it are not.

    Attributes:
        key: of the sentence that says so; "": the parameter's own.
        parts: what fills that sentence for each wrong part, besides the parameter's name (`field`,
            `names`) and its text (`value`).
        instead: the value of the right parts; None: the parameter's default.
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
    """One parameter of a page's address.

    Attributes:
        read: the value of a text.
        default: its value where the address does not name it; it is not written then.
        write: the text of a value.
    """

    read: Reader
    default: Any = None
    write: Callable[[Any], str] = str


# The key of the sentence on a parameter that the page does not have.
UNKNOWN = "unknown"


def choice(names: Sequence[str]) -> Reader:
    """One of some names; where there are none, the page has no such parameter."""

    def read(text: str) -> str:
        if text not in names:
            raise WrongValue("" if names else UNKNOWN, allowed=", ".join(names))
        return text

    return read


def yes_or_no(yes: str, no: str, key: str = "") -> Parameter:
    """True or false, as one of two texts; `key` is that of the sentence on other texts."""

    def read(text: str) -> bool:
        if text not in (yes, no):
            raise WrongValue(key)
        return text == yes

    return Parameter(read, False, lambda value: yes if value else no)


FLAG = yes_or_no("1", "0", "flag")


def as_knob(name: str, read: Reader, allowed: Sequence[str]) -> Reader:
    """Wrap a reader so that a wrong text raises the error of a knob.

    Args:
        name: of the parameter.
        read: the value of a text.
        allowed: its texts.
    """

    def read_or_tell(text: str) -> Any:
        try:
            return read(text)
        except WrongValue:
            raise ConfigError(name, text, one_of(allowed)) from None

    return read_or_tell


def whole_number(most: int, *, least: int = 0, digits: int | None = None) -> Reader:
    """A number without decimals, from `least` to `most`; if that is 0, there is no such parameter.

    Args:
        most: the largest.
        least: the smallest, at least 0.
        digits: how many digits it may have, zeros in front included; None: no zeros in front.
    """

    def read(text: str) -> int:
        # A number of thousands of digits is not even converted.
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
    """Some of `names`, separated by commas, each once; wrong ones are left out.

    Args:
        names: those that are allowed.
        empty: the text for no name at all.
    """

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
    """The name of a claim that the lab can show; its number is read too."""
    claims = watchable()
    numbers = {row.place: claim for claim, row in claims.items()}
    if text not in claims and text not in numbers:
        raise WrongValue(example=next(iter(claims), ""))
    return numbers.get(text, text)


def talk_name(text: str) -> str:
    """The name of a talk of the app, or of somebody's own that is kept."""
    if find_talk(text) is None:
        raise WrongValue("talk_gone" if is_own(text) else "", allowed=", ".join(TALKS))
    return text


def guess(answers: Sequence[str], *, curves: int) -> Reader:
    """One of a lesson's answers; where curves are drawn, five points of each too."""

    def read(text: str) -> str:
        if not curves or not text.startswith(PREFIX):
            return str(choice(answers)(text))
        points = read_points(text, curves)
        if points is None:
            raise WrongValue("drawing", count=str(POINTS * curves), most=str(HIGHEST))
        return write_points(points)

    return read


def own_words(most: int) -> Reader:
    """A reader's own text, as one line of at most `most` characters; 0: there is no such parameter.

    What is longer is cut.
    """

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


# A live change: its step, the name of what is changed unless it is that of the one before, a value.
CHANGE = re.compile(r"([0-9]{1,6}):(?:([a-z_]{1,40})=)?(none|[0-9.,e+@-]{1,120})", re.ASCII)


def live_changes(config: RunConfig) -> Reader:
    """The live changes of a run that begins with `config`.

    Such as `46:learning_rate=0.5~47:0.7~80:scale_weights=10@3`. A name stands where it is another
    one than before; assets/live/dialogs/report.js writes them.
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
# Nobody zooms deeper: float32 ends before.
MOST_ZOOMS = 12


def zooms(setting: MapSetting) -> Reader:
    """The axes of the maps that were zoomed into on the way to `setting`, the widest first."""

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


# Schemas: which parameters each page reads.

# The key of the sentence on a wrong knob.
CONFIG = "config"


# The parameters of a page by name.
QuerySchema = Mapping[str, Parameter]

# Charts that an address of the lab may add.
ADDABLE_CHARTS = tuple(name for name, entry in CHARTS.items() if entry.group == "more")
# The text that takes away the preset's charts; assets/live/dialogs/share.js has it too.
NO_CHARTS = "none"
# What `hide` can take from the lab besides single knobs.
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
    # A run to be made again: what was changed on its way, and the step up to which it went.
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
# An address without a page's path means the lab if it names one of these.
LAB_PARAMETERS = frozenset({*KNOBS, *LAB_SCHEMA})

# The beats of a lesson with a claim, in order.
BEATS = ("question", "predict", "verdict", "why", "break")
# After these a lesson with accounts has one more: the reader's own verdict.
OWN_VERDICT = "own"
# Characters in which a reader says why.
LONGEST_REASON = 280
# The lesson that is shown where an address names one that does not exist.
FIRST_LESSON = next(iter(LESSONS))
HIDE_ANSWERS = "answers"


def beats_of(lesson: Lesson) -> tuple[str, ...]:
    return (*BEATS, OWN_VERDICT) if lesson.accounts else BEATS


def lesson_schema(lesson: Lesson | None) -> QuerySchema:
    """The parameters of a lesson's page.

    Args:
        lesson: None for a page without a run.
    """
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
        # The browser writes it, for a reload (assets/lessons.js).
        "run": Parameter(run_id),
        "present": FLAG,
        "hide": yes_or_no(HIDE_ANSWERS, ""),
        "stop": Parameter(whole_number(stops), default=0),
        "print": FLAG,
        "account": Parameter(choice(accounts)),
        "because": Parameter(own_words(LONGEST_REASON if accounts else 0), default=""),
        # The browser writes it, for a lesson that was finished before (assets/lessons.js).
        "again": FLAG,
    }


def map_schema(setting: MapSetting = USUAL) -> QuerySchema:
    """The parameters of the map's page, but for those of its setting."""
    return {
        "zooms": Parameter(zooms(setting), (), zooms_text),
        "colour": Parameter(
            as_knob("colour", choice(MAP_COLOURS), MAP_COLOURS), default=MAP_COLOURS[0]
        ),
        "cell": Parameter(cell(setting), write=cell_text),
        "present": Parameter(as_knob("present", FLAG.read, ("0", "1")), False, FLAG.write),
    }


# Writing and reading an address by a schema.


def write_query(schema: QuerySchema, values: Mapping[str, Any]) -> dict[str, str]:
    """The part of a query that names some values, in their order; defaults are left out."""
    return {
        name: schema[name].write(value)
        for name, value in values.items()
        if value != schema[name].default
    }


@dataclass
class QueryReader:
    """Reads a query parameter by parameter, and collects what is wrong in it.

    Attributes:
        schema: of the page.
        rest: names and texts that were not read yet.
        problems: what was wrong, in the order of reading.
    """

    schema: QuerySchema
    rest: dict[str, str]
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def of(cls, query: Mapping[str, str], schema: QuerySchema) -> QueryReader:
        """A reader of a query, without the parameters that no single page reads."""
        rest = {str(name): str(text) for name, text in query.items() if not is_ignored(name)}
        repeated = query.repeated if isinstance(query, Query) else {}
        told = [
            {"field": shortened(name)[1:-1], "count": str(count), "value": shortened(query[name])}
            for name, count in repeated.items()
        ]
        return cls(schema, rest, [("repeated", values) for values in told[:MOST_PROBLEMS]])

    def take(self, name: str, read: Reader | None = None) -> Any:
        """Read a parameter, and take it out of `rest`.

        Args:
            name: of the parameter.
            read: another reader than the schema's, where it depends on what was read before.

        Returns:
            Its value; its default where it is absent or wrong.
        """
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
    """Read the setting in an address; wrong parts are dropped one at a time.

    Args:
        read: the setting of some texts. Raises `ConfigError`.
        given: the texts by name. Wrong ones are taken out.
        problems: what is wrong is added to these.
        known: the names of parameters that the page reads.
        blame: the parameter to drop for an error in a field; None: all of them.
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
