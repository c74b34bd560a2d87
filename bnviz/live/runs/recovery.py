"""What becomes of a worker's runs when it dies.

The run in whose own slice it died or hung may be the cause: it waits for the replacement, and the
second time within ten minutes it is ended. Its neighbours go to another worker at once.
"""

from __future__ import annotations

import time

from bnviz.live import log
from bnviz.live.protocol import server_messages
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run
from bnviz.live.runs.worker_process import Death
from bnviz.live.runs.workers import WorkerClient, least_to_do

# A run in whose slice its worker died or hung this often within this many seconds is ended.
MOST_DEATHS = 2
DEATHS_WITHIN = 600.0

_ENDED = {
    False: ("worker_died_twice", "Its worker process ended twice while it worked on this run."),
    True: ("worker_hung_twice", "Its worker process hung twice while it worked on this run."),
}


def recover_runs(state: RunRegistry, maps: WorkerClient, death: Death) -> None:
    """Blame one run of a dead worker and take up the others elsewhere; the lock is held."""
    log.event(
        "worker died", worker=death.place, run=death.run, hung=death.hung, cause=death.cause
    )  # fmt: skip
    there = [run for run in state.runs.values() if run.worker == death.place]
    # First: a run that is over is no load, and none to move.
    for run in there:
        if run.id == death.run and run.error is None:
            with log.guarded("run not blamed", run=run.id):
                _blame(state, run, hung=death.hung)
    for run in there:
        if run.id != death.run and run.error is None:
            with log.guarded("run not moved", run=run.id):
                _go_on(state, run)
                _move(state, run)
    with log.guarded("stacks not asked for again"):
        maps.recover(death)


def _blame(state: RunRegistry, run: Run, *, hung: bool) -> None:
    now = time.monotonic()
    run.deaths = [at for at in run.deaths if now - at < DEATHS_WITHIN] + [now]
    if len(run.deaths) < MOST_DEATHS:
        _go_on(state, run)
        return
    state.ended_runs += 1
    key, problem = _ENDED[hung]
    state.fail(run, problem, key)


def _go_on(state: RunRegistry, run: Run) -> None:
    """Let the next worker go on with a run where it was."""
    run.catch_up()
    state.tell(run, server_messages.notice("worker_replaced"))
    state.tell_status(run)


def _move(state: RunRegistry, run: Run) -> None:
    """Give a run to another worker now; where none is ready it waits for the replacement."""
    assert state.workers is not None
    place = least_to_do(state.runs.values(), state.workers)
    worker = state.workers.at(place)
    if worker is not None and worker.ready:
        state.moved_runs += 1
        run.worker = place
        state.start_on_worker(run)
