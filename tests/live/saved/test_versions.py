"""A run says so if another version of something computed its earlier steps."""

import orjson

from bnviz.config import RunConfig
from bnviz.live.runs.admission import inherit, new_run
from bnviz.live.runs.history import History
from bnviz.live.runs.placement import NO_CHECKPOINT
from bnviz.live.runs.run import Run
from bnviz.live.runs.versions import changed_versions, versions_on
from bnviz.live.saved.saved_runs import plain_run, read_run
from bnviz.words.texts import texts


def at_step(step: int) -> Run:
    return new_run(
        RunConfig(depth=2, width=16), None, changes=(), from_step=step, parent=None, wants=(),
        owner="a", pace="watch", history=History(2**20),
    )  # fmt: skip


def restored(run: Run, versions: list[str]) -> Run:
    given = orjson.loads(orjson.dumps({**plain_run(run, 0.0), "versions": versions, "log": []}))
    return read_run(run.id, given, NO_CHECKPOINT, 0.0, History(2**20))


def said(run: Run) -> dict[str, str] | None:
    return changed_versions(run.versions, run.resolved_device)


def test_they_are_those_of_program_packages_processor_and_device():
    program, torch, numpy, processor, device = versions_on("cpu")
    assert [each.partition(" ")[0] for each in (program, torch, numpy)] == [
        "bnviz", "torch", "numpy",
    ]  # fmt: skip
    assert processor
    assert device == "CPU"


def test_a_restored_run_names_what_differs_and_nothing_else():
    now = versions_on("cpu")
    before = [now[0], "torch 1.0", *now[2:4], "Some GPU"]
    assert said(restored(at_step(30), now)) is None
    values = {"before": "torch 1.0, Some GPU", "now": f"{now[1]}, CPU"}
    again = restored(at_step(30), before)
    assert said(again) == values
    assert said(restored(again, again.versions)) == values, "it is lost at the next restart"
    assert all(name in texts("live")["notice"]["other_versions"] for name in ("{before}", "{now}"))


def test_steps_that_are_computed_again_are_those_of_this_server():
    before = ["bnviz 0.1", *versions_on("cpu")[1:]]
    assert said(restored(at_step(0), before)) is None
    run = restored(at_step(30), before)
    fork, fork_of_the_start = at_step(20), at_step(0)
    inherit(fork, run)
    inherit(fork_of_the_start, run)
    assert said(fork) == said(run)
    assert said(fork_of_the_start) is None
    run.start_over()
    assert said(run) is None
