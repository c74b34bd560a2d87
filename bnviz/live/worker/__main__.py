"""A worker process: `python -m bnviz.live.worker`, started by the hub.

Messages come on stdin and go out on stdout; the log goes to stderr. It ends when stdin ends, so it
never outlives its server.
"""

from __future__ import annotations

import math
import os
import sys
import time
from typing import TYPE_CHECKING

from bnviz.live.worker.pipes import standard_pipes

if TYPE_CHECKING:
    from bnviz.live.worker.scheduler import Scheduler

# Below the server, which answers people.
NICENESS = 5
WARM_STEPS = 3
# Not worth the time here: measured in another process in any case.
SLOW = ("sharpness",)
# So often, at least, a measuring process that has died or hangs is looked for.
LONGEST_WAIT = 5.0


def main() -> None:
    """Serve runs until stdin ends."""
    pipes = standard_pipes()
    os.environ["OMP_NUM_THREADS"] = "1"

    import torch

    from bnviz.live import log
    from bnviz.live.protocol.heartbeat import Heartbeat
    from bnviz.live.protocol.wire import TAKE_OVER
    from bnviz.live.worker.scheduler import Scheduler
    from bnviz.live.worker.slow_probes import ForkedMeasurer, MeasurerLink

    torch.set_num_threads(1)
    log.set_up(os.environ.get("BNVIZ_LOG_LEVEL", "info"))
    # Elsewhere processes of several threads cannot be copied, or not at all: there the link starts
    # one when it is needed.
    copied = ForkedMeasurer(pipes, NICENESS) if sys.platform == "linux" else None
    scheduler = Scheduler(pipes.send, Heartbeat.of(sys.argv), MeasurerLink(copied))
    if TAKE_OVER not in sys.argv:
        warm(scheduler)
    # Not before: a replacement's runs stand still until everything is imported.
    os.nice(NICENESS)
    pipes.send({"type": "ready"})
    # Threads that build networks give way soon.
    sys.setswitchinterval(0.001)
    while not pipes.closed:
        wait = scheduler.wait()
        began = time.perf_counter()
        messages = pipes.receive(min(wait, LONGEST_WAIT), scheduler.link.pipes)
        if wait:
            scheduler.idle(time.perf_counter() - began)
        for header, payload in messages:
            scheduler.handle(header, payload)
        scheduler.take_answers()
        scheduler.work()
    scheduler.close()
    # A thread may be building a network; nobody waits for it any more.
    os._exit(0)


def warm(scheduler: Scheduler) -> None:
    """Take every path of the first visitor's run once: imports, data, allocations.

    Args:
        scheduler: learns what probes cost.
    """
    import gc

    from bnviz.config import RunConfig
    from bnviz.experiment import Experiment
    from bnviz.live.worker.probe_schedule import ProbeSchedule
    from bnviz.live.worker.run_frames import FrameMaker
    from bnviz.probes import PROBES

    config = RunConfig()
    experiment = Experiment(config)
    for _ in range(WARM_STEPS):
        experiment.step()
    costs = scheduler.costs.of(config)
    names = [name for name, entry in PROBES.items() if entry.page and name not in SLOW]
    for _ in range(2):
        # Once to import and to allocate, once more for the time that it takes from then on.
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
