"""A process that runs maps on a Ray cluster, `python -m bnviz.live.worker.cluster ADDRESS`.

Messages come on stdin and go out on stdout, as a worker's do. It ends when stdin ends, when the
cluster cannot be joined, and when it is lost; the hub starts another one then.
"""

from __future__ import annotations

import os
import sys

from bnviz.live import log
from bnviz.live.worker.cluster_work import ClusterWork
from bnviz.live.worker.pipes import Pipes, standard_pipes
from bnviz.sweeps.ray_tasks import NoClusterError, NoRayError, RayTasks

# So often it is looked for answers, while some are to come.
POLL_SECONDS = 0.02


def main() -> int:
    """Serve the hub until stdin ends. Returns 1 where the cluster is not there, or not any more."""
    pipes = standard_pipes()
    log.set_up(os.environ.get("BNVIZ_LOG_LEVEL", "info"))
    address = sys.argv[1]
    return serve(pipes, RayTasks(None if address == "local" else address))


def serve(pipes: Pipes, tasks: RayTasks) -> int:
    """The same, with these pipes and this cluster."""
    try:
        tasks.join()
        work = ClusterWork(pipes.send, tasks)
        work.begin()
        while not pipes.closed:
            for header, _ in pipes.receive(POLL_SECONDS if tasks.under_way else float("inf")):
                work.handle(header)
            work.collect()
    except NoRayError as problem:
        return _give_up(pipes, "errors.map_cluster_no_ray", problem)
    except NoClusterError as problem:
        return _give_up(pipes, "errors.map_cluster_away", problem)
    except Exception as problem:
        log.event("cluster broke", exc_info=True)
        return _give_up(pipes, "errors.map_cluster_broke", problem)
    tasks.give_up()
    tasks.leave()
    return 0


def _give_up(pipes: Pipes, key: str, problem: Exception) -> int:
    log.event("cluster not there", problem=str(problem))
    pipes.send({"type": "not_joined", "key": key})
    return 1


if __name__ == "__main__":
    code = main()
    # A cluster that is gone keeps threads of Ray waiting.
    os._exit(code)
