"""What a tab's map shows: what its address says, or what the page has made of it since."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from bnviz.config import KNOBS, ConfigError, RunConfig
from bnviz.live.classroom.classrooms import FOLLOW_PARAMETER
from bnviz.sweeps.setting import LADDERS, MOST_STEPS, MapSetting
from bnviz.ui.browser_history import WrittenQueries, arrived, led_here
from bnviz.ui.knob_dependencies import NoRoom, resolve_dependencies
from bnviz.ui.lab_query import LabQuery
from bnviz.ui.language import carried
from bnviz.ui.map.query import MapQuery, read_map_query
from bnviz.words.phrase import error_text, integer_between
from bnviz.words.texts import texts

STATE = "map_desk"


@dataclass
class TabMap:
    """The map of one tab. Its knobs are those of `Widgets`.

    Attributes:
        visit: what is shown.
        notices: sentences to stand above the map.
        named: the addresses that are no command when the browser names them.
        key: of the map, as the hub has it.
        stopped: the key of the map that its visitor has stopped.
        followed: the key of a map that somebody else has drawn, to whom this tab was led.
    """

    visit: MapQuery
    notices: list[str] = field(default_factory=list)
    named: WrittenQueries = field(default_factory=lambda: WrittenQueries({}))
    key: str | None = None
    stopped: str | None = None
    followed: str | None = None
    can_control: bool = True
    apart: str = "-map"
    again: int = 0

    @property
    def setting(self) -> MapSetting:
        """Of the map."""
        return self.visit.setting

    @property
    def config(self) -> RunConfig:
        """Of its networks."""
        return self.visit.setting.config

    @property
    def page(self) -> LabQuery:
        """What an address can take away from a page: here, nothing."""
        return LabQuery(self.config)

    @property
    def follows(self) -> bool:
        """Whether it only watches what another tab has drawn."""
        return self.followed == self.setting.key

    def show(self, visit: MapQuery) -> None:
        """Show something else, and write it into the address: a step that Back takes back."""
        self.visit, self.notices = visit, []
        address = visit.to_query() | carried()
        self.named.write(address)
        st.query_params.from_dict(address)

    def set_knobs(self, **values: Any) -> None:
        """Other networks: the map begins anew, over the same ranges."""
        try:
            moved, notes = resolve_dependencies(self.config, values)
        except NoRoom:
            self.notices = [texts("lab")["notice"]["no_room"].format(count=4)]
            return
        axes = {self.setting.across.knob, self.setting.up.knob}
        moved = {knob: value for knob, value in moved.items() if knob not in axes}
        self.ask(config=lambda config: config.replace(**moved))
        self.notices += [texts("lab")["notice"][key].format(**said) for key, said in notes]

    def ask(self, **changes: Any) -> None:
        """Ask for another map; what cannot be is answered, and the map stays.

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
        visit = replace(self.visit, setting=setting, problems=())
        self.show(visit if same else replace(visit, zooms=(), cell=None))

    def turn(self, side: str, knob: str) -> None:
        """Let a knob be an axis, over its usual range; the other one gives way to it."""
        axes = {"across": self.setting.across, "up": self.setting.up}
        if axes[side].knob == knob:
            return
        other = "up" if side == "across" else "across"
        before = axes[side]
        axes[side] = LADDERS[knob]
        if axes[other].knob == knob:
            axes[other] = LADDERS[before.knob]
        self.ask(**axes, config=lambda config: _usual(config, before.knob))

    def zoom(self, across: tuple[float, float], up: tuple[float, float]) -> None:
        """Show a rectangle; where there is nothing in it, say so."""
        try:
            self.show(self.visit.zoom(across, up))
        except ConfigError as error:
            self.refuse(error)

    def take_steps(self, said: Any) -> None:
        """Let each network take so many steps; what is no number of steps is answered."""
        if not isinstance(said, int) or isinstance(said, bool):
            self.refuse(ConfigError("steps", said, integer_between(1, MOST_STEPS)))
        else:
            self.ask(steps=said)

    def choose(self, cell: tuple[float, float] | None) -> None:
        """Look at a cell, or at none."""
        try:
            if cell is not None:
                self.setting.at(*cell)
        except ConfigError as error:
            self.refuse(error)
            return
        self.show(replace(self.visit, cell=cell))

    def colour(self, name: str) -> None:
        """Colour the cells by something else."""
        self.show(replace(self.visit, colour=name))

    def refuse(self, error: ConfigError) -> None:
        """Say why something cannot be; the map stays as it is."""
        self.notices = [error_text(error)]


def _usual(config: RunConfig, knob: str) -> RunConfig:
    """The config once a knob is no axis any more: at its own default, where it has one."""
    if knob == "init_std":
        return config.replace(init=KNOBS["init"].default, init_std=None)
    return config.replace(**{knob: KNOBS[knob].default})


def open_map() -> TabMap:
    """The map of this tab: what its address says is a command only where it is new, or where the
    browser says that it was led there.
    """
    heard = st.query_params.to_dict()
    desk: TabMap | None = st.session_state.get(STATE)
    came, led = arrived(), led_here()
    if desk is not None and not led and heard in desk.named:
        return desk
    if desk is not None and came and not heard:
        # From another page, the mere place of this one asks for nothing: it is as it was left.
        desk.named = WrittenQueries(heard)
        desk.show(replace(desk.visit, problems=()))
        return desk
    visit = read_map_query(heard)
    fresh = TabMap(visit, list(visit.problems), WrittenQueries(heard))
    if heard.get(FOLLOW_PARAMETER) == "1":
        fresh.followed = fresh.setting.key
    if desk is not None:
        fresh.again, fresh.key = desk.again + 1, desk.key
    st.session_state[STATE] = fresh
    return fresh
