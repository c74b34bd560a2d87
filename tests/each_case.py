"""A rule over a table as one test: it walks all cases, and lists each that breaks the rule."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def each_case(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Callable], Callable]:
    """As `pytest.mark.parametrize`, in one test.

    For cases of milliseconds that share nothing which a case changes: fixtures are made once for
    all of them.

    Args:
        names: the arguments that a case gives: one name, or a tuple of them.
        cases: one value each, or a tuple of as many as there are names.
    """
    table = [*cases]
    told = (names,) if isinstance(names, str) else names

    def walking(test: Callable) -> Callable:
        @functools.wraps(test)
        def walk(**fixtures: Any) -> None:
            assert table, "there is no case"
            broken = []
            for case in table:
                values = (case,) if isinstance(names, str) else case
                try:
                    test(**dict(zip(told, values, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    broken.append(f"{str(case)[:200]}: {type(error).__name__}: {error}")
            assert not broken, f"{len(broken)} of {len(table)}\n" + "\n".join(broken)

        signature = inspect.signature(test)
        kept = [each for name, each in signature.parameters.items() if name not in told]
        walk.__signature__ = signature.replace(parameters=kept)
        del walk.__wrapped__
        return walk

    return walking
