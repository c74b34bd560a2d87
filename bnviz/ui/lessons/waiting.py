"""What stands where a run has ended, but what is to be said of it is not yet measured."""

from __future__ import annotations

import streamlit as st

from bnviz.ui.lessons.running import Running
from bnviz.ui.lessons.said import Said

MEASURED_EVERY = 1.0  # seconds


def wait_for_measuring(said: Said, running: Running) -> None:
    """Look again every second until everything is measured, for as long as the page is open.

    A run that has gone on, in the lab, is not measured at that step any more, one that ended early
    never, and a network whose mini-batch is too small not at all.
    """
    if running.step < running.plan.last_step:
        st.html(f"<p>{said.plain('verdict', 'early', step=str(running.step))}</p>")
        return
    gone_on = running.step > running.plan.last_step
    if gone_on or running.watched().stands_still:
        st.caption(said.frame["verdict"]["not_measured"])
        return
    st.caption(said.frame["watch"]["measuring"])

    drawn: list[bool] = []

    @st.fragment(run_every=MEASURED_EVERY)
    def look() -> None:
        if drawn:
            st.rerun()
        drawn.append(True)

    look()
