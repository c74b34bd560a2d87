"""The map of one browser tab: what it shows, and what its visitor may ask of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from bnviz.config import KNOBS, ConfigError, RunConfig
from bnviz.live import LiveError
from bnviz.live.classroom.classrooms import FOLLOW_PARAMETER
from bnviz.sweeps.setting import LADDERS, MOST_STEPS, MapSetting
from bnviz.ui.browser_history import WrittenQueries, arrived, asked_query, led_here
from bnviz.ui.knob_dependencies import resolve_dependencies
from bnviz.ui.map.query import MapQuery, read_map_query
from bnviz.words.phrase import Phrase, integer_between

# Key in the tab's session.
STATE = "tab_map"


@dataclass
class TabMap:
    """The map of one tab; a sidebar shows and sets its knobs (`bnviz.ui.knob_widgets`).

    Attributes:
        query: what is shown.
        notices: sentences to stand above the map.
        written: the queries that are no command when the browser sends them.
        key: of the map, as the hub has it; None before the hub has any.
        stopped: the key of the map that its visitor has stopped, or None.
        followed: the key of a map that somebody else has drawn and this tab follows, or None.
        dragged: whether the last value is one of a drag that goes on.
        widget_suffix: see `TabRun`; so for `widget_version`.
    """

    query: MapQuery
    notices: list[Phrase] = field(default_factory=list)
    written: WrittenQueries = field(default_factory=lambda: WrittenQueries({}))
    key: str | None = None
    stopped: str | None = None
    followed: str | None = None
    dragged: bool = False
    can_control: bool = True
    hidden: tuple[str, ...] = ()
    widget_suffix: str = "-map"
    widget_version: int = 0

    @property
    def setting(self) -> MapSetting:
        return self.query.setting

    @property
    def config(self) -> RunConfig:
        return self.query.setting.config

    @property
    def follows(self) -> bool:
        """Whether this tab only watches the map, which another tab has drawn."""
        return self.followed == self.setting.key

    def show(self, query: MapQuery) -> None:
        """Show something else, and write it into the address: Back leads to what was shown.

        While a knob is dragged, the address stays as it is.
        """
        self.query, self.notices = query, []
        if not self.dragged:
            self.written.write(query.to_query())

    def drag(self, act: Callable[[], None], *, goes_on: bool) -> None:
        """Do what a value of a drag asks for; the last one of a drag stands in the address."""
        ends, self.dragged, before = self.dragged and not goes_on, goes_on, self.written.newest
        act()
        if ends and self.written.newest is before:
            self.show(self.query)

    def set_knobs(self, **values: Any) -> None:
        """Set knobs of the networks, but for the axes': the map starts over, with its ranges."""
        try:
            wanted, notes = resolve_dependencies(self.config, values)
        except LiveError as error:
            self.refuse(error)
            return
        axes = {self.setting.across.knob, self.setting.up.knob}
        wanted = {knob: value for knob, value in wanted.items() if knob not in axes}
        self.set_setting(config=lambda config: config.replace(**wanted))
        self.notices += notes

    def set_setting(self, **changes: Any) -> None:
        """Show the map of another setting; where there is none, say why and keep the map.

        Args:
            **changes: fields of `MapSetting`; of the config, a function of the present one.
        """
        try:
            if "config" in changes:
                changes["config"] = changes["config"](self.config)
            setting = self.setting.replace(**changes)
        except ConfigError as error:
            self.refuse(error)
            return
        if setting == self.setting:
            return  # a widget that was drawn anew says what it shows
        axes = setting.across.knob, setting.up.knob
        same = axes == (self.setting.across.knob, self.setting.up.knob)
        query = replace(self.query, setting=setting, problems=())
        self.show(query if same else replace(query, zooms=(), cell=None))

    def set_axis(self, side: str, knob: str) -> None:
        """Make a knob an axis, over its usual range; if the other axis has it, they swap.

        Args:
            side: "across" or "up".
            knob: its name.
        """
        other = "up" if side == "across" else "across"
        before: str = getattr(self.setting, side).knob
        if before == knob:
            return
        axes = {side: LADDERS[knob]}
        if getattr(self.setting, other).knob == knob:
            axes[other] = LADDERS[before]
        self.set_setting(**axes, config=lambda config: _with_default(config, before))

    def zoom(self, across: tuple[float, float], up: tuple[float, float]) -> None:
        """Zoom into a rectangle of the map; where it holds no values, say so."""
        try:
            self.show(self.query.zoom(across, up))
        except ConfigError as error:
            self.refuse(error)

    def set_steps(self, steps: Any) -> None:
        """Set how many steps each network takes; say why not where that is no such number."""
        if type(steps) is not int:
            self.refuse(ConfigError("steps", steps, integer_between(1, MOST_STEPS)))
        else:
            self.set_setting(steps=steps)

    def choose(self, cell: tuple[float, float] | None) -> None:
        """Show the card of a cell, or of none."""
        try:
            if cell is not None:
                self.setting.at(*cell)
        except ConfigError as error:
            self.refuse(error)
            return
        self.show(replace(self.query, cell=cell))

    def refuse(self, error: LiveError | ConfigError) -> None:
        """Say why something cannot be shown; the map stays as it is."""
        self.notices = [error.phrase]


def _with_default(config: RunConfig, knob: str) -> RunConfig:
    """A config once a knob is no axis any more: the knob has its default again."""
    if knob == "init_std":
        return config.replace(init=KNOBS["init"].default, init_std=None)
    return config.replace(**{knob: KNOBS[knob].default})


def open_map() -> TabMap:
    """The map of this tab, as its address asks for it.

    A query that the page itself has written changes nothing, unless the visitor was led to it by
    Back, Forward or a link.
    """
    query = asked_query()
    present: TabMap | None = st.session_state.get(STATE)
    came, led = arrived(), led_here()
    if present is not None and not led and query in present.written:
        return present
    if present is not None and came and not query:
        # The page's address without a query asks for nothing: the map is as it was left.
        present.written = WrittenQueries(query)
        present.show(replace(present.query, problems=()))
        return present
    asked = read_map_query(query)
    fresh = TabMap(asked, [], WrittenQueries(query))
    if query.get(FOLLOW_PARAMETER) == "1":
        fresh.followed = fresh.setting.key
    if present is not None:
        fresh.widget_version, fresh.key = present.widget_version + 1, present.key
    st.session_state[STATE] = fresh
    return fresh
