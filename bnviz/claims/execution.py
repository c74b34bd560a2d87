"""Measurement of claims, one seed at a time, in one process or several."""

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

# Seconds of work above which worker processes pay off. Each process needs a few seconds to import
# torch.
WORTH_A_PROCESS = 8.0

# First seed for statements found here. They were found on earlier seeds.
FIRST_FRESH = 5

# (claim, part, seed)
Task = tuple[str, str, int]


def choose_claims(name: str) -> tuple[str, ...]:
    """Return the name of one claim, or all names for "all". Raise ConfigError if unknown."""
    if name == "all":
        return tuple(CLAIMS)
    if name.upper() not in CLAIMS:
        raise ConfigError("claim", name, phrase("claims.error.name", names=listed(CLAIMS)))
    return (name.upper(),)


def seeds_of(statement: Statement, seeds: range) -> range:
    """Seeds on which to judge a statement: later, fresh seeds if the statement was found here."""
    if not statement.found:
        return seeds
    first = max(seeds.start, FIRST_FRESH)
    return range(first, first + len(seeds))


def measure(name: str, part: str, seed: int) -> Mapping[str, float]:
    """Values of one part of a claim for one seed, by key of statement or comparator."""
    from bnviz.training.machine import use_one_thread

    use_one_thread()
    return dict(CLAIMS[name].resolve().measurement(part)(seed))


def judgements(
    names: Sequence[str], seeds: range, *, workers: int = 1, found: bool = True
) -> Iterator[list[StatementJudgement]]:
    """Yield the judged statements of each claim, in order of completion.

    Statements found here are judged on the same number of fresh seeds. `workers` does not affect
    results.
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
    # Start with the most expensive task, so that no process is left with a long task at the end.
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
    """Approximate seconds per part and seed."""
    return CLAIMS[name].cost / (1 + len(CLAIMS[name].resolve().parts))


def _require_stated(task: Task, values: Mapping[str, float]) -> None:
    """Raise KeyError unless the values match the statements and comparators of the part."""
    name, part, _ = task
    every = CLAIMS[name].resolve().statements
    unknown = set(values) - {each.key for each in every} - {each.comparator for each in every}
    if unknown:
        raise KeyError(f"{name} measures values that no statement uses: {sorted(unknown)}.")
    missing = {each.key for each in every if each.part == part} - set(values)
    if missing:
        raise KeyError(f"{name} does not measure the values of its statements {sorted(missing)}.")


def _values(tasks: list[Task], workers: int) -> Iterator[tuple[Task, Mapping[str, float]]]:
    if workers < 2:
        for task in tasks:
            yield task, measure(*task)
        return
    # Spawn instead of fork, because torch's threads do not survive a fork.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_leave_to_parent) as pool:
        pending = {pool.submit(measure, *task): task for task in tasks}
        try:
            for future in as_completed(pending):
                yield pending[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _leave_to_parent() -> None:
    """Ignore SIGINT, which reaches every process. The parent ends the worker processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
