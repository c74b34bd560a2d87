"""`python -m bnviz check NAME`: checks whether a registry entry is complete."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

from bnviz.commands.parser import add_command, words_of
from bnviz.config import ConfigError
from bnviz.locations import locations
from bnviz.registry import ImportPath
from bnviz.words import texts
from bnviz.words.phrase import listed, phrase
from bnviz.words.texts import ENGLISH
from bnviz.words.translations import TranslationFault, faults, units

ROOT = locations().site


class EntryKind(NamedTuple):
    """Requirements for the entries of a registry.

    Attributes:
        where: "package.module:REGISTRY".
        words: file of an entry's texts with "{}" for its name, or a file with one table per entry.
    """

    where: str
    words: str
    tests: tuple[str, ...]


KINDS = (
    EntryKind("bnviz.norms:NORMS", "norms.toml", ("norms",)),
    EntryKind("bnviz.probes:PROBES", "probes.toml", ("probes/test_registry.py",)),
    EntryKind("bnviz.charts:CHARTS", "charts.toml", ("charts/test_every_chart.py",
                                               "charts/test_entries.py")),
    EntryKind("bnviz.data:DATASETS", "datasets.toml", ("data",)),
    EntryKind("bnviz.networks:NETWORKS", "networks.toml", ("networks",)),
    EntryKind("bnviz.config:KNOBS", "knobs.toml", ("test_config.py", "ui/test_knob_drawer.py")),
    EntryKind("bnviz.presets:PRESETS", "presets.toml", ("test_presets.py",)),
    EntryKind("bnviz.lessons:LESSONS", "lessons/{}.toml", ("lessons/test_lesson.py",
                                                     "lessons/test_words.py",
                                                     "lessons/test_remembering.py",
                                                     "lessons/test_scripts.py::test_every_lesson_with_a_claim_has_one")),
    EntryKind("bnviz.ui.lesson_widgets:WIDGETS", "widgets.toml", ("ui/test_lesson_widgets.py",)),
    EntryKind("bnviz.claims:CLAIMS", "claims/{}.toml", ("claims/test_registry.py",)),
)  # fmt: skip


def add_check(commands: Any) -> None:
    add_command(commands, "check", _check, {"name": {"metavar": "{name}"}})


def _check(options: argparse.Namespace) -> int:
    name, words = options.name, words_of("check")
    registries = {kind: ImportPath(where=kind.where).resolve() for kind in KINDS}
    found = [kind for kind, entries in registries.items() if name in entries]
    if not found:
        allowed = phrase("command.check.allowed.name", names=listed(kind.where for kind in KINDS))
        raise ConfigError("name", name, allowed)
    print(words["found"].format(name=name, names=listed(kind.where for kind in found)))
    lacking = [fault for kind in found for fault in _lacking(kind, name, registries[kind])]
    _tell(words["english"], lacking)
    failed = _run_tests(_tests(found, name))
    owed = [fault for kind in found for fault in _owed(kind, name)]
    _tell(words["translations"], owed)
    if owed:
        files = sorted({fault.path.partition("/")[2] for fault in owed})
        print(words["take"].format(command=f"python -m bnviz texts --take {' '.join(files)}"))
    return int(failed or bool(lacking))


def _place(kind: EntryKind, name: str) -> tuple[str, str]:
    """Return the file of an entry's texts, and the prefix of their keys."""
    return kind.words.format(name), "" if "{}" in kind.words else f"{name}."


def _lacking(kind: EntryKind, name: str, entries: Iterable[str]) -> list[TranslationFault]:
    """English texts that every other entry of the registry has and this entry lacks."""
    own, *others = (_keys(kind, key) for key in (name, *(key for key in entries if key != name)))
    file, table = _place(kind, name)
    missing = sorted(set.intersection(*others) - own)
    return [TranslationFault("missing", f"{ENGLISH}/{file}", table + key) for key in missing]


def _keys(kind: EntryKind, name: str) -> set[str]:
    file, table = _place(kind, name)
    found = units(texts.FOLDER / ENGLISH / file)
    return {key.removeprefix(table) for key in found if key.startswith(table)}


def _owed(kind: EntryKind, name: str) -> Iterator[TranslationFault]:
    """Faults in the translations of an entry."""
    file, table = _place(kind, name)
    for code in sorted(texts.languages().keys() - {ENGLISH}):
        for fault in faults(texts.FOLDER, code):
            if fault.path == f"{code}/{file}" and fault.key.startswith(table):
                yield fault


def _tests(found: Iterable[EntryKind], name: str) -> list[str]:
    """Tests that cover every entry, and test files named after this entry."""
    own = (ROOT / "tests").rglob(f"test_{name.replace('-', '_').lower()}.py")
    rules = (
        ROOT / "tests" / path for kind in found for path in (*kind.tests, "test_words_are_data.py")
    )
    return sorted({path.relative_to(ROOT).as_posix() for path in (*rules, *own)})


def _run_tests(tests: list[str]) -> bool:
    """Run tests. Return whether a test failed or no test could be run."""
    words = words_of("check")
    if find_spec("pytest") is None or not (ROOT / "tests").is_dir():
        print(words["no_tests"])
        return True
    print(words["tests"].format(command=f"python -m pytest {' '.join(tests)}"), flush=True)
    return subprocess.run([sys.executable, "-m", "pytest", "-q", *tests], cwd=ROOT).returncode != 0


def _tell(heading: str, lines: list[TranslationFault]) -> None:
    print(heading, *(f"  {line}" for line in lines or ("–",)), sep="\n")
