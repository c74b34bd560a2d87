"""What becomes of a worker's runs when it dies.

The run in whose own slice it died or hung may be the cause: it waits for the replacement, and the
second time within ten minutes it is ended. Its neighbours go to another worker at once.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bnviz.live import log
from bnviz.live.protocol import messages
from bnviz.live.hub.placement import least_to_do
from bnviz.live.hub.run import Run
from bnviz.live.hub.worker_process import Death

if TYPE_CHECKING:
    from bnviz.live.hub.hub_state import Desk

# A run in whose slice its worker died or hung this often within this many seconds is ended.
MOST_DEATHS = 2
DEATHS_WITHIN = 600.0

_ENDED = {
    False: ("worker_died_twice", "Its worker process ended twice while it worked on this run."),
    True: ("worker_hung_twice", "Its worker process hung twice while it worked on this run."),
}


def rescue(desk: Desk, death: Death) -> None:
    """Blame one run of a dead worker and take up the others elsewhere; the lock is held."""
    log.event(
        "worker died", worker=death.place, run=death.run, hung=death.hung, cause=death.cause
    )  # fmt: skip
    there = [run for run in desk.runs.values() if run.worker == death.place]
    # First: a run that is over is no load, and none to move.
    for run in there:
        if run.id == death.run and run.error is None:
            with log.guarded("run not blamed", run=run.id):
                _blame(desk, run, hung=death.hung)
    for run in there:
        if run.id != death.run and run.error is None:
            with log.guarded("run not moved", run=run.id):
                _go_on(desk, run)
                _move(desk, run)


def _blame(desk: Desk, run: Run, *, hung: bool) -> None:
    now = time.monotonic()
    run.deaths = [at for at in run.deaths if now - at < DEATHS_WITHIN] + [now]
    if len(run.deaths) < MOST_DEATHS:
        _go_on(desk, run)
        return
    desk.ended_runs += 1
    key, problem = _ENDED[hung]
    desk.fail(run, problem, key)


def _go_on(desk: Desk, run: Run) -> None:
    """Let a run be taken up where it stood, by whoever gets it."""
    run.take_up()
    desk.tell(run, messages.notice("worker_replaced"))
    desk.tell_status(run)


def _move(desk: Desk, run: Run) -> None:
    """Give a run to another worker now; where none is ready it waits for the replacement."""
    assert desk.workers is not None
    place = least_to_do(desk.runs.values(), desk.workers)
    worker = desk.workers.at(place)
    if worker is not None and worker.ready:
        desk.moved_runs += 1
        run.worker = place
        desk.give(run)
