"""Placement of runs after a new worker, a jump, a refused start, or a reset of a fork's parent."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields

import pytest

from bnviz.config import ConfigError
from bnviz.live import LimitReached
from bnviz.live.runs.placement import Placement
from bnviz.live.runs.viewer import Viewer
from bnviz.records import Change
from tests.conftest import ROOT
from tests.live.conftest import OWNER, SMALL, STRANGER
from tests.live.runs.quiet_hub import QuietHub


@pytest.fixture
def make_viewer():
    async def nowhere(_text: str) -> None:
        pass

    return lambda: Viewer(nowhere, 5.0)


@pytest.mark.anyio
async def test_a_jump_to_a_step_before_the_last_change_goes_to_that_change():
    hub = QuietHub()
    run = hub.start(OWNER, SMALL, pace="full")
    hub.hear_frame(run, 108)
    hub.set_knobs(OWNER, run, learning_rate=0.7)
    hub.hear_change(run, 149, number=1, learning_rate=0.7)
    hub.advance(OWNER, run, 113)
    await hub.settle()
    assert hub.info(run).step == 149
    _, start, _ = hub.starts(run)[-1]
    assert start["catch_up_to"] == 149
    assert [change["step"] for change in start["log"]] == [149]


@pytest.mark.anyio
@pytest.mark.parametrize("back", [False, True])
async def test_a_refused_start_leaves_the_run_that_it_would_have_replaced(back):
    hub = QuietHub(starts_per_minute=1)
    run = hub.start(OWNER, SMALL)
    with pytest.raises(LimitReached):
        hub.start(OWNER, SMALL, replaces=run, back=back)
    assert hub.run(run).ends_at is None
    hub.leave(OWNER, run, back=True)
    before = hub.run(run).ends_at
    with pytest.raises(LimitReached):
        hub.start(OWNER, SMALL, replaces=run, back=back)
    assert hub.run(run).ends_at == before, "it was left before, by another page"


@pytest.mark.anyio
async def test_a_refused_start_ends_no_run(make_viewer):
    hub = QuietHub(workers=1, runs_per_owner=2)
    kept = [hub.start(OWNER, SMALL) for _ in range(2)]
    hub.run(kept[0]).pinned_until = 1e12
    hub.start(OWNER, SMALL)
    hub.run(kept[0]).pinned_until = None
    for run in kept:
        hub.viewers.join(run, make_viewer(), OWNER)
    before = list(hub.registry.runs)
    with pytest.raises(LimitReached, match="watches 2 runs"):
        hub.start(OWNER, SMALL)
    assert list(hub.registry.runs) == before


@pytest.mark.anyio
async def test_a_refused_fork_leaves_no_run():
    hub = QuietHub()
    run = hub.start(OWNER, SMALL)
    hub.hear_frame(run, 20)
    with pytest.raises(ConfigError, match="momentum"):
        hub.fork(OWNER, run, 10, SMALL.model_copy(update={"momentum": 7.0}))
    assert list(hub.registry.runs) == [run]


@pytest.mark.anyio
async def test_a_changed_fork_has_its_change_from_the_start():
    hub = QuietHub(workers=1)
    parent = hub.start(OWNER, SMALL)
    hub.hear_change(parent, 5, learning_rate=0.7)
    hub.hear_frame(parent, 20)
    fork = hub.fork(STRANGER, parent, 10, SMALL.replace(learning_rate=0.2))
    await hub.settle()
    made = [Change(5, {"learning_rate": 0.7}), Change(10, {"learning_rate": 0.2})]
    assert list(hub.info(fork).changes) == made
    assert hub.info(fork).config.learning_rate == 0.2
    assert hub.run(fork).history.log.has_room()
    assert [change["step"] for change in hub.starts(fork)[-1][1]["log"]] == [5, 10]


@pytest.mark.anyio
async def test_a_fork_that_waited_takes_no_checkpoint_of_a_parent_that_started_over():
    hub = QuietHub(max_runs=2)
    parent, other = hub.start(OWNER, SMALL), hub.start(STRANGER, SMALL)
    hub.hear_frame(parent, 20)
    fork = hub.fork(STRANGER, parent, 10)
    assert hub.info(fork).status == "queued"
    hub.set_knobs(OWNER, parent, learning_rate=0.7)
    hub.reset(OWNER, parent)
    hub.registry.end(hub.run(other), "its test wants the place")
    await hub.settle()
    asked = [header for _, header, _ in hub.registry.workers.sent if "fork" in header]
    assert not asked
    assert hub.starts(fork)[-1][1]["config"] == SMALL.model_dump(mode="json")


@pytest.mark.anyio
async def test_a_finished_run_that_rested_gets_a_worker_again(make_viewer):
    hub = QuietHub()
    run = hub.start(OWNER, SMALL)
    hub.hear(run, "state", step=9, playing=False, reason="limit", command_number=0)
    hub.pin(OWNER, run)
    hub.registry.rest(hub.run(run))
    hub.viewers.join(run, make_viewer(), OWNER)
    await hub.settle()
    assert (hub.info(run).status, hub.run(run).placement.state) == ("finished", "placed")
    assert len(hub.starts(run)) == 2


def assigned(tree: ast.AST) -> Iterator[ast.Attribute]:
    """Yield the attributes of objects other than `self` that are assigned or changed in place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            found = node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found = node.func.value if node.func.attr in ("append", "clear", "extend") else None
        else:
            continue
        if isinstance(found, ast.Attribute) and ast.unparse(found.value) != "self":
            yield found


def test_only_placement_assigns_its_fields():
    names = {one.name for one in fields(Placement)}
    wrong = [
        f"{path.name}:{found.lineno}: {ast.unparse(found)}"
        for path in (ROOT / "bnviz" / "live").rglob("*.py") if path.name != "placement.py"
        for found in assigned(ast.parse(path.read_text("utf-8"))) if found.attr in names
    ]  # fmt: skip
    assert wrong == []
    assert [found.attr for found in assigned(ast.parse("run.placement.worker = 1"))] == ["worker"]
