"""Visible sentences are not written in code, but in `assets/texts/<language>/`.

tests/browser/test_languages.py checks the text in a browser. These tests are faster and name the
line.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.every_case import every_case

ROOT = Path(__file__).parents[1]
# Packages whose code renders pages, responds to browsers or prints on the command line, or whose
# entries are listed on a page.
PACKAGES = (
    "bnviz/charts", "bnviz/claims", "bnviz/commands", "bnviz/data", "bnviz/lessons", "bnviz/live",
    "bnviz/networks", "bnviz/norms", "bnviz/probes", "bnviz/sweeps", "bnviz/training", "bnviz/ui",
    "bnviz/words", "pages",
)  # fmt: skip
MODULES = (
    "__main__.py", "checks.py", "config.py", "experiment.py", "knobs.py", "presets.py", "sweep.py",
)  # fmt: skip
# Three words in sequence, by which a sentence is recognized.
SENTENCE = re.compile(r"[A-Za-z’']{2,},? [a-z’']{2,},? [a-z’']{2,}")
# Errors for programmers and log messages stay in English.
FOR_THE_LOG = re.compile(
    r"(?:\w+\.)?(?:ValueError|TypeError|RuntimeError|KeyError|LookupError|AssertionError|WireError"
    r"|SettingsError|NotMeasured|log\.event|log\.guarded|logger\.\w+|warnings\.warn)"
)
# Files whose sentences are not shown on pages, with the reason.
ALLOWED = {
    "bnviz/claims/judgement.py": "an outcome's name in measured.json, which pages have words for",
    "bnviz/commands/parser.py": "argparse's own words, by which their translations are found",
    "bnviz/words/translations.py": "what a translator is told, on the command line",
    "bnviz/live/log.py": "a line of the log that tells of others",
    "bnviz/live/web/security.py": "a policy, which browsers read",
    "bnviz/live/settings.py": "variables of the environment, for who runs the server",
    "bnviz/live/runs/admission.py": "why a run ended, for the log",
    "bnviz/live/runs/housekeeping.py": "why a run ended, for the log",
    "bnviz/live/saved/state_file.py": "statements and errors of SQLite, and a detail for the log",
    "bnviz/live/runs/recovery.py": "why a run ended, for the log; its notice has a key",
    "bnviz/live/worker/slow_probes.py": "why a process ended, for the log",
    "bnviz/live/worker/run.py": "what a slice does, for the log",
}


def python_files() -> list[str]:
    found = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    found += [ROOT / "bnviz" / name for name in MODULES]
    return sorted(str(path.relative_to(ROOT)) for path in found)


def sentences(source: str) -> Iterator[tuple[int, str]]:
    """Yield strings of three or more words that are neither docstrings nor log messages."""
    tree = ast.parse(source)
    passed: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            passed.add(id(node.value))  # a docstring
        if isinstance(node, ast.Call) and FOR_THE_LOG.fullmatch(ast.unparse(node.func)):
            passed |= {id(part) for part in ast.walk(node)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in passed else None
        # Lines of JavaScript that load a module are not sentences.
        if isinstance(text, str) and SENTENCE.search(text) and "export default" not in text:
            yield node.lineno, text


def test_no_sentence_stands_in_python():
    found = [
        f"{name}:{line}: {text[:80]!r}"
        for name in python_files()
        if name not in ALLOWED
        for line, text in sentences((ROOT / name).read_text("utf-8"))
    ]
    assert not found, "\n".join(found)


@every_case("name", ALLOWED)
def test_what_is_allowed_is_needed(name):
    assert list(sentences((ROOT / name).read_text("utf-8")))


def test_no_sentence_stands_in_a_browser_module():
    found = []
    for path in sorted((ROOT / "assets").rglob("*.js")):
        code = without_comments(path.read_text("utf-8"))
        for text in re.findall(r'"([^"\n]*)"|`([^`]*)`', code):
            words = re.sub(r"\$\{[^{}]*\}|bnviz-[\w-]+", "", "".join(text))
            if SENTENCE.search(words) and "could not be loaded from" not in words:
                found.append(f"{path.relative_to(ROOT)}: {words[:80]!r}")
    assert not found, "\n".join(found)


def without_comments(code: str) -> str:
    return re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", code, flags=re.DOTALL)


@every_case(
    ("code", "lines"),
    [
        ('"""What it is for."""\nx = "Nothing of this is shown."', [2]),
        ('raise ValueError("this is for programmers only")', []),
        ('raise ConfigError("depth", 3, "one of these small numbers")', [1]),
        ('st.write(f"Step {n}: that went rather wrong")', [1]),
        ('log.event("run not started", run=1)\nx = "data-page"', []),
    ],
)
def test_the_look_for_sentences_finds_them(code, lines):
    assert [line for line, _ in sentences(code)] == lines


# A space typed between two texts in a template string. Some languages do not separate texts with a
# space.
SAID = r"\$\{(?:this\.#|view\.)?t\((?:[^()]|\([^()]*\))*\)\}"
TYPED_SPACE = re.compile(rf"{SAID} \$\{{|\}} {SAID}")


def test_no_space_is_typed_between_texts():
    """`joinSentences`, `joinList` and `labelled` use the language's own separator."""
    found = [
        f"{path.relative_to(ROOT)}: {text[0]!r}"
        for path in sorted((ROOT / "assets").rglob("*.js"))
        for text in TYPED_SPACE.finditer(without_comments(path.read_text("utf-8")))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "code", ["`${t('one')} ${t('two')}`", "`${sentence} ${this.#t(`a.${key(1)}`)}`"]
)
def test_the_look_for_typed_spaces_finds_them(code):
    assert TYPED_SPACE.search(code)
