"""A run in one browser tab: its knobs, its owner, and the actions that the tab offers.

The hub holds the run itself. A tab has one `TabRun` for the lab, and one for each page with a run
of its own: home, a lesson, a comparison, a cell of the map. This module creates no widgets.
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
from bnviz.ui.claims.measured import claims_in_lab
from bnviz.ui.embed import embedded
from bnviz.ui.knob_dependencies import resolve_dependencies
from bnviz.ui.lab_query import LabQuery, probes_of, read_lab_query, station_query, talk_past
from bnviz.ui.query_schema import SHOWN_RUN, Query, is_ignored
from bnviz.ui.visitor import cookie_from, owner, visitor_address
from bnviz.words.phrase import Phrase, phrase

# Session-state keys: the lab's run, and the runs of other pages by name.
LAB_STATE, PAGE_RUNS_STATE = "lab", "page_runs"
# Maximum number of page runs per tab. A new run replaces the run that was drawn longest ago.
MOST_PAGE_RUNS = 2
# Maximum number of characters of a query. The app's own pages never write longer queries.
LONGEST_QUERY = 8192
MAX_NOTICES = 6
TAB_BYTES = 8
# Knobs that presets do not set, and all knobs that may differ between runs of the same networks and
# data.
UNDECIDED = frozenset({"seed", "device"})
FREE_KNOBS = UNDECIDED.union(LIVE_KNOBS)
# Statuses of a run in which live knobs can be set.
TAKES_KNOBS = ("running", "paused")


@dataclass
class TabRun:
    """State of a run in one tab.

    Attributes:
        tab: Secret name of the tab, sent by the live view's WebSocket.
        owner: Secret of this browser, or "" without a cookie. Only its owner can control a run.
        address: Network address of this browser, which limits its share of the server's queue.
        run_id: Id of the run, or "" if the server could not accept another run.
        pace: Initial pace of a new run.
        plan: Schedule of a new run, or None in the lab.
        extra_probes: Probes of a new run, in addition to the probes for the address's charts.
        view_drawn: Whether the browser has drawn the live view or given up. The page waits until
            then.
        forked: Ids of the last run forked by hand and of its fork.
        widget_suffix: Suffix of the sidebar's widget keys, different for each page. Otherwise a
            browser would show the widget values of the previous page.
        widget_version: Number of times that all widgets were replaced; older widgets are ignored.
        charts_version: Number of changes to the open charts that were not made in the live view.
        history_entries: Number of restarts by the visitor. Back returns to the previous run.
        read_query: Query from the browser that was executed last.
        commands_done: Number of the last executed command, for each live view.
        cookie_from: Monotonic time from which a browser that was refused a cookie may get one.
        visited_stations: Run, step and knobs at each visited station (stop) of a talk, by the name
            of the talk and the number of the station.
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
        return current_hub().info(self.run_id)

    def refresh(self) -> RunInfo | None:
        """Copy knobs and pace from the hub, because live knobs change without a script rerun."""
        info = self.info()
        if info is not None:
            self.config, self.pace = info.config, info.pace
            self.can_control = info.owner_is(self.owner)
        return info

    def has_ended(self) -> bool:
        """Return whether the hub no longer has the run."""
        if self.refresh() is not None or not self.run_id:
            return False
        self.run_id = ""
        return True

    def notify(self, key: str, **values: str) -> None:
        """Add a message from `notice` in `lab.toml`."""
        self.tell(phrase(f"lab.notice.{key}", **values))

    def tell(self, sentence: Phrase) -> None:
        """Add a message, and drop the oldest message if there are more than `MAX_NOTICES`."""
        self.notices = [*self.notices, sentence][-MAX_NOTICES:]

    def may_start(self) -> bool:
        """Return whether this browser has an owner cookie; if not, add a notice."""
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
        """Replace the run with a new run of `config`. If this fails, add a notice and return False.

        Args:
            entry: Whether Back returns to the previous run.
            led: Whether the browser navigated here, so that Back and Forward already have an entry.
            known: Config of the current run, if `config` was derived from it (see `Hub.start`).
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

    def start_again(self, config: RunConfig, *, paused: bool = False, led: bool = False) -> None:
        """Start a run in place of one that has ended. In a talk, start the run of its station."""
        if self.query.talk is None:
            self.notify("expired")
        else:
            self.tell(phrase("series.gone"))
            self.query = station_query(self.query, self.query.talk, self.query.station)
            config, paused = self.query.config, self.query.paused
            self.charts_version += 1
        # A run that belongs to no station of a lost talk must not look like its answer.
        paused |= "talk_gone" in dict(self.query.problems)
        self.start(config, paused=paused, led=led)

    def leave(self, *, back: bool = False) -> None:
        """End the run after a grace period, if the run belongs to this browser.

        The grace period is much longer if `back` is True, because Back then returns to the run.
        """
        if self.run_id and self.can_control:
            with contextlib.suppress(LiveError):
                current_hub().leave(self.owner, self.run_id, back=back)

    def show_again(self, run_id: str) -> None:
        """Show another run that still exists; Back or Forward returns to the current run."""
        self.leave(back=True)
        self.run_id = run_id
        current_hub().come_back(self.owner, run_id, self.tab)
        self.refresh()

    def fork(self, run_id: str, step: int, config: RunConfig | None = None) -> None:
        """Show a fork of a run at a step (see `Hub.fork`); Back returns to the current run."""
        self.run_id = current_hub().fork(
            self.owner, run_id, step, config=config, tab=self.tab, address=self.address
        )
        self.can_control, self.history_entries = True, self.history_entries + 1

    def set_knobs(self, **values: Any) -> None:
        """Set knobs and their dependent knobs, or add a notice on failure.

        Live knobs act on the run; any other knob starts a new run with the same seed.
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
        """Reset all knobs, including the seed, to the preset or to the claim shown.

        If only live knobs differ, the run continues with the new values. Otherwise a new run
        replaces it, even if no knob differs or the run has ended.
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
        """Set live knobs of the run, and return whether the hub accepted them."""
        try:
            current_hub().set_knobs(self.owner, self.run_id, **changed)
        except (LiveError, ConfigError) as error:
            self.tell(error.phrase)
            return False
        self.config = config
        return True

    def preset_config(self) -> RunConfig:
        """Knobs that *Restore* sets: from the claim shown, or else from the preset."""
        claim = self.query.claim
        if claim is not None and claims_in_lab()[claim].query:
            return read_lab_query({"claim": claim}).config
        return PRESETS[self.query.preset].config()

    def has_presets_structure(self) -> bool:
        """Return whether all knobs match the preset, except live knobs, seed and device."""
        preset = PRESETS[self.query.preset].config()
        return differing(preset, self.config).keys() <= FREE_KNOBS

    def is_presets_run(self) -> bool:
        """Return whether the run started with the preset's knobs; ignore later live changes."""
        info = self.info()
        begun = info.initial_config if info else self.config
        preset = PRESETS[self.query.preset].config()
        own = differing(preset, begun).keys() - UNDECIDED
        return self.has_presets_structure() and not own

    def open_preset(self, name: str) -> None:
        """Start a preset's run without inherited knobs, and replace the old preset's charts."""
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
        else:  # keep the query of the current run
            self.query = before

    def open_query(self, text: str) -> None:
        """Show the state that the address requests, after the visitor has navigated.

        If the run in the address still exists, show it again; otherwise start a new run. An
        address without a query changes nothing.
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
        if run_id is None:
            self.start(self.query.config, paused=self.query.paused, led=True)
        elif current_hub().info(run_id) is None:
            self.start_again(self.query.config, paused=self.query.paused, led=True)
        elif run_id != self.run_id:
            self.show_again(run_id)
        self.refresh()

    def to_query(self) -> dict[str, str]:
        return self.query.to_query(self.config, self.run_id or None)


def differing(config: RunConfig, other: RunConfig) -> dict[str, Any]:
    """Knobs of `other` that differ from `config`, with their values in `other`."""
    values = {name: getattr(other, name) for name in KNOBS}
    return {name: value for name, value in values.items() if value != getattr(config, name)}


def open_lab() -> TabRun:
    """Return the lab's run. Start it in the tab's first script run, and again if it has ended."""
    led = led_here()
    if LAB_STATE not in st.session_state:
        st.session_state[LAB_STATE] = _lab_of_address()
    elif led:
        st.session_state[LAB_STATE].open_query(browser_query())
    lab: TabRun = st.session_state[LAB_STATE]
    if lab.has_ended():
        lab.start_again(_with_live_knobs_of_address(lab.config))
    return lab


def _with_live_knobs_of_address(config: RunConfig) -> RunConfig:
    """Return `config` with the live knobs that are in the browser's address."""
    asked = read_lab_query(st.query_params.to_dict()).config
    try:
        return config.replace(**{name: getattr(asked, name) for name in LIVE_KNOBS})
    except ConfigError:
        # The address belongs to another run, whose learning rates do not fit these networks.
        return config


def new_run(query: LabQuery, **fields: Any) -> TabRun:
    """New run of this browser, not yet started; `fields` sets other fields of `TabRun`."""
    return TabRun(
        owner(), query, query.config, address=visitor_address(), cookie_from=cookie_from(), **fields
    )


def _lab_of_address() -> TabRun:
    query = read_lab_query(asked_query())
    if embedded():
        query.paused = False  # an embedded page has no controls to start the run
    lab = new_run(query, read_query=browser_query())
    if query.run is None:
        lab.start(query.config, paused=query.paused)
    elif current_hub().info(query.run) is not None:
        lab.run_id = query.run
    else:
        lab.start_again(query.config, paused=query.paused)
    return lab


def open_page_run(
    name: str,
    config: RunConfig,
    *,
    plan: Plan | None = None,
    pace: str | None = None,
    paused: bool = False,
    run_id: str | None = None,
    large_type: bool = False,
    hide: tuple[str, ...] = (),
    extra_probes: Sequence[str] = (),
) -> TabRun:
    """Return a page's own run, and start it on the first request or if it has ended.

    Args:
        name: Identifies the run within the tab.
        pace: Initial pace; None means "plan" if there is a plan, else "watch".
        paused: Stay at step 0 until a visitor starts the run.
        run_id: Existing run to show instead of a new run.
        hide: Controls to hide, by their names in an address.
    """
    # Whether this is the first run of a page that was shown before a restart of the server.
    again = PAGE_RUNS_STATE not in st.session_state and SHOWN_RUN in st.query_params
    runs: dict[str, TabRun] = st.session_state.setdefault(PAGE_RUNS_STATE, {})
    run = runs.pop(name, None)
    if run is None:
        while len(runs) >= MOST_PAGE_RUNS:
            runs.pop(next(iter(runs))).leave()
        query = LabQuery(config, present=large_type, hide=hide)
        pace = pace or ("watch" if plan is None else "plan")
        run = new_run(query, plan=plan, pace=pace, extra_probes=tuple(extra_probes))
        run_id = run_id or (_shown_before(config, plan) if again else None)
        if run_id is not None and current_hub().info(run_id) is not None:
            run.run_id = run_id
        else:
            if again:
                run.tell(phrase("series.results_gone"))
            run.start(config, paused=paused)
    runs[name] = run  # reinsert at the end, so that it is replaced last
    if run.has_ended():
        run.start_again(run.config, paused=paused)
    return run


def _shown_before(config: RunConfig, plan: Plan | None) -> str | None:
    """Return the id of the run that this page showed before a restart of the server, if it suits.

    It must be this browser's run, and have begun with these arguments.
    """
    plans = plan, plan and plan.after_change_by_hand()
    for info in map(current_hub().info, st.query_params.get_all(SHOWN_RUN)):
        if info and info.owner_is(owner()) and info.initial_config == config and info.plan in plans:
            return info.id
    return None


def page_run(name: str) -> TabRun | None:
    found: TabRun | None = st.session_state.get(PAGE_RUNS_STATE, {}).get(name)
    return found


def close_page_run(name: str) -> None:
    run = st.session_state.get(PAGE_RUNS_STATE, {}).pop(name, None)
    if run is not None:
        run.leave()
