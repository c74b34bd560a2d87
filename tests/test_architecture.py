"""Rules of the layout: directions of imports, and registries that do not load torch."""

import ast
import functools
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

import bnviz
from bnviz.charts import CHARTS
from bnviz.data import DATASETS
from bnviz.norms import NORMS
from bnviz.probes import PROBES

ROOT = Path(__file__).resolve().parents[1]
MOST_LINES = 600
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "pages").glob("*.py"))
SCRIPTS = ["app.py", "bnviz/ui/shell.py", *PAGES]
CHART_FILES = [
    f"bnviz.charts.{path.stem}" for path in sorted((ROOT / "bnviz/charts").glob("[!_]*.py"))
]
LESSONS = [
    f"bnviz.lessons.{path.stem}" for path in sorted((ROOT / "bnviz/lessons").glob("[!_]*.py"))
]
TORCH_FREE = [
    "bnviz.config",
    "bnviz.registry",
    "bnviz.records",
    "bnviz.data",
    "bnviz.data.base",
    "bnviz.norms",
    "bnviz.probes",
    "bnviz.probes.axis",
    "bnviz.presets",
    "bnviz.planned_runs.comparison",
    *LESSONS,
    "bnviz.words.story",
    "bnviz.charts",
    *CHART_FILES,
    "bnviz.live.hub",
    "bnviz.__main__",
]


def python(code: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=100
    )


def without_torch(parts: dict[str, str]) -> subprocess.CompletedProcess:
    """Run pieces of code in one process. After each, check that neither torch nor Ray is loaded."""
    check = (
        "import sys\nfor each in ('torch', 'ray'):\n"
        "    if each in sys.modules: sys.exit('{} loads ' + each)"
    )
    return python("\n".join(f"{code}\n{check.format(name)}" for name, code in parts.items()))


def imports_of(script: str) -> str:
    """Return only a script's import statements, because importing a page would run its commands."""
    tree = ast.parse((ROOT / script).read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    future = [node for node in found if getattr(node, "module", None) == "__future__"]
    return "\n".join(ast.unparse(node) for node in found if node not in future)


def imported(path: Path, modules: dict[str, Path]) -> set[str]:
    """Return the project's modules that a file imports anywhere."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= parts & modules.keys() or {node.module}
    return names & modules.keys()


@functools.cache
def imports_among_ours() -> dict[str, set[str]]:
    """Return each module's imports from the package, including those for types only."""
    files = sorted((ROOT / "bnviz").rglob("*.py"))
    dotted = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in files}
    modules = {name.removesuffix(".__init__"): file for name, file in dotted.items()}
    return {name: imported(file, modules) - {name} for name, file in modules.items()}


def test_no_file_has_become_two_things():
    """A file is one idea. More than 600 lines suggest a second idea, which needs its own file."""
    files = [ROOT / "app.py", *(ROOT / "pages").glob("*.py")]
    for folder in ("bnviz", "assets", "benchmarks", "tests"):
        files += [path for end in ("py", "js") for path in (ROOT / folder).rglob(f"*.{end}")]
    lengths = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    assert len(lengths) > 800
    long = {file.relative_to(ROOT).as_posix(): n for file, n in lengths.items() if n > MOST_LINES}
    assert not long


def test_no_circle_of_imports_between_files():
    graph = imports_among_ours()
    assert sum(map(len, graph.values())) > 500
    graphlib.TopologicalSorter(graph).prepare()


def test_a_circle_would_be_found():
    graph = imports_among_ours() | {"bnviz.registry": {"bnviz.config"}}
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(graph).prepare()


def test_imports_keep_the_contracts_of_pyproject():
    found = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as lint; lint()",
         "--no-cache", "--no-logo"],
        cwd=ROOT, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout + found.stderr


def test_scripts_leave_torch_out():
    found = without_torch({script: imports_of(script) for script in SCRIPTS})
    assert found.returncode == 0, found.stderr


def test_what_lists_things_leaves_torch_out():
    found = without_torch({module: f"import {module}" for module in TORCH_FREE})
    assert found.returncode == 0, found.stderr


def test_the_package_has_a_public_face_and_loads_what_is_used_of_it():
    found = without_torch({
        "the package": "from bnviz import RunConfig, sweep; sweep.__code__",
        "its old module": "from bnviz.sweep import sweep; import bnviz; bnviz.sweep.__code__",
    })  # fmt: skip
    assert found.returncode == 0, found.stderr
    for name in bnviz.__all__:
        assert callable(getattr(bnviz, name)), name
    assert not hasattr(bnviz, "weep")


def test_the_look_for_torch_finds_it():
    """For this test, a fake module named torch is enough. The real torch loads slowly."""
    loads = "import sys, types; sys.modules['torch'] = types.ModuleType('torch')"
    found = without_torch({"json": "import json", "the engine": loads})
    assert found.returncode != 0
    assert "the engine loads torch" in found.stderr


def test_every_registry_entry_can_be_resolved():
    """Every registry entry can be resolved, and every probe is in its own file."""
    entries = [entry for each in (DATASETS, NORMS, CHARTS) for entry in each.values()]
    assert [each for each in (*entries, *PROBES.values()) if not callable(each.resolve())] == []
    assert [each for each in entries if not each.label] == []
    places = {name: probe.where for name, probe in PROBES.items()}
    # Frames and links still call this probe `shape`, the earlier name of its file.
    files = {name: "normality" if name == "shape" else name for name in PROBES}
    assert places == {name: f"bnviz.probes.{file}:measure" for name, file in files.items()}
