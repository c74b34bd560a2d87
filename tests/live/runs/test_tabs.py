"""Knobs set on a page apply to the newest run of the page's tab, even while the page still shows
the previous run.
"""

from __future__ import annotations

import pytest

from bnviz.live.protocol.client_messages import SetKnob
from bnviz.live.runs.viewer import Viewer
from tests.live.conftest import OWNER, SMALL, STRANGER
from tests.live.runs.quiet_hub import QuietHub

NORMS = (*SMALL.norms, "layer")
TAB, OTHER_TAB = "here", "beside"


class Page:
    """Page of a tab, which shows one run."""

    def __init__(self, hub: QuietHub, run: str, tab: str, owner: str = OWNER) -> None:
        async def nowhere(_text: str) -> None: ...

        self._hub, self._run, self._n = hub, run, 0
        self.viewer = Viewer(nowhere, 5.0)
        hub.viewers.join(run, self.viewer, owner, tab)

    def turn(self, **values: object) -> None:
        for knob, value in values.items():
            self._n += 1
            message = SetKnob(n=self._n, drag=0, knob=knob, value=value)
            self._hub.viewers.change(self.viewer, message)


def sizes(hub: QuietHub, *runs: str) -> list[int]:
    return [hub.run(run).config.batch_size for run in runs]


def start_in_place_of(hub: QuietHub, run: str, **knobs: object) -> str:
    config = hub.run(run).config.replace(norms=NORMS)
    return hub.start(OWNER, config, replaces=run, tab=TAB, **knobs)


@pytest.mark.anyio
async def test_a_page_that_still_shows_the_last_run_sets_knobs_of_the_next_one():
    hub = QuietHub()
    first = hub.start(OWNER, SMALL, tab=TAB)
    here, beside = (Page(hub, first, tab) for tab in (TAB, OTHER_TAB))
    second = start_in_place_of(hub, first)
    here.turn(batch_size=2)
    assert sizes(hub, first, second) == [SMALL.batch_size, 2]
    beside.turn(batch_size=7)
    assert sizes(hub, first, second) == [7, 2], "another tab shows the first run"
    third = start_in_place_of(hub, second)
    here.turn(batch_size=3)
    assert sizes(hub, first, second, third) == [7, 2, 3], "two scripts ran before the page did"


@pytest.mark.anyio
async def test_a_page_is_answered_with_its_own_number_by_the_run_that_comes():
    hub = QuietHub()
    first = hub.start(OWNER, SMALL, tab=TAB)
    page = Page(hub, first, TAB)
    second = start_in_place_of(hub, first)
    await hub.settle()
    assert page.viewer._waiting["shown"] == {"type": "shown", "run": second}
    assert "shown" not in Page(hub, second, TAB).viewer._waiting
    assert Page(hub, first, TAB).viewer._waiting["shown"]["run"] == second, "it came again"
    page.turn(batch_size=2)
    page.turn(batch_size=0)
    await hub.settle()
    hub.hear_change(second, 4, number=1, batch_size=2)
    told = [one for one in page.viewer._waiting.values() if "n" in one]
    assert [(one["type"], one["n"]) for one in told] == [("refused", 2), ("knob", 1)]
    assert told[1]["step"] == 4


@pytest.mark.anyio
async def test_a_tab_that_goes_back_sets_knobs_of_the_run_it_shows_again():
    hub = QuietHub()
    first = hub.start(OWNER, SMALL, tab=TAB)
    second = start_in_place_of(hub, first, back=True)
    page = Page(hub, second, TAB)
    hub.come_back(OWNER, first, TAB)
    page.turn(batch_size=2)
    assert sizes(hub, first, second) == [2, SMALL.batch_size]


@pytest.mark.anyio
async def test_after_a_fork_knobs_are_set_in_it_and_not_in_its_parent():
    hub = QuietHub()
    parent = hub.start(OWNER, SMALL, tab=TAB)
    page = Page(hub, parent, TAB)
    fork = hub.fork(OWNER, parent, 0, tab=TAB)
    page.turn(batch_size=2)
    assert sizes(hub, parent, fork) == [SMALL.batch_size, 2]


@pytest.mark.anyio
async def test_a_name_of_a_tab_gives_no_right_to_a_run_of_another_browser():
    hub = QuietHub()
    own = hub.start(OWNER, SMALL, tab=TAB)
    others = hub.start(STRANGER, SMALL)
    page = Page(hub, others, TAB, STRANGER)
    page.turn(batch_size=2)
    assert sizes(hub, own, others) == [SMALL.batch_size, 2]


@pytest.mark.anyio
async def test_the_runs_that_tabs_show_are_forgotten_with_the_runs():
    hub = QuietHub()
    first = hub.start(OWNER, SMALL, tab=TAB)
    page = Page(hub, first, TAB)
    second = start_in_place_of(hub, first)
    page.turn(batch_size=3)
    hub.registry.end(hub.run(second), "a test")
    await hub.settle()
    dropped = {"type": "dropped", "n": 1, "why": "ended"}
    assert [one for one in page.viewer._waiting.values() if "n" in one] == [dropped]
    page.turn(batch_size=2)
    assert sizes(hub, first) == [2]
    assert not hub.registry._shown


@pytest.mark.anyio
async def test_what_is_set_while_a_script_makes_the_next_runs_config_is_set_there_too():
    hub = QuietHub()
    first = hub.start(OWNER, SMALL, tab=TAB)
    page = Page(hub, first, TAB)
    known = hub.run(first).config
    page.turn(batch_size=2, learning_rate=0.3)
    wanted = known.replace(norms=NORMS, learning_rate=0.5)
    second = hub.start(OWNER, wanted, replaces=first, tab=TAB, known=known)
    assert hub.run(second).config == wanted.replace(batch_size=2), "its own rate is its own"
    known = hub.run(second).config
    page.turn(batch_size=9, learning_rates=(0.1, 0.2, 0.3))
    wanted = known.replace(norms=SMALL.norms)
    third = hub.start(OWNER, wanted, replaces=second, tab=TAB, known=known)
    assert hub.run(third).config == wanted.replace(batch_size=9), (
        "the run does not have three networks"
    )
