"""Recovery: another worker goes on with the runs of one that has died, from their checkpoints.

The run in whose slice the worker died or hung may be the cause: it waits for the process that
replaces the dead one, and the second time within ten minutes it is ended. The worker's other runs
move to another worker at once.
"""

from __future__ import annotations

import time

from bnviz.live import log
from bnviz.live.protocol import server_messages
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run
from bnviz.live.runs.worker_process import Death
from bnviz.live.runs.workers import least_loaded

# A run in whose slices so many workers died or hung within `DEATHS_WITHIN` is ended.
MOST_DEATHS = 2

_ENDED = {
    False: ("worker_died_twice", "Its worker process ended twice while it worked on this run."),
    True: ("worker_hung_twice", "Its worker process hung twice while it worked on this run."),
}


def recover_runs(registry: RunRegistry, death: Death) -> None:
    """Restart the runs of a dead worker on others; the registry's lock is held."""
    log.event(
        "worker died", worker=death.worker_index, run=death.run, hung=death.hung, cause=death.cause
    )  # fmt: skip
    theirs = [
        run for run in registry.runs.values()
        if run.placement.worker == death.worker_index and run.placement.state != "failed"
    ]  # fmt: skip
    # Decide about the suspect first: if it ends, it does not count as load for the others.
    for run in sorted(theirs, key=lambda run: run.id != death.run):
        with log.guarded("run not recovered", run=run.id):
            _recover(registry, run, death)


def _recover(registry: RunRegistry, run: Run, death: Death) -> None:
    """Have another worker replay the run to where it was.

    The run that was worked on is ended the second time; the first time it waits for the process
    that replaces the dead one. So does any run if no worker is ready.
    """
    suspect = run.id == death.run
    if suspect and run.placement.blame(time.monotonic()) >= MOST_DEATHS:
        registry.counts["runs_ended_by_deaths"] += 1
        key, problem = _ENDED[death.hung]
        registry.fail(run, problem, key)
        return
    registry.broadcast(run, server_messages.notice("worker_replaced"))
    registry.broadcast_status(run)
    number = least_loaded(registry.runs.values(), registry.workers, run.resolved_device)
    worker = registry.workers.at(number)
    if not suspect and worker is not None and worker.ready:
        registry.counts["runs_moved"] += 1
        run.placement.move(number)
        registry.start_on_worker(run)
