"""Decision of the conditions of a source text whose values are known."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

# Known values by name.
Facts = dict[str, Any]
# Number of sources whose trees are kept: all parts, and their variants in a few scripts. They take
# about 5 MB.
KEPT_TREES = 128


@lru_cache(KEPT_TREES)
def parsed(source: str) -> ast.Module:
    """Return the tree of a source, which callers must not change."""
    return ast.parse(source)


def fold(source: str, facts: Facts) -> str:
    """Return the source without the conditions that test only `facts`.

    An `if` statement becomes the lines of the branch that applies, with their comments. A
    conditional expression becomes the operand that applies.
    """
    while True:
        found = list(_outermost(parsed(source), facts))
        if not found:
            return _without_pass(source) if "pass" in source else source
        # From the end, so that positions before a replaced condition stay valid.
        for node in sorted(found, key=lambda each: (each.lineno, each.col_offset), reverse=True):
            holds = _holds(node.test, facts)
            if isinstance(node, ast.If):
                source = _without_if(source, node, holds)
            else:
                source = _without_expression(source, node, holds)


def _outermost(tree: ast.AST, facts: Facts) -> Iterator[ast.If | ast.IfExp]:
    """Yield the known conditions that are not part of another known condition."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If | ast.IfExp) and _known(node.test, facts):
            yield node
        else:
            yield from _outermost(node, facts)


def _known(test: ast.expr, facts: Facts) -> bool:
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    return bool(names) and names <= facts.keys()


def _holds(test: ast.expr, facts: Facts) -> bool:
    return bool(eval(compile(ast.Expression(test), "condition", "eval"), {}, dict(facts)))


def _without_if(source: str, node: ast.If, holds: bool) -> str:
    lines = source.split("\n")
    body, indent = (node.body if holds else node.orelse), " " * node.col_offset
    kept = [f"{indent}pass"]
    if body and not holds and lines[body[0].lineno - 1].startswith(f"{indent}elif"):
        kept = lines[body[0].lineno - 1 : node.end_lineno]
        kept[0] = kept[0].replace("elif", "if", 1)
    elif body:
        first = body[0].lineno - 1
        # Include the comments above the first statement.
        while lines[first - 1].strip().startswith("#") or not lines[first - 1].strip():
            first -= 1
        # A decorator precedes the line of its function.
        decorators = getattr(body[0], "decorator_list", [])
        first = min([first, *(each.lineno - 1 for each in decorators)])
        block = "\n".join(lines[first : body[-1].end_lineno])
        kept = textwrap.indent(textwrap.dedent(block), indent).strip("\n").split("\n")
    last, _ = _end(node)
    return "\n".join([*lines[: node.lineno - 1], *kept, *lines[last:]])


def _without_pass(source: str) -> str:
    """Remove each `pass` that is not alone in its block."""
    lines, gone = source.split("\n"), set()
    for node in ast.walk(parsed(source)):
        for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if isinstance(block, list):
                passes = [each.lineno - 1 for each in block if isinstance(each, ast.Pass)]
                gone |= {*(passes if len(passes) < len(block) else passes[1:])}
    return "\n".join(line for number, line in enumerate(lines) if number not in gone)


def _without_expression(source: str, node: ast.IfExp, holds: bool) -> str:
    start, end = _span(source, node)
    chosen = slice(*_span(source, node.body if holds else node.orelse))
    data = source.encode()
    kept, before, after = data[chosen], data[:start], data[end:]
    # `(a if b else c)(x)` becomes `a(x)`.
    if before.endswith(b"(") and after.startswith((b")(", b").", b")[")):
        before, after = before[:-1], after[1:]
    return (before + kept + after).decode()


def _span(source: str, node: ast.expr) -> tuple[int, int]:
    """Return the first and last byte of an expression in the source."""
    lines = source.encode().split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    first = starts[node.lineno - 1] + node.col_offset
    last_line, last_column = _end(node)
    return first, starts[last_line - 1] + last_column


def _end(node: ast.stmt | ast.expr) -> tuple[int, int]:
    """Return a node's last line, from 1, and the byte in this line at which the node ends."""
    if node.end_lineno is None or node.end_col_offset is None:
        raise ValueError(f"{ast.dump(node)} has no position, because it was not read from a file.")
    return node.end_lineno, node.end_col_offset
