"""Tests of a rule over a table: one test, whose message lists every case that violates it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

# Value of `--case`. A table that contains it keeps only the matching rows.
only: str | None = None


def mentions(value: Any, name: str | None) -> bool:
    """Return whether a row, or a part of it, equals this name."""
    if isinstance(value, tuple):
        return any(mentions(part, name) for part in value)
    return isinstance(value, str) and value == name


def every_case(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[..., Any]:
    """Call a test once per case, as `pytest.mark.parametrize` would, but as one test.

    Stacked decorators give all combinations of their cases. Other arguments are fixtures, shared by
    all cases.

    Args:
        names: names of the test's arguments, comma-separated or in a tuple.
        cases: one value per case, or a tuple of values for several arguments.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    rows = [case if len(keys) > 1 else (case,) for case in cases]
    assert rows, "a table without a case tests nothing"
    concerning = [row for row in rows if mentions(row, only)]
    rows = concerning or rows

    def of_all(test: Callable[..., None]) -> Callable[..., None]:
        def walked(**fixtures: Any) -> None:
            violations = []
            for row in rows:
                try:
                    test(**dict(zip(keys, row, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as violation:
                    violations.append(f"{row}: {type(violation).__name__}: {violation}")
            assert not violations, f"{len(violations)} of {len(rows)}:\n" + "\n".join(violations)

        walked.__name__, walked.__doc__, walked.__module__ = (
            test.__name__, test.__doc__, test.__module__
        )  # fmt: skip
        walked.__dict__.update(test.__dict__)
        if concerning:
            walked.__dict__["concerns_case"] = True
        signature = inspect.signature(test)
        kept = [each for key, each in signature.parameters.items() if key not in keys]
        kept = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in kept]
        walked.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return walked

    return of_all
