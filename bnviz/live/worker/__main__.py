"""Worker process, started by the hub as `python -m bnviz.live.worker`.

It receives messages on stdin, sends messages on stdout and logs to stderr. It exits when stdin
closes, so that it never outlives its server.
"""

from __future__ import annotations

import math
import os
import sys
import time
from typing import TYPE_CHECKING

from bnviz.live.worker.pipes import standard_pipes

if TYPE_CHECKING:
    from bnviz.config import RunConfig
    from bnviz.live.worker.scheduler import Scheduler

# Niceness of the worker, so that the server, which responds to people, has priority.
NICENESS = 5
WARM_STEPS = 3
# Probes that are left out of the warm-up, because another process measures them anyway.
SLOW = ("sharpness",)
# Maximum seconds between two checks of the measuring process, because it may die or hang.
LONGEST_WAIT = 5.0


def main() -> None:
    pipes = standard_pipes()
    os.environ["OMP_NUM_THREADS"] = "1"

    import torch

    from bnviz.config import RunConfig
    from bnviz.live import log
    from bnviz.live.memory import WORKER_NEXT, FreedMemory, be_killed_before_others
    from bnviz.live.protocol.heartbeat import Heartbeat
    from bnviz.live.protocol.wire import TAKE_OVER, USES_GPU
    from bnviz.live.worker import gpu
    from bnviz.live.worker.scheduler import Scheduler
    from bnviz.live.worker.slow_probes import ForkedMeasurer, MeasurerLink, OwnMeasurer

    torch.set_num_threads(1)
    log.set_up(os.environ.get("BNVIZ_LOG_LEVEL", "info"))
    be_killed_before_others(WORKER_NEXT)
    heartbeat, uses_gpu = Heartbeat.of(sys.argv), USES_GPU in sys.argv
    if uses_gpu:
        pipes.send({"type": "gpu", "gpu": gpu.facts()})
        scheduler = Scheduler(pipes.send, heartbeat, OwnMeasurer(), settle=gpu.settle)
    else:
        # Fork only on Linux. Elsewhere this process already has threads and cannot be forked, so
        # the link starts the measuring process when it is needed.
        forked = ForkedMeasurer(pipes, NICENESS) if sys.platform == "linux" else None
        scheduler = Scheduler(pipes.send, heartbeat, MeasurerLink(forked))
    if TAKE_OVER not in sys.argv:
        warm(scheduler, RunConfig(device="cuda" if uses_gpu and gpu.facts() else "auto"))
    # Lower the priority only now, after the imports: if this worker replaces another, runs wait for
    # it.
    os.nice(NICENESS)
    pipes.send({"type": "ready"})
    # Let a thread that builds a network yield to the scheduler after a millisecond.
    sys.setswitchinterval(0.001)
    memory = FreedMemory()
    while not pipes.closed:
        wait = scheduler.wait()
        began = time.perf_counter()
        messages = pipes.receive(min(wait, LONGEST_WAIT), scheduler.link.pipes)
        if wait:
            memory.give_back(scheduler.ended)
            scheduler.idle += time.perf_counter() - began
        for header, payload in messages:
            scheduler.handle(header, payload)
        scheduler.take_answers()
        scheduler.work()
    scheduler.link.close()
    # `sys.exit` would wait for any thread that is still building a network.
    os._exit(0)


def warm(scheduler: Scheduler, config: RunConfig) -> None:
    """Train and measure a run once, so that the first visitor's run starts without delay.

    This imports modules, loads the data, allocates memory and measures the time that probes take.
    """
    import gc

    from bnviz.experiment import Experiment
    from bnviz.live.worker.probe_schedule import ProbeSchedule
    from bnviz.live.worker.run_frames import FrameMaker
    from bnviz.probes import PROBES

    experiment = Experiment(config)
    for _ in range(WARM_STEPS):
        experiment.step()
    costs = scheduler.costs.of(config)
    names = [name for name, entry in PROBES.items() if entry.default_view and name not in SLOW]
    for _ in range(2):
        # The first pass also imports modules and allocates memory, so keep only the costs of the
        # second pass.
        costs.clear()
        experiment.snapshot(names, seconds=costs)
        FrameMaker(experiment, experiment.changes, ProbeSchedule(typical=costs), "due").work(
            math.inf
        )
    experiment.checkpoint()
    del experiment
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    main()
