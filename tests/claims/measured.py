"""Measurements of claims, cached so that all tests share one run per seed."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from bnviz.claims.execution import measure


@cache
def measured(name: str, seed: int, part: str = "") -> Mapping[str, float]:
    return MappingProxyType(dict(measure(name, part, seed)))
