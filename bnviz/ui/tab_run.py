"""The lab of one browser tab: which run it shows, who owns it, and what its knobs say.

The hub holds the run; this module holds only what the tab wants of it. No widget is made here.

*Restore this preset*: every knob back to the preset's, or the watched claim's.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from bnviz.config import KNOBS, LIVE_KNOBS, ConfigError, RunConfig
from bnviz.live import LiveError, current_hub
from bnviz.live.runs.run import RunInfo
from bnviz.live.web.owner import COOKIE, issuer, verify
from bnviz.planned_runs.plan import Plan
from bnviz.presets import PRESETS
from bnviz.ui.browser_history import browser_query, led_here
from bnviz.ui.claims.measured import watchable
from bnviz.ui.embed import embedded, nobody
from bnviz.ui.knob_dependencies import MOST_NETWORKS, NoRoom, resolve_dependencies
from bnviz.ui.lab_query import LabQuery, is_ignored, probes_of, read_lab_query, talk_past
from bnviz.words.phrase import error_text

LAB_STATE = "lab"
# A query longer than this is no address that a page of ours wrote.
LONGEST = 8192
MAX_NOTICES = 6
# What a preset says nothing of.
FREE = frozenset({"seed", "device"})


@dataclass
class TabRun:
    """What one tab shows.

    Attributes:
        owner: this browser's secret; a run started with it obeys only it. "" without a cookie.
        page: what the address asked for.
        config: the run's present knobs.
        run: the run's id, or "" when the server had no place for one.
        can_control: whether this browser may control the run.
        pace: the pace a new run starts at.
        plan: the schedule that a new run follows; None in the lab.
        wants: probes that a new run measures from the start, besides those of the page's charts.
        drawn: whether the live view stands, or had its time; what is beside it waits for that.
        apart: see `bnviz.ui.knob_widgets.KnobHolder`.
        turn: how often charts were opened or closed by something else than the live view.
        entry: how often something started over at the visitor's wish: a step to go back from.
        read: the query that was last read as a command, as the browser had it.
        again: how often all widgets were replaced, so that what a browser still says of the ones
            before is not heard.
        commands_done: by live view, the last of the commands it sent that was done, counted from 1.
        cookie_from: when a browser that was refused a cookie may have one, on the monotonic clock.
        marks: of the stations of a talk that were visited, run, step and knobs then.
        notices: sentences to show above the charts: (key of `notice`, values).
    """

    owner: str
    page: LabQuery
    config: RunConfig
    run: str = ""
    can_control: bool = True
    pace: str = "watch"
    plan: Plan | None = None
    wants: tuple[str, ...] = ()
    drawn: bool = False
    apart: str = ""
    turn: int = 0
    entry: int = 0
    read: str = ""
    again: int = 0
    commands_done: dict[str, int] = field(default_factory=dict)
    cookie_from: float | None = None
    marks: dict[tuple[str, int], tuple[str, int, RunConfig]] = field(default_factory=dict)
    notices: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def info(self) -> RunInfo | None:
        """What the hub knows of the run; None where there is none (any more)."""
        return current_hub().info(self.run)

    def catch_up(self) -> RunInfo | None:
        """Take what the hub says of the run: its live knobs move without a script.

        Returns:
            What the hub knows of the run; None where there is no such run any more.
        """
        info = self.info()
        if info is not None:
            self.config, self.pace = info.config, info.pace
            self.can_control = info.owner_is(self.owner)
        return info

    def notify(self, key: str, **values: str) -> None:
        """Add a sentence for the visitor, the newest last."""
        self.notices = [*self.notices, (key, values)][-MAX_NOTICES:]

    def may_start(self) -> bool:
        """Whether this browser has the cookie that a run is tied to; if not, a notice says why."""
        if self.owner:
            return True
        if self.cookie_from is None:
            self.notify("no_cookie")
        else:
            seconds = max(1, math.ceil(self.cookie_from - time.monotonic()))
            self.notify("too_many_browsers", seconds=str(seconds))
        return False

    def start(
        self, config: RunConfig, *, paused: bool = False, entry: bool = False, led: bool = False
    ) -> bool:
        """Start a run of `config` in place of the tab's last one; a notice says why not.

        Args:
            config: the run's knobs.
            paused: stay at step 0.
            entry: whether Back is to lead from here to what was there before.
            led: whether an address led here, so that Back or Forward lead there already.
        """
        if not self.may_start():
            return False
        replaces = self.run if self.run and self.can_control else None
        begun = talk_past(self.page) if config is self.page.config else {}
        try:
            self.run = current_hub().start(
                self.owner, config, pace=self.pace, paused=paused, replaces=replaces,
                back=entry or led, asleep=True, plan=self.plan,
                wants=(*self.wants, *probes_of(self.page.charts)), **begun,
            )  # fmt: skip
        except LiveError as error:
            self.notify("refused", message=error_text(error))
            return False
        self.config, self.can_control = config, True
        self.entry += entry
        return True

    def leave(self, *, back: bool = False) -> None:
        """End the run, if it is this browser's own, a little later, or by `back` much later."""
        if self.run and self.can_control:
            with contextlib.suppress(LiveError):
                current_hub().leave(self.owner, self.run, back=back)

    def set_knobs(self, **values: Any) -> None:
        """Apply knobs: live ones act on the run, any other starts over with the same seed."""
        self.notices = []
        info = self.catch_up()
        try:
            moved, notes = resolve_dependencies(self.config, values)
            config = self.config.replace(**moved)
        except NoRoom:
            self.notify("no_room", count=str(MOST_NETWORKS))
            return
        except ConfigError as error:
            self.notify("refused", message=error_text(error))
            return
        changed = {
            name: getattr(config, name)
            for name in KNOBS
            if getattr(config, name) != getattr(self.config, name)
        }
        if not changed:
            return
        self.notices = notes
        if info is None or not all(KNOBS[name].live for name in changed):
            self.start(config, entry=True)
            return
        try:
            current_hub().set_knobs(self.owner, self.run, **changed)
            self.config = config
        except (LiveError, ConfigError) as error:
            self.notify("refused", message=error_text(error))

    def as_preset(self) -> bool:
        """Whether the run is what its preset says, live knobs aside: they move without a script."""
        return _same(self.config, PRESETS[self.page.preset].config(), {*LIVE_KNOBS, *FREE})

    def is_presets_run(self) -> bool:
        """Whether what the preset says is of this run, whatever was moved live since it began."""
        info = self.info()
        begun = info.initial_config if info else self.config
        return self.as_preset() and _same(begun, PRESETS[self.page.preset].config(), FREE)

    def open_preset(self, name: str) -> None:
        """Start a preset; its charts take the place of the last one's, and no knob is inherited."""
        self.notices = []
        before, brought = self.page, PRESETS[self.page.preset].charts
        added = (chart for chart in before.charts if chart not in brought)
        self.page = LabQuery(
            PRESETS[name].config(),
            preset=name,
            present=before.present,
            hide=before.hide,
            talk=before.talk,
            station=before.station,
            charts=tuple(dict.fromkeys((*PRESETS[name].charts, *added))),
        )
        if self.start(self.page.config, entry=True):
            self.turn += 1
        else:  # the run that stands is not the new preset's
            self.page = before

    def obey(self, text: str) -> None:
        """Show what an address's query asks for that the page did not write itself.

        A run of the address that still lives is shown again, another setting starts over. The lab's
        mere place asks for nothing: it is shown as it was left.
        """
        self.catch_up()
        self.read, query = text, dict(parse_qsl(text[:LONGEST], keep_blank_values=True))
        said, shown = (
            {name: value for name, value in address.items() if not is_ignored(name)}
            for address in (query, self.query())
        )
        if not said or said == shown:
            return
        self.again += 1
        page = read_lab_query(said)
        self.page, self.notices, self.turn = page, page.problems[:MAX_NOTICES], self.turn + 1
        if page.run is None or current_hub().info(page.run) is None:
            if page.run is not None:
                self.notify("expired")
            self.start(page.config, paused=page.paused, led=True)
        elif page.run != self.run:
            self.leave(back=True)
            self.run = page.run
            current_hub().come_back(self.owner, self.run)
        self.catch_up()

    def query(self) -> dict[str, str]:
        """The address of what the tab shows now; the live view writes it into the browser."""
        return self.page.to_query(self.config, self.run or None)


def _same(config: RunConfig, other: RunConfig, free: Collection[str]) -> bool:
    return all(getattr(config, name) == getattr(other, name) for name in KNOBS if name not in free)


def open_lab() -> TabRun:
    """The tab's lab: made from the address on the first run of the script, kept afterwards."""
    led = led_here()
    if LAB_STATE not in st.session_state:
        st.session_state[LAB_STATE] = _from_address()
    elif led:
        st.session_state[LAB_STATE].obey(browser_query())
    lab: TabRun = st.session_state[LAB_STATE]
    if lab.catch_up() is None and lab.run:
        lab.notify("expired")
        lab.run = ""
        lab.start(_as_left(lab.config))
    return lab


def _as_left(config: RunConfig) -> RunConfig:
    """The knobs of a run that has ended, live ones as the browser left them in the address."""
    asked = read_lab_query(st.query_params.to_dict()).config
    try:
        return config.replace(**{name: getattr(asked, name) for name in LIVE_KNOBS})
    except ConfigError:
        # The address is of another run: its rates are not for these networks.
        return config


def _from_address() -> TabRun:
    page = read_lab_query(st.query_params.to_dict())
    if embedded():
        page.paused = False  # nobody could play it
    lab = TabRun(
        owner(), page, page.config, cookie_from=cookie_from(),
        notices=list(page.problems[:MAX_NOTICES]), read=browser_query(),
    )  # fmt: skip
    if page.run is not None and current_hub().info(page.run) is not None:
        lab.run = page.run
        return lab
    if page.run is not None:
        lab.notify("expired")
    lab.start(page.config, paused=page.paused)
    return lab


def owner() -> str:
    """This browser's secret, if it sent a cookie of ours; in a frame, one that no browser has."""
    if embedded():
        return nobody()
    return verify(st.context.cookies.get(COOKIE)) or ""


def cookie_from() -> float | None:
    """When this browser may have a cookie, if its address has had too many."""
    # Streamlit gives no address for this machine's own.
    peer = st.context.ip_address or "127.0.0.1"
    wait = issuer().wait(peer, st.context.headers.get_all("X-Forwarded-For"))
    return None if wait is None else time.monotonic() + wait


# A run in these states still takes live knobs.
GOES_ON = ("running", "paused")


def preset_config(lab: TabRun) -> RunConfig:
    """The knobs to which *Restore* leads: those of the preset, or of the claim watched."""
    claim = lab.page.claim
    if claim is not None and watchable()[claim].query:
        return read_lab_query({"claim": claim}).config
    return PRESETS[lab.page.preset].config()


def restore(lab: TabRun) -> None:
    """Put every knob back to the preset's, the seed too.

    Where only live knobs moved they act on the run, which goes on; anything else starts over.
    Where nothing moved, or the run has come to its end, it starts anew.
    """
    lab.notices = []
    info, home = lab.catch_up(), preset_config(lab)
    moved = {
        name: getattr(home, name)
        for name in KNOBS
        if getattr(home, name) != getattr(lab.config, name)
    }
    goes_on = info is not None and info.status in GOES_ON
    if not (moved and goes_on and all(KNOBS[name].live for name in moved)):
        if lab.start(home, entry=True):
            lab.notify("restored" if moved else "restored_anew")
        return
    try:
        current_hub().set_knobs(lab.owner, lab.run, **moved)
    except (LiveError, ConfigError) as error:
        lab.notify("refused", message=error_text(error))
        return
    lab.config = home
    lab.notify("restored_live")
