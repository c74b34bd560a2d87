"""Measures claims, a seed at a time, in this process or in several."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from bnviz.claims import CLAIMS
from bnviz.claims.statement import Judgement, judge
from bnviz.config import ConfigError
from bnviz.knobs import listed

# Seconds: a process of its own spends a few on importing torch.
WORTH_A_PROCESS = 8.0

Measured = dict[int, Mapping[str, float]]


def choose_claims(name: str) -> tuple[str, ...]:
    """One claim's name, or all of them.

    Raises:
        ConfigError: there is no such claim.
    """
    if name == "all":
        return tuple(CLAIMS)
    if name.upper() not in CLAIMS:
        raise ConfigError("claim", name, f"all or one of {listed(CLAIMS)}")
    return (name.upper(),)


def measure(name: str, seed: int) -> Mapping[str, float]:
    """The values of one claim for one seed, by statement."""
    from bnviz.training.machine import use_one_thread

    use_one_thread()
    values: Mapping[str, float] = CLAIMS[name].resolve().measure(seed)
    return values


def judgements(
    names: Sequence[str], seeds: Iterable[int], *, workers: int = 1
) -> Iterator[list[Judgement]]:
    """Every statement of the claims, judged; a list a claim, in the order of completion.

    Args:
        names: keys of `CLAIMS`.
        seeds: under which each is measured.
        workers: processes; results do not depend on their number.
    """
    seeds = tuple(seeds)
    measured: dict[str, Measured] = {name: {} for name in names}
    # The dearest first, so that no process is left with a long one at the end.
    tasks = [(name, seed) for name in names for seed in seeds]
    tasks.sort(key=lambda task: -CLAIMS[task[0]].cost)
    total = sum(CLAIMS[name].cost for name, _ in tasks)
    if total < WORTH_A_PROCESS:
        workers = 1
    for name, seed, values in _values(tasks, min(workers, len(tasks))):
        measured[name][seed] = values
        if len(measured[name]) == len(seeds):
            yield judge(name, CLAIMS[name].resolve().statements, measured[name])


def _values(
    tasks: list[tuple[str, int]], workers: int
) -> Iterator[tuple[str, int, Mapping[str, float]]]:
    if workers < 2:
        for name, seed in tasks:
            yield name, seed, measure(name, seed)
        return
    # Spawned, not forked: torch's threads do not survive a fork.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_leave_to_parent) as pool:
        pending = {pool.submit(measure, *task): task for task in tasks}
        try:
            for future in as_completed(pending):
                yield *pending[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _leave_to_parent() -> None:
    """An interrupt from the keyboard reaches every process; the parent ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
