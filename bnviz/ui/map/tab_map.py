"""State of the map in one browser tab, and the actions of its visitor."""

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

STATE = "tab_map"


@dataclass
class TabMap:
    """Map of one tab, whose knobs `bnviz.ui.knob_widgets` shows and sets.

    Attributes:
        key: Key of the map in the hub, or None before the hub has it.
        stopped: Key of the map that the visitor has stopped, or None.
        followed: Key of another tab's map that this tab follows, or None.
        dragged: Whether the last value belongs to a slider's drag that has not ended.
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
        """Return whether this tab only watches the map of another tab."""
        return self.followed == self.setting.key

    def show(self, query: MapQuery) -> None:
        """Show a query and, unless a knob is dragged, write it to the address."""
        self.query, self.notices = query, []
        if not self.dragged:
            self.written.write(query.to_query())

    def drag(self, act: Callable[[], None], *, goes_on: bool) -> None:
        """Apply a value of a slider's drag; only the last value is written to the address."""
        ends, self.dragged, before = self.dragged and not goes_on, goes_on, self.written.newest
        act()
        if ends and self.written.newest is before:
            self.show(self.query)

    def set_knobs(self, **values: Any) -> None:
        """Set knobs other than the axes, and start the map over with the same ranges."""
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
        """Show the map of a changed setting. If the setting is invalid, show an error instead.

        Args:
            changes: Fields of `MapSetting`; `config` is a function that takes the current config.
        """
        try:
            if "config" in changes:
                changes["config"] = changes["config"](self.config)
            setting = self.setting.replace(**changes)
        except ConfigError as error:
            self.refuse(error)
            return
        if setting == self.setting:
            return  # a redrawn widget reports its unchanged value
        axes = setting.across.knob, setting.up.knob
        same = axes == (self.setting.across.knob, self.setting.up.knob)
        query = replace(self.query, setting=setting, problems=())
        self.show(query if same else replace(query, zooms=(), cell=None))

    def set_axis(self, side: str, knob: str) -> None:
        """Give an axis another knob with its default range; swap knobs if the other axis has it."""
        other = "up" if side == "across" else "across"
        before: str = getattr(self.setting, side).knob
        if before == knob:
            return
        axes = {side: LADDERS[knob]}
        if getattr(self.setting, other).knob == knob:
            axes[other] = LADDERS[before]
        self.set_setting(**axes, config=lambda config: _with_default(config, before))

    def zoom(self, across: tuple[float, float], up: tuple[float, float]) -> None:
        try:
            self.show(self.query.zoom(across, up))
        except ConfigError as error:
            self.refuse(error)

    def set_steps(self, steps: Any) -> None:
        if type(steps) is not int:
            self.refuse(ConfigError("steps", steps, integer_between(1, MOST_STEPS)))
        else:
            self.set_setting(steps=steps)

    def choose(self, cell: tuple[float, float] | None) -> None:
        """Show the card of a cell; None closes the card."""
        try:
            if cell is not None:
                self.setting.at(*cell)
        except ConfigError as error:
            self.refuse(error)
            return
        self.show(replace(self.query, cell=cell))

    def refuse(self, error: LiveError | ConfigError) -> None:
        """Show an error and keep the map."""
        self.notices = [error.phrase]


def _with_default(config: RunConfig, knob: str) -> RunConfig:
    """Reset a knob that is no longer an axis to its default."""
    if knob == "init_std":
        return config.replace(init=KNOBS["init"].default, init_std=None)
    return config.replace(**{knob: KNOBS[knob].default})


def open_map() -> TabMap:
    """Return this tab's map as the address requests it.

    A query that the page wrote itself changes nothing, unless the visitor navigated to it.
    """
    query = asked_query()
    present: TabMap | None = st.session_state.get(STATE)
    came, led = arrived(), led_here()
    if present is not None and not led and query in present.written:
        return present
    if present is not None and came and not query:
        # An address without a query requests nothing, so keep the previous state of the map.
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
