"""Commands from the live view: each is executed once, in order, and checked."""

import gzip
import json

import pytest

from bnviz.charts.theme import DARK, LIGHT, PRESENTATION_TYPE
from bnviz.live.web.templates import find
from bnviz.ui.commands import MOST_COMMANDS, MOST_VIEWS, run_commands
from tests.ui.handed_over import healthy, live_view


@pytest.fixture
def page(first_look, one_chart):
    return first_look()


@pytest.fixture(scope="module")
def untouched(first_look):
    """Page on which every command is refused."""
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


def test_a_picture_of_a_chart_gets_figures_for_large_type_light_and_dark(first_look):
    page = first_look()
    assert live_view(page)["picture"] is None
    run_commands(page.session_state["lab"], said({"name": "picture", "chart": "drift", "sent": 1}))
    picture = live_view(healthy(page.run()))["picture"]
    assert picture["chart"] == "drift"
    sizes = []
    for theme, ink in (("light", LIGHT.ink), ("dark", DARK.ink)):
        assert picture[theme]["colours"]["ink"] == ink
        assert picture[theme]["colours"]["text"].keys() == {"none", "batch"}
        (chart,) = json.loads(gzip.decompress(find(picture[theme]["id"])))["main"]
        assert chart["name"] == "drift"
        sizes.append(chart["figure"]["layout"]["font"]["size"])
    assert min(sizes) >= min(PRESENTATION_TYPE.values())
    for wrong in ("moon", None, 3):
        command = {"name": "picture", "chart": wrong, "sent": 1}
        run_commands(page.session_state["lab"], said(command, view=f"of {wrong}"))
        assert [notice.key for notice in page.session_state["lab"].notices] == ["errors.must_be"]
        assert page.session_state["lab"].picture == "drift"


def test_a_run_is_pinned_and_let_go(page, live):
    lab = page.session_state["lab"]
    for name, pinned in (("pin", True), ("unpin", False)):
        run_commands(lab, said({"name": name, "sent": 1}, view=name))
        assert (live.info(lab.run_id).pinned_seconds is not None) is pinned


def test_each_refusal_is_told(page):
    lab = page.session_state["lab"]
    run_commands(
        lab, said({"name": "pace", "pace": "warp", "sent": 1}, {"name": "dance", "sent": 2})
    )
    first, second = (notice.text() for notice in lab.notices)
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
    assert [notice.key for notice in lab.notices] == ["errors.command"]


def test_a_tab_remembers_few_views(page):
    lab = page.session_state["lab"]
    for view in range(MOST_VIEWS + 3):
        run_commands(lab, said({"name": "pause", "sent": 1}, view=str(view)))
    assert len(lab.commands_done) == MOST_VIEWS
