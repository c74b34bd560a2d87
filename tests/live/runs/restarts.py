"""Rule of the state machine of runs: the server is killed and starts again from its saved state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from bnviz.actions import knobs_in
from bnviz.config import RunConfig
from bnviz.live.hub import Hub
from bnviz.live.runs.housekeeping import maintain
from bnviz.live.runs.run import Run
from bnviz.live.saved.saved_runs import CHECKPOINT, RUN, SavedRuns
from bnviz.live.saved.state_file import Entry
from tests.live.one_process import Loop, OneProcess, Tab, opened_hub


class EntriesInMemory:
    """Stand-in for a `Saver` whose transactions end at once."""

    on = True

    def __init__(self) -> None:
        self.entries: dict[Entry, bytes] = {}

    def put(self, changes: Mapping[Entry, bytes | None]) -> None:
        for entry, content in changes.items():
            self.entries.pop(entry, None)
            if content is not None:
                self.entries[entry] = content

    def fits(self, entry: Entry, content: bytes) -> bool:
        return True


def kept_facts(run: Run) -> tuple[Any, ...]:
    """Return what a restart may not change: all that decides about later steps, and the owner."""
    return run.owner, list(run.log), run.plan, run.planned, run.pace, run.playing, run.reason


class Restarts(RuleBasedStateMachine):
    """State machine with a hub that saves its runs at each look after them."""

    hub: Hub
    workers: OneProcess
    loop: Loop
    tabs: dict[Tab, str]
    given: dict[str, int]
    begins: dict[str, int]
    happened: set[str]

    def begin_saving(self) -> None:
        self.saver = EntriesInMemory()
        self.saved = SavedRuns(self.hub.registry, self.saver)  # type: ignore[arg-type]
        self.at_save: dict[str, tuple[Any, ...]] = {}

    def look_after_runs(self, *, all_checkpoints: bool = False) -> None:
        """Let the hub look after its runs and save them, as at each of its passes."""
        maintain(self.hub.registry)
        self.saved.save(all_checkpoints=all_checkpoints)
        self.at_save = {run.id: kept_facts(run) for run in self.hub.registry.runs.values()}

    @rule(saves=st.booleans(), stopped=st.booleans())
    def the_server_restarts(self, saves: bool, stopped: bool) -> None:
        """Forget the hub and its workers, and restore the runs as they were last saved.

        All that has happened since then is lost. The pages with restored runs open them again.
        """
        if saves or stopped:
            self.look_after_runs(all_checkpoints=stopped)
        watched = [*dict.fromkeys(self.tabs.values())]
        self.tabs.clear()
        self.given.clear()
        self.begins.clear()
        entries = dict(self.saver.entries)
        self.hub, self.workers = opened_hub(self.hub.settings, self.loop)
        self.saved = SavedRuns(self.hub.registry, self.saver)  # type: ignore[arg-type]
        self.saved.restore(entries)
        self.happened.add("restart")
        assert self.saver.entries == entries, "a restart deletes nothing"
        runs = self.hub.registry.runs
        assert runs.keys() == {key for kind, key in entries if kind == RUN}
        assert {run.id: kept_facts(run) for run in runs.values()} == self.at_save
        for run in runs.values():
            assert run.step >= run.placement.checkpoint.step
            now = RunConfig(**run.log.now)
            for change in run.pending.values():
                now = now.replace(**knobs_in(change.values))
            assert run.config == now
        for run_id in watched:
            if run_id in runs:
                self._open(run_id)
        self.saved.save()
        changed = {key for kind, key in self.saver.entries if kind == CHECKPOINT}
        assert changed <= runs.keys()

    def _open(self, run: str) -> None:
        raise NotImplementedError
