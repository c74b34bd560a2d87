"""Restoring or reselecting a preset, knobs kept by Reset, and knobs changed at a past step."""

import pytest

from bnviz.config import RunConfig
from bnviz.live.errors import NotYours
from bnviz.presets import PRESETS
from bnviz.ui.claims.measured import claims_in_lab
from bnviz.ui.commands import run_command
from bnviz.ui.tab_run import TabRun
from bnviz.words.phrase import phrase
from tests.live.conftest import until

pytestmark = pytest.mark.usefixtures("one_chart")


@pytest.fixture
def page(open_lab):
    return open_lab(preset="deep-sigmoid-vanishes")


@pytest.fixture
def lab(page) -> TabRun:
    return page.session_state["lab"]


def said(lab):
    return [notice.key.removeprefix("lab.notice.") for notice in lab.notices]


def test_restore_puts_live_knobs_back_on_the_run_and_anything_else_in_a_new_one(lab, live):
    home, run = PRESETS["deep-sigmoid-vanishes"].config(), lab.run_id
    lab.set_knobs(learning_rate=1.0, batch_size=2)
    until(lambda: len(live.hub.info(run).changes) == 1)
    run_command(lab, {"name": "restore"})
    assert (lab.run_id, lab.config, said(lab)) == (run, home, ["restored_live"])
    assert live.hub.info(run).config == home
    lab.set_knobs(depth=3, learning_rate=1.0)
    run_command(lab, {"name": "new_seed"})
    entry = lab.history_entries
    run_command(lab, {"name": "restore"})
    assert (lab.config, said(lab), lab.history_entries) == (home, ["restored"], entry + 1)
    assert live.hub.info(lab.run_id).initial_config == home
    started = lab.run_id
    run_command(lab, {"name": "restore"})  # nothing to restore
    assert lab.run_id != started
    assert said(lab) == ["restored_anew"]


def test_restore_leads_to_the_setting_of_the_claim_that_is_watched(open_lab):
    name = next(name for name, row in claims_in_lab().items() if "depth" in row.query)
    lab = open_lab(claim=name).session_state["lab"]
    claimed = lab.config
    assert claimed != RunConfig()
    lab.set_knobs(depth=claimed.depth + 1)
    run_command(lab, {"name": "restore"})
    assert lab.config == claimed
    assert lab.query.claim == name


def test_the_same_preset_chosen_again_starts_anew_each_time(page, lab, live):
    for _ in range(2):
        run = lab.run_id
        box = page.selectbox[0]
        assert box.value is None
        box.set_value("deep-sigmoid-vanishes")
        page.run()
        assert not page.exception
        assert lab.run_id != run
        assert live.hub.info(lab.run_id).initial_config == PRESETS["deep-sigmoid-vanishes"].config()


def test_a_preset_inherits_no_knob_and_one_that_cannot_start_changes_nothing(lab, monkeypatch):
    lab.set_knobs(seed=5, width=32, learning_rate=0.01)
    lab.open_preset("spirals")
    assert lab.config == PRESETS["spirals"].config()
    assert lab.to_query().keys() == {"preset", "run"}
    before = lab.query, lab.run_id, lab.charts_version

    def refuse(*_args, **_more):
        raise NotYours

    monkeypatch.setattr("bnviz.live.hub.Hub.start", refuse)
    lab.open_preset("figure-1")
    assert (lab.query, lab.run_id, lab.charts_version) == before
    assert said(lab) == ["errors.not_yours"]


def test_reset_says_which_knobs_it_keeps(lab):
    run_command(lab, {"name": "reset"})
    assert said(lab) == []
    lab.set_knobs(learning_rate=1.0)
    run_command(lab, {"name": "reset"})
    assert lab.notices == [phrase("lab.notice.reset_kept", knobs="Learning rate")]


def test_a_knob_moved_while_rewound_goes_to_a_new_run_and_leaves_the_parent(lab, live):
    parent, entry = lab.run_id, lab.history_entries
    run_command(lab, {"name": "fork", "step": 0, "changed_knobs": {"learning_rate": 0.3}})
    assert lab.run_id != parent
    assert live.hub.info(lab.run_id).config.learning_rate == 0.3
    assert live.hub.info(parent).config.learning_rate == 0.1
    assert live.hub.registry.runs[parent].ends_at is None
    assert (lab.history_entries, said(lab)) == (entry + 1, ["forked"])
    for wrong in ({"depth": 3}, ["learning_rate"], {"learning_rate": "1"}):
        run = lab.run_id
        run_command(lab, {"name": "fork", "step": 0, "changed_knobs": wrong})
        assert (lab.run_id, said(lab)) == (run, ["errors.must_be"])


def test_a_run_that_was_left_by_starting_over_is_kept_for_back(lab, live):
    first = lab.run_id
    lab.set_knobs(depth=3)
    settings, state = live.hub.settings, live.hub.registry
    kept = state.runs[first].ends_at
    lab.leave()
    assert (
        kept - state.runs[lab.run_id].ends_at > settings.lease_seconds - settings.grace_seconds - 60
    )
    assert kept > state.runs[lab.run_id].ends_at
