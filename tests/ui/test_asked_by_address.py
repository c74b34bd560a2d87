"""What an address asks of the lab besides knobs: to wait with a question, to leave parts out."""

from tests.ui.handed_over import view


def test_paused_opens_at_step_0_and_asks_before_it_plays(open_lab, live):
    data = view(open_lab(paused="1", preset="broken-from-the-start"))
    run = live.hub.info(data["run"])
    assert (run.status, run.step) == ("paused", 0)
    assert data["paused_question"] is True
    assert view(open_lab())["paused_question"] is False


def test_hide_takes_parts_away_and_stays_in_the_address(unfolded, open_unfolded):
    page = open_unfolded(hide="activation,share,preset")
    assert view(page)["hide"] == ["activation", "share", "preset"]
    assert view(page)["address"]["hide"] == "activation,share,preset"
    keys = {control.key for control in page.button_group}
    assert {control.key for control in unfolded.button_group} - keys == {"knob_activation"}
    assert len(unfolded.selectbox) - len(page.selectbox) == 1
