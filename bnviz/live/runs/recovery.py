"""Recovery of the runs of a dead worker from their checkpoints.

The run that was being computed may be the cause. It waits for the replacement process, and it fails
if this happens twice within ten minutes. The other runs move to another worker at once.
"""

from __future__ import annotations

import time

from bnviz.live import log
from bnviz.live.protocol import server_messages
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run
from bnviz.live.runs.worker_process import Death
from bnviz.live.runs.workers import least_loaded

# A run fails when this many workers have died or hung while they computed it, within
# `DEATHS_WITHIN` seconds.
MOST_DEATHS = 2

_ENDED = {
    False: ("worker_died_twice", "The worker process ended twice while it computed this run."),
    True: ("worker_hung_twice", "The worker process hung twice while it computed this run."),
}


def recover_runs(registry: RunRegistry, death: Death) -> None:
    """Restart the runs of a dead worker. Call with the registry's lock held."""
    log.event(
        "worker died", worker=death.worker_index, run=death.run, hung=death.hung, cause=death.cause
    )  # fmt: skip
    theirs = [
        run for run in registry.runs.values()
        if run.placement.worker == death.worker_index and run.placement.state != "failed"
    ]  # fmt: skip
    # Handle the suspect first: if it fails, it does not count as load for the other runs.
    for run in sorted(theirs, key=lambda run: run.id != death.run):
        with log.guarded("recovery of a run failed", run=run.id):
            _recover(registry, run, death)


def _recover(registry: RunRegistry, run: Run, death: Death) -> None:
    """Restart a run on another worker, or let it wait for the replacement process."""
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
