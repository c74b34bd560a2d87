"""Where the stacks of maps are run: in the hub's workers, or on the cluster that it has joined."""

from __future__ import annotations

from collections.abc import Mapping

from bnviz.live.hub.hub_state import HubState
from bnviz.live.hub.map_cluster import CLUSTER
from bnviz.live.hub.worker_process import Death
from bnviz.live.protocol.wire import Header
from bnviz.phrase import Phrase, phrase

# Stacks for one core: one in work, and the next, so that it does not wait for the hub.
MOST_SENT = 2


class MapPlaces:
    """The places of workers, or the cluster's alone. Used with the state's lock held.

    Attributes:
        sent_at: the number of the last stack that each place got.
    """

    def __init__(self, state: HubState) -> None:
        self._state = state
        self.sent_at: dict[int, int] = {}

    @property
    def cores(self) -> int:
        """Into how many stacks work is split, if need be: a cluster's cores would else idle.

        Workers have runs besides; for them large stacks, which take less time in all, are better.
        """
        cluster = self._state.cluster
        return max(1, cluster.cores) if cluster is not None else 1

    def free(self, sent: Mapping[int, int]) -> int | None:
        """The place for another stack: of workers the one with the least to do, the idle in turn.

        A worker in which somebody watches a run at full pace takes none, if there are others: cores
        that all work slow each other down, beyond the share of a worker's time that maps take.

        Args:
            sent: how many stacks each place has.
        """
        state = self._state
        if state.cluster is not None:
            return CLUSTER if sent.get(CLUSTER, 0) < MOST_SENT * state.cluster.cores else None
        workers = state.workers
        if workers is None:
            return None

        def load(place: int) -> tuple[float, ...]:
            worker = workers.at(place)
            busy = round(worker.busy_share, 1) if worker else 0.0
            return sent.get(place, 0), busy, self.sent_at.get(place, 0)

        ready = {worker.number for worker in workers.living() if worker.ready}
        watched = {
            run.worker for run in state.runs.values()
            if run.seen and run.pace == "full" and run.status == "running"
        }  # fmt: skip
        free = [place for place in ready - watched or ready if sent.get(place, 0) < MOST_SENT]
        return min(free, key=load, default=None)

    def send(self, place: int, header: Header) -> None:
        """Send a message to a place; on the event loop."""
        if place == CLUSTER:
            if self._state.cluster is not None:
                self._state.cluster.send(header)
        elif self._state.workers is not None:
            self._state.workers.send(place, header)


def why_ended(death: Death) -> Phrase:
    """What is said of a map whose stack was lost too often, the last time by this death."""
    if death.place == CLUSTER:
        return phrase("errors.map_cluster_lost")
    return phrase("errors.map_hung" if death.hung else "errors.map_died")
