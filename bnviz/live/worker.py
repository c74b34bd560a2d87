"""A worker process: `python -m bnviz.live.worker`, started by the hub.

Messages come on stdin and go out on stdout; the log goes to stderr. It ends when stdin ends, so it
never outlives its server.
"""

from __future__ import annotations

import os
import signal
import sys

# Below the server, which answers people.
NICENESS = 5
WARM_STEPS = 3


def main() -> None:
    """Serve runs until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    outlet = os.dup(sys.stdout.fileno())
    # Whatever prints must not end up between messages.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    os.environ["OMP_NUM_THREADS"] = "1"

    import torch

    from bnviz.live import log
    from bnviz.live.pipes import Pipes
    from bnviz.live.scheduler import Scheduler
    from bnviz.live.wire import TAKE_OVER

    torch.set_num_threads(1)
    log.set_up(os.environ.get("BNVIZ_LOG_LEVEL", "info"))
    pipes = Pipes(sys.stdin.fileno(), outlet)
    scheduler = Scheduler(pipes.send)
    if TAKE_OVER not in sys.argv:
        warm(scheduler.typical_costs)
    # Not before: a replacement's runs stand still until everything is imported.
    os.nice(NICENESS)
    pipes.send({"type": "ready"})
    while not pipes.closed:
        for header, payload in pipes.receive(scheduler.wait()):
            scheduler.handle(header, payload)
        scheduler.work()


def warm(costs: dict[str, float]) -> None:
    """Take every path of the first visitor's run once: imports, data, allocations.

    Args:
        costs: filled with the seconds that probes take.
    """
    import gc

    from bnviz.config import RunConfig
    from bnviz.experiment import Experiment
    from bnviz.live.measuring import Measuring

    experiment = Experiment(RunConfig())
    for _ in range(WARM_STEPS):
        experiment.step()
    for _ in range(2):
        # Once to import and to allocate, once more for the time that it takes from then on.
        costs.clear()
        Measuring(typical=costs).measure(experiment, 0.0, "full")
    experiment.checkpoint()
    del experiment
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    main()
