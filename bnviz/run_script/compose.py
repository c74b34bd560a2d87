"""Composition of a script from the parts that a run needs.

A part is an ordinary Python file. Its `if` statements and conditional expressions that test nothing
but `config` and `run` are decided here. Then the script gets the statements of `training`, and each
definition that they use, directly or through other definitions.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from bnviz.run_script.folding import Facts, fold, parsed
from bnviz.run_script.scripted_run import ScriptedRun

PARTS = Path(__file__).parent / "parts"
PACKAGE = "bnviz.run_script.parts"
MAIN, SETTING = "training", "setting"
# Order in which a script shows its parts. What a part imports precedes it.
READING_ORDER = ("examples", "mini_batches", "networks", "loss", "optimizers", "changes")
LINE = 100
BLOCKS = (ast.FunctionDef, ast.ClassDef)


class MissingPart(LookupError):
    """Error for a run for which a part or a definition is missing."""


@dataclass
class Part:
    """File after `fold`.

    Attributes:
        lines: source lines.
        statements: top-level statements except docstring and imports.
        defines: name -> indices in `statements` of the statements that define it.
        ours: imported name -> part that defines it.
        imports: imported name -> import statement from outside.
        used: indices of the statements that the script needs.
    """

    lines: list[str]
    docstring: str = ""
    statements: list[ast.stmt] = field(default_factory=list)
    defines: dict[str, list[int]] = field(default_factory=dict)
    ours: dict[str, str] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)

    def text(self, index: int) -> str:
        """Return the source of a statement, with the comment lines directly above it."""
        node = self.statements[index]
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(each.lineno for each in decorators)]) - 1
        while first and self.lines[first - 1].startswith("#"):
            first -= 1
        return "\n".join(self.lines[first : node.end_lineno])


def compose(run: ScriptedRun) -> str:
    """Return the source of a run's script.

    Raises:
        MissingPart: if a norm, data set, network or another setting has no part.
    """
    return _Composer(run).script()


class _Composer:
    def __init__(self, run: ScriptedRun) -> None:
        self.run = run
        self.facts: Facts = {"config": run.config, "run": run}
        self.parts: dict[str, Part] = {}
        # Parts in the order of the script: a part follows those that it imports.
        self.order: list[str] = []
        flags = {norm: self._flags(norm) for norm in run.config.norms}
        self.facts["uses_step"] = any(found.get("uses_step") for found in flags.values())
        self.facts["biased"] = tuple(
            norm for norm, found in flags.items()
            if norm != "none" and (found["keeps_bias"] or norm in run.after)
        )  # fmt: skip

    def script(self) -> str:
        for name in READING_ORDER:
            self._part(name)
        main = self._part(MAIN)
        for index in range(len(main.statements)):
            self._use(MAIN, index)
        sections = [f'"""{self._docstring(main)}\n"""', self._imports(), self._constants()]
        sections += [self._section(name) for name in self.order if name != SETTING]
        script = "\n\n".join(filter(None, sections)) + "\n"
        return re.sub(r"\n{4,}", "\n\n\n", script)

    # Reading of parts.

    def _part(self, name: str) -> Part:
        if name not in self.parts:
            self.parts[name] = part = self._read(name)
            for other in dict.fromkeys(part.ours.values()):
                self._part(other)
            self.order.append(name)
        return self.parts[name]

    def _read(self, name: str) -> Part:
        source = fold(self._source(name), self.facts)
        tree, part = parsed(source), Part(source.split("\n"))
        part.docstring = ast.get_docstring(tree) or ""
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._read_import(node, part)
            elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                part.statements.append(node)
                for defined in _defined(node):
                    part.defines.setdefault(defined, []).append(len(part.statements) - 1)
        return part

    def _read_import(self, node: ast.Import | ast.ImportFrom, part: Part) -> None:
        module = getattr(node, "module", None) or ""
        for alias in node.names:
            bound = alias.asname or alias.name
            if module.startswith(PACKAGE):
                part.ours[bound] = module.removeprefix(f"{PACKAGE}.")
            else:
                named = alias.name + (f" as {alias.asname}" if alias.asname else "")
                part.imports[bound] = (
                    f"from {module} import {named}" if module else f"import {named}"
                )

    def _source(self, name: str) -> str:
        config = self.run.config
        chosen = {
            "data": f"from {PACKAGE}.data.{self.run.dataset} import load",
            "networks": f"from {PACKAGE}.networks.{config.network} import Network",
            "optimizers": f"from {PACKAGE}.optimizers.{config.optimizer} import new_optimizer",
            "norms": self._norms(),
        }  # fmt: skip
        if name in chosen:
            return chosen[name]
        return _source(name)

    def _norms(self) -> str:
        norms = self.run.config.norms
        imports = [f"from {PACKAGE}.norms.{norm} import {norm}" for norm in norms]
        listed = ", ".join(f'"{norm}": {norm}' for norm in norms)
        return "\n".join([*imports, f"NORMS = {{{listed}}}"])

    def _flags(self, norm: str) -> dict[str, Any]:
        """Return the values of `keeps_bias` and `uses_step` in a norm's part."""
        found: dict[str, Any] = {}
        for node in parsed(_source(f"norms.{norm}")).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                value = compile(ast.Expression(node.value), norm, "eval")
                found[node.targets[0].id] = eval(value, {}, {**self.facts, **found})
        return found

    # Selection.

    def _use(self, name: str, index: int) -> None:
        part = self.parts[name]
        if index in part.used:
            return
        part.used.add(index)
        if name == SETTING:
            return
        # Statements that define nothing belong to every use of their part.
        for other, node in enumerate(part.statements):
            if isinstance(node, ast.Expr):
                self._use(name, other)
        for used in _names(part.statements[index]):
            self._need(name, used)

    def _need(self, name: str, used: str) -> None:
        part = self.parts[name]
        for index in part.defines.get(used, ()):
            self._use(name, index)
        if used in part.ours:
            other = self._part(part.ours[used])
            if used not in other.defines and used not in other.ours:
                raise MissingPart(f"The part {part.ours[used]} does not define {used}.")
            self._need(part.ours[used], used)

    # Text.

    def _docstring(self, main: Part) -> str:
        config, changed = self.run.config, self.run.config.to_query()
        network = config.norms[-1]
        first = "input" if config.network == "recurrent" else "layer1"
        setting = ", ".join(f"{name}={value}" for name, value in changed.items())
        first_line, rest = main.docstring.split("\n", 1)
        first_line = first_line.format(setting=f": {setting}" if setting else "")
        wrapped = textwrap.fill(first_line, LINE - 3, break_on_hyphens=False)
        return (
            wrapped
            + "\n"
            + rest.format(
                needs=self.parts[f"data.{self.run.dataset}"].docstring,
                network=network,
                weights=f"{network}/{first}/weight",
            )
        )

    def _imports(self) -> str:
        lines = set()
        for part in self.parts.values():
            names = {used for index in part.used for used in _names(part.statements[index])}
            lines |= {line for bound, line in part.imports.items() if bound in names}
        outside = re.compile(r"(from|import) (numpy|torch)")
        groups: dict[bool, list[str]] = {False: [], True: []}
        for line in sorted(lines, key=_import_order):
            groups[bool(outside.match(line))].append(line)
        return "\n\n".join("\n".join(group) for group in groups.values() if group)

    def _constants(self) -> str:
        part, lines = self.parts[SETTING], []
        for index in sorted(part.used):
            node = part.statements[index]
            if not isinstance(node, ast.Assign):
                raise TypeError(
                    f"Line {node.lineno} of {SETTING}.py must assign a constant, but does not."
                )
            value = eval(compile(ast.Expression(node.value), SETTING, "eval"), {}, dict(self.facts))
            comment = part.lines[node.lineno - 1].partition("  #")[2]
            lines.append(_assignment(ast.unparse(node.targets[0]), value, comment.strip()))
        return "\n".join(lines)

    def _section(self, name: str) -> str:
        """Return the statements that the script needs from a part, with the part's blank lines."""
        part = self.parts[name]
        section, last = "", None
        for index in sorted(part.used):
            node = part.statements[index]
            text = part.text(index)
            if last is not None:
                blocks = {type(each) for each in (node, part.statements[last])} & {*BLOCKS}
                first_line = (node.end_lineno or 0) - text.count("\n")
                gap = first_line - (part.statements[last].end_lineno or 0)
                apart = last < index - 1 or gap > 1
                section += "\n\n\n" if blocks else "\n\n" if apart else "\n"
            section, last = section + text, index
        blocks = {type(part.statements[index]) for index in part.used} & {*BLOCKS}
        return f"\n{section}\n" if blocks else section


@cache
def _source(name: str) -> str:
    path = PARTS / f"{name.replace('.', '/')}.py"
    if not path.is_file():
        raise MissingPart(f"There is no part {name}.")
    return path.read_text(encoding="utf-8")


def _defined(node: ast.stmt) -> Iterable[str]:
    """Return the names that a top-level statement binds or whose elements it sets."""
    if isinstance(node, BLOCKS):
        return [node.name]
    found = [each for each in ast.walk(node) if isinstance(each, ast.Name | ast.Subscript)]
    names = [
        each.value if isinstance(each, ast.Subscript) else each
        for each in found if isinstance(each.ctx, ast.Store)
    ]  # fmt: skip
    return {name.id for name in names if isinstance(name, ast.Name)}


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _import_order(line: str) -> tuple[bool, str]:
    return line.startswith("from"), line


def _assignment(name: str, value: Any, comment: str) -> str:
    """Return a line that sets a constant, or several lines for a long dictionary."""
    if isinstance(value, dict):
        entries = [f"{_literal(key)}: {_literal(part)}" for key, part in value.items()]
        line = f"{name} = {{{', '.join(entries)}}}"
        if len(line) > LINE:
            line = "\n".join([f"{name} = {{", *(f"    {entry}," for entry in entries), "}"])
    else:
        line = f"{name} = {_literal(value)}"
    if comment and ("\n" in line or len(line) + len(comment) + 4 > LINE):
        return f"# {comment}\n{line}"
    return f"{line}  # {comment}" if comment else line


def _literal(value: Any) -> str:
    """Return a value as Python source, with double quotes."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dict):
        entries = (f"{_literal(key)}: {_literal(part)}" for key, part in value.items())
        return f"{{{', '.join(entries)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))}{',' if len(value) == 1 else ''})"
    return repr(value)
