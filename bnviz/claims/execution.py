"""Measures claims, a seed at a time, in this process or in several."""

from __future__ import annotations

import multiprocessing
import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from bnviz.claims import CLAIMS
from bnviz.claims.judgement import StatementJudgement, judge
from bnviz.claims.statement import Statement
from bnviz.config import ConfigError
from bnviz.words.phrase import listed, phrase

# Seconds: a process of its own spends a few on importing torch.
WORTH_A_PROCESS = 8.0

# Statements found here were found on the seeds before this one: they are judged on later ones.
FIRST_FRESH = 5

# (claim, part, seed)
Task = tuple[str, str, int]


def choose_claims(name: str) -> tuple[str, ...]:
    """One claim's name, or all of them.

    Raises:
        ConfigError: there is no such claim.
    """
    if name == "all":
        return tuple(CLAIMS)
    if name.upper() not in CLAIMS:
        raise ConfigError("claim", name, phrase("claims.error.name", names=listed(CLAIMS)))
    return (name.upper(),)


def seeds_of(statement: Statement, seeds: range) -> range:
    """The seeds on which a statement is judged: as many later ones, if it was found on these."""
    if not statement.found:
        return seeds
    first = max(seeds.start, FIRST_FRESH)
    return range(first, first + len(seeds))


def measure(name: str, part: str, seed: int) -> Mapping[str, float]:
    """The values of one part of a claim for one seed, by key of statement or comparator."""
    from bnviz.training.machine import use_one_thread

    use_one_thread()
    return dict(CLAIMS[name].resolve().measurement(part)(seed))


def judgements(
    names: Sequence[str], seeds: range, *, workers: int = 1, found: bool = True
) -> Iterator[list[StatementJudgement]]:
    """Every statement of the claims, judged; a list a claim, in the order of completion.

    Args:
        names: keys of `CLAIMS`.
        seeds: under which each is measured; what was found here, on as many later ones.
        workers: processes; results do not depend on their number.
        found: whether what was found here is measured as well.
    """
    wanted = {
        name: [each for each in CLAIMS[name].resolve().statements if found or not each.found]
        for name in names
    }
    tasks = {
        (name, each.part, seed)
        for name in names
        for each in wanted[name]
        for seed in seeds_of(each, seeds)
    }
    left = Counter(name for name, _, _ in tasks)
    if sum(_cost(name) for name, _, _ in tasks) < WORTH_A_PROCESS:
        workers = 1
    measured: dict[Task, Mapping[str, float]] = {}
    # The most expensive first, so that no process is left with a long one at the end.
    in_order = sorted(tasks, key=lambda task: (-_cost(task[0]), task))
    for task, values in _values(in_order, min(workers, len(tasks))):
        name = task[0]
        _require_stated(task, values)
        measured[task] = values
        left[name] -= 1
        if not left[name]:
            yield [
                judge(name, each, {
                    seed: measured[name, each.part, seed] for seed in seeds_of(each, seeds)
                })
                for each in wanted[name]
            ]  # fmt: skip


def _cost(name: str) -> float:
    """Roughly the seconds of one part and seed."""
    return CLAIMS[name].cost / (1 + len(CLAIMS[name].resolve().parts))


def _require_stated(task: Task, values: Mapping[str, float]) -> None:
    """Require a value for every statement of a part, and for nothing but statements.

    Raises:
        KeyError: a statement was not measured, or something was that nobody stated.
    """
    name, part, _ = task
    every = CLAIMS[name].resolve().statements
    unknown = set(values) - {each.key for each in every} - {each.comparator for each in every}
    if unknown:
        raise KeyError(f"{name}: measured, but not stated: {sorted(unknown)}")
    missing = {each.key for each in every if each.part == part} - set(values)
    if missing:
        raise KeyError(f"{name}: stated, but not measured: {sorted(missing)}")


def _values(tasks: list[Task], workers: int) -> Iterator[tuple[Task, Mapping[str, float]]]:
    if workers < 2:
        for task in tasks:
            yield task, measure(*task)
        return
    # Spawned, not forked: torch's threads do not survive a fork.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_leave_to_parent) as pool:
        pending = {pool.submit(measure, *task): task for task in tasks}
        try:
            for future in as_completed(pending):
                yield pending[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _leave_to_parent() -> None:
    """Ignore the keyboard's interrupt, which reaches every process: the parent ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
