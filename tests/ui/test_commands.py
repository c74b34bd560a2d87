"""What the live view asks for: each command once, in order, checked."""

import pytest

from bnviz.ui.commands import MOST_COMMANDS, MOST_VIEWS, run_commands


@pytest.fixture
def page(first_look):
    return first_look()


@pytest.fixture(scope="module")
def untouched(first_look):
    """A page of which nothing that is asked is done."""
    return first_look()


FAST = {"name": "pace", "pace": "full", "sent": 1}


def said(*commands, view="1-1"):
    return {"view": view, "commands": list(commands)}


def test_a_command_brings_the_ones_before_it_and_each_is_done_once(page, live):
    lab = page.session_state["lab"]
    run_commands(lab, said(FAST, {"name": "new_seed", "sent": 2}))
    first = lab.run_id
    assert (lab.config.seed, live.hub.info(first).pace) == (1, "full")
    run_commands(lab, said(FAST, {"name": "new_seed", "sent": 2}))
    run_commands(lab, said({"name": "new_seed", "sent": 2}, {"name": "play", "sent": 3}))
    assert (lab.run_id, lab.commands_done) == (first, {"1-1": 3})
    run_commands(
        lab, said({"name": "new_seed", "sent": 1}, view="2-1")
    )  # another view, or a reload
    assert lab.config.seed == 2


def test_each_refusal_is_told(page):
    lab = page.session_state["lab"]
    run_commands(
        lab, said({"name": "pace", "pace": "warp", "sent": 1}, {"name": "dance", "sent": 2})
    )
    first, second = (values["message"] for _, values in lab.notices)
    assert "pace" in first
    assert "must be one of" in second


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        [],
        {"view": "1-1"},
        said({"name": "new_seed"}),
        said({"name": "new_seed", "sent": "1"}),
        said({"name": "new_seed", "sent": 0}),
        said({"name": "new_seed", "sent": 1}, view="v" * 41),
        said(*[{"name": "new_seed", "sent": 1 + i} for i in range(MOST_COMMANDS + 1)]),
    ],
)
def test_what_cannot_be_read_is_refused_and_does_nothing(untouched, wrong):
    lab = untouched.session_state["lab"]
    run, lab.notices = lab.run_id, []
    run_commands(lab, wrong)
    assert (lab.config.seed, lab.run_id) == (0, run)
    assert [key for key, _ in lab.notices] == ["refused"]


def test_a_tab_remembers_few_views(page):
    lab = page.session_state["lab"]
    for view in range(MOST_VIEWS + 3):
        run_commands(lab, said({"name": "pause", "sent": 1}, view=str(view)))
    assert len(lab.commands_done) == MOST_VIEWS
