"""Registered names that must remain: norms, presets, lessons, claims, knobs, browser storage."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bnviz.actions import ACTIONS
from bnviz.charts import CHARTS
from bnviz.claims import CLAIMS, results
from bnviz.config import KNOBS
from bnviz.data import DATASETS
from bnviz.lessons import LESSONS
from bnviz.networks import NETWORKS
from bnviz.norms import NORMS
from bnviz.presets import PRESETS
from bnviz.probes import PROBES
from bnviz.talks.talk import TALKS
from bnviz.words.texts import languages

ASSETS = Path(__file__).resolve().parents[2] / "assets"
# Value of a key that only has to exist.
THERE = "there"
# Significant digits of computed bounds, because processors round differently.
DIGITS = 6

STORED = re.compile(r"\b(readFromTab|storeInTab|readForGood|storeForGood|firstTime)\(([\w\"-]+)")
DIRECT = re.compile(r"\b(session|local)Storage\.\w+\(\"([\w-]+)\"")
PREFIX = re.compile(r"const PREFIX = \"([\w-]+)\"")


def surface() -> dict[str, Any]:
    return dict((*_names(), *_knobs(), *_presets(), *_lessons(), *_claims(), *_storage()))


def there(kind: str, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield one key per name. Names may be added, but not removed."""
    return ((f"{kind}: {name}", THERE) for name in names)


def _names() -> Iterator[tuple[str, Any]]:
    registries: dict[str, Iterable[str]] = {
        "norm": NORMS, "probe": PROBES, "data set": DATASETS, "network": NETWORKS, "chart": CHARTS,
        "claim": CLAIMS, "lesson": LESSONS, "preset": PRESETS, "talk": TALKS, "action": ACTIONS,
        "language": languages(),
    }  # fmt: skip
    for kind, names in registries.items():
        yield from there(kind, names)


def _knobs() -> Iterator[tuple[str, Any]]:
    for name, knob in KNOBS.items():
        yield f"knob {name} kind", knob.kind
        yield f"knob {name} default", knob.default
        yield f"knob {name} live", knob.live
        yield f"knob {name} may be none", knob.optional
        if knob.minimum is not None:
            low = f"{'above' if knob.above_minimum else 'from'} {knob.minimum:g}"
            yield f"knob {name} range", f"{low} to {knob.maximum:.10g}"
        yield from there(f"knob {name} choice", knob.choices)


def _presets() -> Iterator[tuple[str, Any]]:
    for name, preset in PRESETS.items():
        yield f"preset {name} knobs", preset.config().to_query()
        yield f"preset {name} charts", preset.charts
        yield f"preset {name} moment", preset.step_to_see


def _lessons() -> Iterator[tuple[str, Any]]:
    for name, entry in LESSONS.items():
        lesson = entry.lesson
        yield f"lesson {name} is a page", entry.is_page
        if lesson is None:
            continue
        yield f"lesson {name} knobs", lesson.config().to_query()
        yield f"lesson {name} last step", lesson.plan.last_step
        changes = [[change.step, dict(change.values)] for change in lesson.plan.changes]
        yield f"lesson {name} changes", changes
        yield from there(f"lesson {name} answer", lesson.answers)
        yield from there(f"lesson {name} account", lesson.accounts)
        yield from there(f"lesson {name} knob to set", lesson.knobs)
        for each in lesson.breaks:
            yield f"lesson {name} break {each.name}", lesson.config_of_try(each.name, 0).to_query()


def _claims() -> Iterator[tuple[str, Any]]:
    rows = {row.name: row for row in results.read().rows}
    for claim in CLAIMS:
        for statement in CLAIMS[claim].resolve().statements:
            row = rows[f"{claim}.{statement.key}"]
            watch = statement.watch
            yield f"statement {row.name}", {
                "place": row.place, "kind": statement.kind, "unit": statement.unit,
                "expected": [_bound(statement.expected.low), _bound(statement.expected.high)],
                "in the lab": [dict(watch.query), watch.step] if watch else None,
            }  # fmt: skip
            # This hash also changes if it is computed in another way from the statement, texts,
            # numbers and seeds.
            declared = results.declaration(claim, statement, row.numbers, row.seeds)
            yield f"statement {row.name} declared", declared


def _bound(value: float) -> float | None:
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None


def _storage() -> Iterator[tuple[str, Any]]:
    """Yield the keys of the browser's storage, both per tab and persistent."""
    for file in sorted(ASSETS.rglob("*.js")):
        text = file.read_text("utf-8")
        if file.name == "storage.js":
            yield from there("storage for good", PREFIX.findall(text))
            continue
        for act, said in STORED.findall(text):
            kept = "first time" if act == "firstTime" else _kept("Tab" in act)
            yield from there(f"storage {kept}", [_constant(text, said)])
        for kind, name in DIRECT.findall(text):
            yield from there(f"storage {_kept(kind == 'session')}", [name])


def _kept(in_tab: bool) -> str:
    return "in the tab" if in_tab else "for good"


def _constant(text: str, said: str) -> str:
    """Return the string of an argument: a quoted literal, or the value of a constant."""
    if said.startswith('"'):
        return said.strip('"')
    constants: dict[str, str] = dict(re.findall(r"const (\w+) = \"([^\"]+)\"", text))
    for names, values in re.findall(r"const \[([\w, ]+)\] = (\[\"[^\]]+\])", text):
        constants |= zip(names.split(", "), json.loads(values), strict=True)
    return constants[said]
