"""Apply random mutations to the code and find those that no test detects.

Run as `python -m tests.mutations`. pytest does not collect this module. A mutation replaces one
comparison, one arithmetic or logical operator, one constant or one condition in a file of `bnviz`
outside `ui`. The tests of the file run on a copy of the last commit: the test file of the same name
first, then the tests in its folder. Constants in `bnviz/charts` are excluded, because no test
should fix the width of a margin.

The same seed gives the same mutations of the same commit. `--again FILE` repeats the mutations in a
file written with `--out`. A mutated line is found by its text, so its line number may have changed.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.faulty_copy import ROOT, FaultyCopy, faulty_copy

PACKAGE = ROOT / "bnviz"
LEFT_OUT = "bnviz/ui/"
DRAWN = "bnviz/charts/"
MISSED, CAUGHT, GONE = "MISSED", "caught", "GONE"

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"), ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"),
}  # fmt: skip
OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"), ast.Mod: ("%", "*"), ast.Pow: ("**", "*"),
}  # fmt: skip


@dataclass(frozen=True)
class Mutation:
    """A small change of one line.

    Attributes:
        file: path relative to the repository's root.
        kind: comparison, operator, constant or negation.
        before, after: the whole line without and with the change.
    """

    file: str
    line: int
    kind: str
    before: str
    after: str

    @property
    def folder(self) -> str:
        return str(Path(self.file).parent)

    def applied_to(self, source: bytes) -> bytes | None:
        """Return the source with the nearest line equal to `before` replaced, or None if no line
        matches.
        """
        lines = source.splitlines(keepends=True)
        wanted = self.before.encode()
        places = [at for at, line in enumerate(lines) if line.rstrip(b"\r\n") == wanted]
        if not places:
            return None
        at = min(places, key=lambda place: abs(place + 1 - self.line))
        lines[at] = self.after.encode() + b"\n"
        return b"".join(lines)

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.line} {self.kind}: {self.before.strip()}  →  {self.after.strip()}"
        )


class Finder(ast.NodeVisitor):
    """Visitor that collects every part of a file that can be mutated.

    Attributes:
        found: for each mutation, its kind, the line number, the first and last byte of the replaced
            part, and the new text.
    """

    def __init__(self, source: bytes, *, constants: bool) -> None:
        self._lines = source.splitlines()
        self._constants = constants
        self.found: list[tuple[str, int, int, int, str]] = []

    def visit(self, node: ast.AST) -> None:
        """Visit a node and its children, except annotations, docstrings and raise statements."""
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns") or isinstance(node, ast.Raise):
                continue
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    self.visit(part)
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method:
            method(node)

    def _compare(self, node: ast.Compare) -> None:
        left: ast.expr = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            self._between(left, right, "comparison", *COMPARISONS[type(operator)])
            left = right

    def _binop(self, node: ast.BinOp) -> None:
        texts = (ast.Constant, ast.JoinedStr)
        if isinstance(node.left, texts) and isinstance(getattr(node.left, "value", ""), str):
            return
        if type(node.op) in OPERATORS:
            self._between(node.left, node.right, "operator", *OPERATORS[type(node.op)])

    def _boolop(self, node: ast.BoolOp) -> None:
        words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between(left, right, "operator", *words)

    def _unaryop(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._replace(node, "negation", lambda text: text.removeprefix("not").lstrip())

    def _if(self, node: ast.If | ast.IfExp | ast.While) -> None:
        if not isinstance(node.test, ast.UnaryOp | ast.Compare):
            self._replace(node.test, "negation", lambda text: f"not ({text})")

    _ifexp = _while = _if

    def _constant(self, node: ast.Constant) -> None:
        if not self._constants:
            return
        value = node.value
        if isinstance(value, bool):
            self._replace(node, "constant", lambda _: str(not value))
        elif isinstance(value, int | float):
            changed = value + 1 if isinstance(value, int) else value * 1.5 or 0.5
            self._replace(node, "constant", lambda _: repr(changed))

    def _replace(self, node: ast.expr, kind: str, change: Callable[[str], str]) -> None:
        if node.lineno != node.end_lineno:
            return
        begin, end = node.col_offset, node.end_col_offset or 0
        text = self._lines[node.lineno - 1][begin:end].decode()
        self.found.append((kind, node.lineno, begin, end, change(text)))

    def _between(self, left: ast.expr, right: ast.expr, kind: str, old: str, new: str) -> None:
        if left.end_lineno != right.lineno:
            return
        begin, end = left.end_col_offset or 0, right.col_offset
        text = self._lines[right.lineno - 1][begin:end].decode()
        # There may be parentheses between an operator and its operands.
        before, found, after = text.partition(old)
        if found and not (before + after).strip("() "):
            self.found.append((kind, right.lineno, begin, end, before + new + after))


def mutations_of(file: Path) -> Iterator[Mutation]:
    source, name = file.read_bytes(), str(file.relative_to(ROOT))
    finder = Finder(source, constants=not name.startswith(DRAWN))
    finder.visit(ast.parse(source))
    for kind, line, begin, end, text in sorted(finder.found, key=lambda place: place[1:4]):
        before = source.splitlines()[line - 1]
        after = before[:begin] + text.encode() + before[end:]
        yield Mutation(name, line, kind, before.decode(), after.decode())


def draw(count: int, seed: int, below: Path = PACKAGE) -> list[Mutation]:
    """Choose `count` lines of the files below a folder with equal probability, and one mutation of
    each line.
    """
    by_line: dict[tuple[str, int], list[Mutation]] = {}
    for file in sorted(below.rglob("*.py")):
        if not str(file.relative_to(ROOT)).startswith(LEFT_OUT):
            for mutation in mutations_of(file):
                by_line.setdefault((mutation.file, mutation.line), []).append(mutation)
    random_numbers = random.Random(seed)
    lines = random_numbers.sample(sorted(by_line), count)
    return [random_numbers.choice(by_line[line]) for line in lines]


def stages(copy: FaultyCopy, file: str) -> Iterator[tuple[str, ...]]:
    """Yield the tests to run for a file of `bnviz`, fastest first."""
    source = Path(file).relative_to("bnviz")
    folder = Path("tests") / source.parent
    own = folder / f"test_{source.stem.strip('_')}.py"
    if (copy.root / own).exists():
        yield (str(own),)
    if folder == Path("tests"):
        # Run only the test files directly in this folder: tests in other folders belong to other
        # packages.
        yield tuple(sorted(str(path.relative_to(copy.root))
                           for path in (copy.root / folder).glob("test_*.py")))  # fmt: skip
    else:
        while not (copy.root / folder).is_dir():
            folder = folder.parent
        yield (str(folder),)


def outcome(copy: FaultyCopy, mutation: Mutation, processes: int) -> tuple[str, str]:
    """Return the outcome of a mutation (caught, missed or gone), and the test that catches it."""
    faulty = mutation.applied_to((copy.root / mutation.file).read_bytes())
    if faulty is None:
        return GONE, ""
    with copy.holding(Path(mutation.file), faulty):
        for paths in stages(copy, mutation.file):
            many = processes if any((copy.root / path).is_dir() for path in paths) else 0
            if (test := copy.first_failure(paths, processes=many)) is not None:
                return CAUGHT, test
    return MISSED, ""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations")
    parser.add_argument("--count", type=int, default=100, help="mutations to draw (default: 100)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draw (default: 0)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the results as JSON")
    parser.add_argument("--again", type=Path, metavar="FILE", help="rerun the mutations in FILE")
    parser.add_argument("--missed", action="store_true", help="with --again: only missed mutations")
    parser.add_argument(
        "--processes", type=int, default=0, help="processes per folder (default: one)"
    )
    parser.add_argument("--list", action="store_true", help="only list the mutations")
    options = parser.parse_args()
    # Exit normally on SIGTERM, so that the copy is removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Ended by SIGTERM."))
    if options.again:
        rows = json.loads(options.again.read_text("utf-8"))
        rows = [row for row in rows if not options.missed or row["outcome"] == MISSED]
        drawn = [Mutation(**row["mutation"]) for row in rows]
    else:
        drawn = draw(options.count, options.seed)
    if options.list:
        print(*drawn, sep="\n")
        return
    found: list[dict[str, object]] = []
    folders: dict[str, Counter[str]] = {}
    with faulty_copy() as copy:
        for mutation in drawn:
            began = time.monotonic()
            result, test = outcome(copy, mutation, options.processes)
            print(f"{result:7}{time.monotonic() - began:6.1f} s  {mutation}  {test}", flush=True)
            found.append({"mutation": asdict(mutation), "outcome": result, "test": test})
            folders.setdefault(mutation.folder, Counter())[result] += 1
            if options.out:
                options.out.write_text(json.dumps(found, indent=1, ensure_ascii=False), "utf-8")
    print()
    for folder, counts in sorted(folders.items()):
        print(f"{counts[CAUGHT]:4} of {counts.total() - counts[GONE]:3}  {folder}")
    caught = sum(counts[CAUGHT] for counts in folders.values())
    print(f"{caught:4} of {len(found)} mutations caught")


if __name__ == "__main__":
    main()
