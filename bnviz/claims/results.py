"""What was measured of the claims, as plain values: the table and the page are made of it.

`measured.json`, beside this file, is written by the command and read without torch.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import orjson
from pydantic import BaseModel, ConfigDict, Field

from bnviz.claims import CLAIMS
from bnviz.claims.judgement import Judgement, Outcome
from bnviz.claims.statement import Watch
from bnviz.claims.units import Unit, unit_of
from bnviz.config import RunConfig

FILE = Path(__file__).with_name("measured.json")

# What is not finite has a word in JSON.
Number = float | str


class _Plain(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Again(_Plain):
    """A declared statement on seeds that nobody had looked at."""

    seeds: tuple[int, ...]
    values: tuple[Number, ...]
    outcome: Outcome


class Row(_Plain):
    """A statement and what was found of it.

    Attributes:
        place: its number, E6.2; of what was found here, with a letter: E6.b.
        key: its name among the statements of its experiment.
        kind: paper, calculation, earlier run or found here.
        found: whether it was stated after it had been seen.
        instead_of: place of the statement that it is for, or None.
        unit: of what is measured. Shares are recorded from 0 to 1, whatever they are written in.
        low, high: the bounds of what is expected; None: no bound.
        expected: the same in words.
        margin: how far inside of its bounds the worst seed lies.
        met: seeds whose value is as expected.
        compared: median accuracy of what it compares with, where that may have learned nothing.
        comparator: what that is, as a sentence calls it; else empty.
        query: of the lab's address that shows it, or None.
        no_query: why there is none; else empty.
        step: at which it is seen there, or None.
        again: the same on fresh seeds, once measured.
    """

    place: str
    key: str
    text: str
    lead: str
    setting: str
    quantity: str
    unit: Unit
    source: str
    kind: str
    found: bool
    instead_of: str | None
    changed: str
    low: float | None
    high: float | None
    expected: str
    seeds: tuple[int, ...]
    values: tuple[Number, ...]
    median: Number
    lowest: Number
    highest: Number
    margin: Number
    met: int
    compared: Number | None
    comparator: str
    outcome: Outcome
    query: dict[str, str] | None
    no_query: str
    step: int | None
    again: Again | None = None


class Experiment(_Plain):
    """An experiment and its statements, those that were declared first."""

    name: str
    label: str
    help: str
    source: str
    note: str
    presets: tuple[str, ...]
    rows: tuple[Row, ...]


class Results(_Plain):
    """Everything that was measured in one go.

    Attributes:
        torch: its version, without what it says of the build.
        seeds: of the declared statements.
        found_seeds: of those found here.
        experiments: in the order of `CLAIMS`.
    """

    torch: str
    seeds: tuple[int, ...]
    found_seeds: tuple[int, ...]
    again_seeds: tuple[int, ...] = Field(default=())
    experiments: tuple[Experiment, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """Of all experiments."""
        return tuple(row for experiment in self.experiments for row in experiment.rows)

    @property
    def changed_again(self) -> tuple[Row, ...]:
        """The declared rows whose outcome is another one on the fresh seeds."""
        return tuple(row for row in self.rows if row.again and row.again.outcome != row.outcome)


def gather(judged: Mapping[str, Sequence[Judgement]], torch_version: str, seeds: range) -> Results:
    """Judgements by claim, as plain values."""
    every = [each for claim in judged.values() for each in claim]
    found = {seed for each in every if each.statement.found for seed in each.seeds}
    return Results(
        torch=torch_version.partition("+")[0],
        seeds=tuple(seeds),
        found_seeds=tuple(sorted(found)),
        experiments=tuple(_experiment(name, judged[name]) for name in CLAIMS if name in judged),
    )


def with_again(results: Results, judged: Mapping[str, Sequence[Judgement]]) -> Results:
    """The same results with what fresh seeds gave beside the declared rows."""
    fresh = {
        (each.claim, each.statement.key): each
        for claim in judged.values()
        for each in claim
        if not each.statement.found
    }
    experiments = []
    for experiment in results.experiments:
        rows = []
        for row in experiment.rows:
            found = fresh.get((experiment.name, row.key))
            again = found and Again(
                seeds=found.seeds, values=tuple(map(plain, found.values)), outcome=found.outcome
            )
            rows.append(row.model_copy(update={"again": again or row.again}))
        experiments.append(experiment.model_copy(update={"rows": tuple(rows)}))
    seeds = sorted({seed for each in fresh.values() for seed in each.seeds})
    return results.model_copy(
        update={"experiments": tuple(experiments), "again_seeds": tuple(seeds)}
    )


def write(results: Results, path: Path = FILE) -> None:
    """As JSON, a row a line or so: differences between two files can be read."""
    path.write_bytes(orjson.dumps(results.model_dump(mode="json"), option=orjson.OPT_INDENT_2))


def read(path: Path = FILE) -> Results:
    """What `write` wrote.

    Raises:
        FileNotFoundError: nothing was written there.
        pydantic.ValidationError: it is something else.
    """
    return Results.model_validate_json(path.read_bytes())


def _experiment(name: str, judged: Sequence[Judgement]) -> Experiment:
    entry = CLAIMS[name]
    places = {
        each.statement.key: place for each, place in zip(judged, _places(judged), strict=True)
    }
    rows = [_row(each, places) for each in judged]
    return Experiment(
        name=name, label=entry.label, help=entry.help, source=entry.source,
        note=entry.resolve().note, presets=entry.presets,
        rows=tuple(sorted(rows, key=lambda row: row.found)),
    )  # fmt: skip


def _places(judged: Iterable[Judgement]) -> list[str]:
    """E6.1, E6.2, … of what was declared; E6.a, E6.b, … of what was found here."""
    declared = letters = 0
    places = []
    for each in judged:
        if each.statement.found:
            places.append(f"{each.claim}.{chr(ord('a') + letters)}")
            letters += 1
        else:
            declared += 1
            places.append(f"{each.claim}.{declared}")
    return places


def _row(judgement: Judgement, places: Mapping[str, str]) -> Row:
    statement = judgement.statement
    low, high = statement.expected.low, statement.expected.high
    watch, against = statement.watch, statement.comparator
    return Row(
        place=places[statement.key],
        key=statement.key,
        text=statement.text,
        lead=statement.lead,
        setting=statement.setting,
        quantity=statement.quantity,
        unit=unit_of(statement.quantity),
        source=statement.source,
        kind=statement.kind.value,
        found=statement.found,
        instead_of=places[statement.instead_of] if statement.instead_of else None,
        changed=statement.changed,
        low=None if math.isinf(low) else low,
        high=None if math.isinf(high) else high,
        expected=statement.expected.words,
        seeds=judgement.seeds,
        values=tuple(map(plain, judgement.values)),
        median=plain(judgement.median),
        lowest=plain(judgement.lowest),
        highest=plain(judgement.highest),
        margin=plain(judgement.margin),
        met=judgement.seeds_met,
        compared=plain(judgement.compared_median) if against else None,
        comparator=against.name if against else "",
        outcome=judgement.outcome,
        query=_query(watch) if isinstance(watch, Watch) else None,
        no_query="" if isinstance(watch, Watch) else watch,
        step=watch.step if isinstance(watch, Watch) else None,
    )


def _query(watch: Watch) -> dict[str, str]:
    """The lab's address: a setting, and the charts in which it is seen."""
    charts = {"charts": ",".join(watch.charts)} if watch.charts else {}
    return RunConfig(**watch.knobs).to_query() | charts


def plain(value: float) -> Number:
    """A number as JSON has it; what is not finite as a word."""
    if math.isfinite(value):
        return float(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def value_of(number: Number) -> float:
    """What `plain` was given."""
    return float(number)
