"""A run as one browser tab shows it: its knobs, who owns it, and what the tab may do with it.

The hub holds the run; a `TabRun` holds only what its tab wants of it. A tab has one for the lab,
and one for each page with a run of its own: home, a lesson, a comparison, a cell of the map. No
widget is made here.
"""

from __future__ import annotations

import contextlib
import math
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from bnviz.config import KNOBS, LIVE_KNOBS, ConfigError, RunConfig
from bnviz.live import LiveError, current_hub
from bnviz.live.runs.run import RunInfo
from bnviz.planned_runs.plan import Plan
from bnviz.presets import PRESETS
from bnviz.ui.browser_history import asked_query, browser_query, led_here
from bnviz.ui.claims.measured import watchable
from bnviz.ui.embed import embedded
from bnviz.ui.knob_dependencies import resolve_dependencies
from bnviz.ui.lab_query import LabQuery, probes_of, read_lab_query, talk_past
from bnviz.ui.query_schema import Query, is_ignored
from bnviz.ui.visitor import cookie_from, owner, visitor_address
from bnviz.words.phrase import Phrase, phrase

# Keys in the tab's session: the lab's run, and those of other pages by their names.
LAB_STATE, PAGE_RUNS_STATE = "lab", "page_runs"
# A tab has no more runs of pages than these; a further one replaces the one drawn longest ago.
MOST_PAGE_RUNS = 2
# Characters of a query; a longer one is no address that a page of ours wrote.
LONGEST_QUERY = 8192
MAX_NOTICES = 6
TAB_BYTES = 8
# Knobs that no preset decides; and all that a run of the same networks and data may have otherwise.
UNDECIDED = frozenset({"seed", "device"})
FREE_KNOBS = UNDECIDED.union(LIVE_KNOBS)
# A run with one of these statuses takes live knobs.
TAKES_KNOBS = ("running", "paused")


@dataclass
class TabRun:
    """A run as one tab shows it.

    Attributes:
        tab: a name that nobody can guess; the live view's socket sends it.
        owner: this browser's secret; a run started with it obeys only it. "" without a cookie.
        address: the network address of this browser, with which it shares the server's queue.
        query: what the page's address asks for.
        config: the run's present knobs.
        run_id: the run's id, or "" when the server had no place for one.
        can_control: whether this browser may control the run.
        pace: the pace at which a new run starts.
        plan: the schedule that a new run follows; None in the lab.
        extra_probes: probes that a new run measures from the start, besides those of the address's
            charts.
        view_drawn: whether the browser has drawn the live view, or given up waiting for it; the
            rest of the page waits for that.
        forked: the last run that was forked by hand, and the fork.
        widget_suffix: ends the keys of the sidebar's widgets. Two pages have different ones: a
            browser that comes from one page would show the values of its widgets on the other.
        widget_version: counts how often all widgets were replaced; what a browser still sends of
            older ones is ignored.
        picture: the chart of which a picture was asked for last, or "".
        charts_version: counts how often something else than the live view opened or closed charts.
        history_entries: counts how often the visitor started something over; Back leads to each.
        read_query: the browser's query that was last taken for a command.
        commands_done: number of the last command that was done, by live view, from 1.
        cookie_from: when a browser that was refused a cookie may have one, on the monotonic clock.
        visited_stations: the run, step and knobs at which a station of a talk was left, by talk
            and number.
        notices: sentences to show above the charts.
    """

    owner: str
    query: LabQuery
    config: RunConfig
    run_id: str = ""
    address: str = ""
    tab: str = field(default_factory=lambda: secrets.token_hex(TAB_BYTES))
    can_control: bool = True
    pace: str = "watch"
    plan: Plan | None = None
    extra_probes: tuple[str, ...] = ()
    view_drawn: bool = False
    forked: tuple[str, str] = ("", "")
    widget_suffix: str = ""
    widget_version: int = 0
    picture: str = ""
    charts_version: int = 0
    history_entries: int = 0
    read_query: str = ""
    commands_done: dict[str, int] = field(default_factory=dict)
    cookie_from: float | None = None
    visited_stations: dict[tuple[str, int], tuple[str, int, RunConfig]] = field(
        default_factory=dict
    )
    notices: list[Phrase] = field(default_factory=list)

    @property
    def hidden(self) -> tuple[str, ...]:
        return self.query.hide

    def info(self) -> RunInfo | None:
        """What the hub knows of the run; None where it has no such run any more."""
        return current_hub().info(self.run_id)

    def refresh(self) -> RunInfo | None:
        """Take over the run's knobs and pace from the hub: live knobs are set without a script.

        Returns:
            What the hub knows of the run; None where it has no such run any more.
        """
        info = self.info()
        if info is not None:
            self.config, self.pace = info.config, info.pace
            self.can_control = info.owner_is(self.owner)
        return info

    def has_ended(self) -> bool:
        """Whether the hub has no such run any more; a notice says so then."""
        if self.refresh() is not None or not self.run_id:
            return False
        self.notify("expired")
        self.run_id = ""
        return True

    def notify(self, key: str, **values: str) -> None:
        """Add a sentence of `notice` in `lab.toml` for the visitor."""
        self.tell(phrase(f"lab.notice.{key}", **values))

    def tell(self, sentence: Phrase) -> None:
        """Add a sentence for the visitor, the newest last; the oldest are dropped."""
        self.notices = [*self.notices, sentence][-MAX_NOTICES:]

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
        self,
        config: RunConfig,
        *,
        paused: bool = False,
        entry: bool = False,
        led: bool = False,
        known: RunConfig | None = None,
    ) -> bool:
        """Start a run of `config` in place of the present one; a notice says why not.

        Args:
            config: the run's knobs.
            paused: stay at step 0.
            entry: whether Back is to lead from here to the run before.
            led: whether an address led here, so that Back or Forward lead there already.
            known: the present run's config, if `config` was made from it; see `Hub.start`.

        Returns:
            Whether it was started.
        """
        if not self.may_start():
            return False
        replaces = self.run_id if self.run_id and self.can_control else None
        of_address = config is self.query.config
        past = talk_past(self.query) if of_address else {}
        plan = self.plan or (self.query.plan if of_address else None)
        try:
            self.run_id = current_hub().start(
                self.owner, config, pace=self.pace, paused=paused, replaces=replaces,
                back=entry or led, asleep=True, plan=plan,
                wants=(*self.extra_probes, *probes_of(self.query.charts)),
                tab=self.tab, known=known, address=self.address, **past,
            )  # fmt: skip
        except LiveError as error:
            self.tell(error.phrase)
            return False
        self.config, self.can_control = config, True
        if known is not None:
            self.refresh()
        self.history_entries += entry
        return True

    def leave(self, *, back: bool = False) -> None:
        """End the run after a grace period, if it is this browser's own.

        Args:
            back: whether Back leads to it: the hub keeps it much longer.
        """
        if self.run_id and self.can_control:
            with contextlib.suppress(LiveError):
                current_hub().leave(self.owner, self.run_id, back=back)

    def show_again(self, run_id: str) -> None:
        """Show another run, which still lives; Back or Forward lead to the present one."""
        self.leave(back=True)
        self.run_id = run_id
        current_hub().come_back(self.owner, run_id, self.tab)
        self.refresh()

    def fork(self, run_id: str, step: int, config: RunConfig | None = None) -> None:
        """Show a new run that is the same as another one up to a step; see `Hub.fork`.

        Back leads to the present run.
        """
        self.run_id = current_hub().fork(
            self.owner, run_id, step, config=config, tab=self.tab, address=self.address
        )
        self.can_control, self.history_entries = True, self.history_entries + 1

    def set_knobs(self, **values: Any) -> None:
        """Set knobs, and those that depend on them; a notice says why not.

        Live knobs act on the run; any other starts a new run with the same seed.
        """
        self.notices = []
        info = self.refresh()
        try:
            wanted, notes = resolve_dependencies(self.config, values)
            config = self.config.replace(**wanted)
        except (LiveError, ConfigError) as error:
            self.tell(error.phrase)
            return
        changed = differing(self.config, config)
        if not changed:
            return
        self.notices = notes
        if info is None or not changed.keys() <= set(LIVE_KNOBS):
            self.start(config, entry=True, known=self.config)
        else:
            self._set_live(config, changed)

    def restore(self) -> None:
        """Set every knob, the seed too, to the preset's value, or to that of the watched claim.

        Where only live knobs differ they act on the run, which goes on; anything else starts over.
        Where nothing differs, or the run has ended, it starts anew.
        """
        self.notices = []
        info, config = self.refresh(), self.preset_config()
        changed = differing(self.config, config)
        takes_knobs = info is not None and info.status in TAKES_KNOBS
        if not (changed and takes_knobs and changed.keys() <= set(LIVE_KNOBS)):
            if self.start(config, entry=True):
                self.notify("restored" if changed else "restored_anew")
        elif self._set_live(config, changed):
            self.notify("restored_live")

    def _set_live(self, config: RunConfig, changed: dict[str, Any]) -> bool:
        """Set live knobs of the run, which then has `config`; whether it took them."""
        try:
            current_hub().set_knobs(self.owner, self.run_id, **changed)
        except (LiveError, ConfigError) as error:
            self.tell(error.phrase)
            return False
        self.config = config
        return True

    def preset_config(self) -> RunConfig:
        """The knobs to which *Restore* leads: those of the watched claim, or of the preset."""
        claim = self.query.claim
        if claim is not None and watchable()[claim].query:
            return read_lab_query({"claim": claim}).config
        return PRESETS[self.query.preset].config()

    def has_presets_structure(self) -> bool:
        """Whether the knobs are the preset's, live ones aside: they are set without a script."""
        preset = PRESETS[self.query.preset].config()
        return differing(preset, self.config).keys() <= FREE_KNOBS

    def is_presets_run(self) -> bool:
        """Whether the run began as the preset says, whatever live knobs were set since."""
        info = self.info()
        begun = info.initial_config if info else self.config
        preset = PRESETS[self.query.preset].config()
        own = differing(preset, begun).keys() - UNDECIDED
        return self.has_presets_structure() and not own

    def open_preset(self, name: str) -> None:
        """Start a preset's run; its charts replace the last preset's, no knob is inherited."""
        self.notices = []
        before, presets_charts = self.query, PRESETS[self.query.preset].charts
        added = (chart for chart in before.charts if chart not in presets_charts)
        self.query = LabQuery(
            PRESETS[name].config(),
            preset=name,
            present=before.present,
            hide=before.hide,
            talk=before.talk,
            station=before.station,
            charts=tuple(dict.fromkeys((*PRESETS[name].charts, *added))),
        )
        if self.start(self.query.config, entry=True):
            self.charts_version += 1
        else:  # the present run is not the new preset's
            self.query = before

    def open_query(self, text: str) -> None:
        """Show what the query of an address asks for that the page did not write itself.

        A run of the address that still lives is shown again; another setting starts over. An
        address without a query asks for nothing: the lab is shown as it was left.

        Args:
            text: the query, as the browser has it.
        """
        self.refresh()
        self.read_query = text
        query = Query(parse_qsl(text[:LONGEST_QUERY], keep_blank_values=True))
        asked, shown = (
            {name: value for name, value in address.items() if not is_ignored(name)}
            for address in (query, self.to_query())
        )
        if not asked or asked == shown:
            return
        self.widget_version += 1
        self.charts_version += 1
        self.query = read_lab_query(query)
        self.notices = []
        run_id = self.query.run
        if run_id is None or current_hub().info(run_id) is None:
            if run_id is not None:
                self.notify("expired")
            self.start(self.query.config, paused=self.query.paused, led=True)
        elif run_id != self.run_id:
            self.show_again(run_id)
        self.refresh()

    def to_query(self) -> dict[str, str]:
        """The query of what the tab shows now; the live view writes it into the browser."""
        return self.query.to_query(self.config, self.run_id or None)


def differing(config: RunConfig, other: RunConfig) -> dict[str, Any]:
    """The knobs of another config that are not the same in this one."""
    values = {name: getattr(other, name) for name in KNOBS}
    return {name: value for name, value in values.items() if value != getattr(config, name)}


def open_lab() -> TabRun:
    """The run of the tab's lab: started from the address by the first script, kept afterwards.

    If it has ended meanwhile it is started anew, and a notice says so.
    """
    led = led_here()
    if LAB_STATE not in st.session_state:
        st.session_state[LAB_STATE] = _lab_of_address()
    elif led:
        st.session_state[LAB_STATE].open_query(browser_query())
    lab: TabRun = st.session_state[LAB_STATE]
    if lab.has_ended():
        lab.start(_with_live_knobs_of_address(lab.config))
    return lab


def _with_live_knobs_of_address(config: RunConfig) -> RunConfig:
    """A config with the live knobs that the browser has written into its address."""
    asked = read_lab_query(st.query_params.to_dict()).config
    try:
        return config.replace(**{name: getattr(asked, name) for name in LIVE_KNOBS})
    except ConfigError:
        # The address is of another run: its rates are not for these networks.
        return config


def new_run(query: LabQuery, **fields: Any) -> TabRun:
    """A run of this browser that is not started yet; `fields` are further ones of `TabRun`."""
    return TabRun(
        owner(), query, query.config, address=visitor_address(), cookie_from=cookie_from(), **fields
    )


def _lab_of_address() -> TabRun:
    query = read_lab_query(asked_query())
    if embedded():
        query.paused = False  # nobody could play it
    lab = new_run(query, read_query=browser_query())
    if query.run is not None and current_hub().info(query.run) is not None:
        lab.run_id = query.run
        return lab
    if query.run is not None:
        lab.notify("expired")
    lab.start(query.config, paused=query.paused)
    return lab


def open_page_run(
    name: str,
    config: RunConfig,
    *,
    plan: Plan | None = None,
    pace: str | None = None,
    paused: bool = False,
    run_id: str | None = None,
    large: bool = False,
    hide: tuple[str, ...] = (),
    extra_probes: Sequence[str] = (),
) -> TabRun:
    """A run that a page shows beside the tab's lab, started when it is first asked for.

    If it has ended meanwhile it is started anew, and a notice says so.

    Args:
        name: the same name is the same run for as long as the tab lives.
        config: the run's knobs at step 0.
        plan: its schedule.
        pace: at which it starts; None: its plan's, or else the watch pace.
        paused: whether it stays at step 0 until somebody plays it.
        run_id: a run to show instead, as an address has it, if it still lives.
        large: type for a hall.
        hide: what its controls leave out, as in an address.
        extra_probes: probes that its charts draw.
    """
    runs: dict[str, TabRun] = st.session_state.setdefault(PAGE_RUNS_STATE, {})
    run = runs.pop(name, None)
    if run is None:
        while len(runs) >= MOST_PAGE_RUNS:
            runs.pop(next(iter(runs))).leave()
        query = LabQuery(config, present=large, hide=hide)
        pace = pace or ("watch" if plan is None else "plan")
        run = new_run(query, plan=plan, pace=pace, extra_probes=tuple(extra_probes))
        if run_id is not None and current_hub().info(run_id) is not None:
            run.run_id = run_id
        else:
            run.start(config, paused=paused)
    runs[name] = run  # drawn last, so the last to be replaced
    if run.has_ended():
        run.start(run.config, paused=paused)
    return run


def page_run(name: str) -> TabRun | None:
    """The run of this name, if the tab has one."""
    found: TabRun | None = st.session_state.get(PAGE_RUNS_STATE, {}).get(name)
    return found


def close_page_run(name: str) -> None:
    """End the run of this name, if the tab has one."""
    run = st.session_state.get(PAGE_RUNS_STATE, {}).pop(name, None)
    if run is not None:
        run.leave()
