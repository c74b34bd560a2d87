"""What the buttons of the live view ask for. They arrive as data and are checked here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bnviz.config import KNOBS, ConfigError, check_live
from bnviz.live import LiveError, current_hub
from bnviz.live.protocol.pace import paces
from bnviz.ui.lab_query import known_charts
from bnviz.ui.query_schema import RUN_ID
from bnviz.ui.tab_run import MAX_NOTICES, TabRun
from bnviz.ui.talks import walk
from bnviz.words.phrase import error_text, integer_between, listed, one_of, phrase

MAX_SEED = 2**31 - 1
# Commands that a live view may send at once, views of one tab whose commands are told apart, and
# characters of a view's name.
MOST_COMMANDS, MOST_VIEWS, LONGEST_NAME = 16, 8, 40
MOST_SENT = 2**31
# Steps that are taken at once to the answer of a question: none asks for more.
MOST_AT_ONCE = 1000


class NumberedCommand(BaseModel):
    """A command's place among those of its view; the rest is its own matter."""

    model_config = ConfigDict(strict=True)

    sent: int = Field(ge=1, le=MOST_SENT)


class CommandList(BaseModel):
    """What a live view sends: a command, after those that it does not know to have been done."""

    model_config = ConfigDict(strict=True)

    view: str = Field(max_length=LONGEST_NAME)
    commands: list[dict[str, Any]] = Field(max_length=MOST_COMMANDS)


def run_commands(lab: TabRun, said: Any) -> None:
    """Do each command once and in order; what cannot be read becomes a notice.

    Streamlit hands a script the newest of a component's events alone, so that a command carries
    those before it along, and some arrive several times.
    """
    try:
        heard = CommandList.model_validate(said)
        commands = [(NumberedCommand.model_validate(one).sent, one) for one in heard.commands]
    except ValidationError:
        lab.notices = []
        lab.notify("refused", message=phrase("errors.command", names=listed(COMMANDS)).text())
        return
    done, told = lab.commands_done.pop(heard.view, 0), list[tuple[str, dict[str, str]]]()
    for sent, command in commands:
        if sent > done:
            run_command(lab, command)
            done, told = sent, [*told, *lab.notices]
            lab.notices = told[-MAX_NOTICES:]
    lab.commands_done = dict([*lab.commands_done.items(), (heard.view, done)][-MOST_VIEWS:])


def run_command(lab: TabRun, command: Any) -> None:
    """Do what one button of the live view asks for; a refusal becomes a notice."""
    lab.notices = []
    name = command.get("name") if isinstance(command, dict) else None
    action = COMMANDS.get(name) if isinstance(name, str) else None
    if action is None:
        lab.notify("refused", message=phrase("errors.command", names=listed(COMMANDS)).text())
        return
    lab.refresh()
    try:
        action(lab, command)
    except (LiveError, ConfigError) as error:
        lab.notify("refused", message=error_text(error))


def keep_charts(lab: TabRun, names: Any) -> None:
    """Keep which charts the live view has open; what it says is checked like an address."""
    lab.query.charts = known_charts(names if isinstance(names, list) else [])


def _control(name: str) -> Callable[[TabRun, dict[str, Any]], None]:
    def action(lab: TabRun, _command: dict[str, Any]) -> None:
        getattr(current_hub(), name)(lab.owner, lab.run_id)

    return action


def _reset(lab: TabRun, _command: dict[str, Any]) -> None:
    """Back to step 0; what it keeps is said where that is not what the preset has."""
    current_hub().reset(lab.owner, lab.run_id)
    if lab.plan is not None:  # it begins again as it did
        return
    home = lab.preset_config()
    kept = [name for name in KNOBS if getattr(lab.config, name) != getattr(home, name)]
    if kept:
        lab.notify("reset_kept", knobs=", ".join(KNOBS[name].label for name in kept))


def _restore(lab: TabRun, _command: dict[str, Any]) -> None:
    if lab.can_control:
        lab.restore()


def _pace(lab: TabRun, command: dict[str, Any]) -> None:
    pace = command.get("pace")
    if pace not in paces(lab.plan):
        raise ConfigError("pace", pace, one_of(paces(lab.plan)))
    current_hub().set_pace(lab.owner, lab.run_id, pace)
    lab.pace = pace


def _new_seed(lab: TabRun, _command: dict[str, Any]) -> None:
    lab.start(lab.config.replace(seed=(lab.config.seed + 1) % MAX_SEED), entry=True)


def _fork(lab: TabRun, command: dict[str, Any]) -> None:
    """A new run from a step on, with the present knobs or those that were moved while rewound."""
    step = command.get("step")
    if not isinstance(step, int) or isinstance(step, bool) or step < 0:
        raise ConfigError("step", step, phrase("errors.at_least", low=0))
    moved = command.get("moved") or {}
    if not isinstance(moved, dict):
        raise ConfigError("moved", moved, phrase("errors.json_object"))
    check_live(moved)
    config = lab.config.replace(**moved)
    if not lab.may_start():
        return
    lab.run_id = current_hub().fork(lab.owner, lab.run_id, step, config=config)
    lab.can_control, lab.history_entries = True, lab.history_entries + 1
    if moved:
        lab.notify("forked", step=f"{step:,}")


def _copy(lab: TabRun, _command: dict[str, Any]) -> None:
    info = lab.info()
    if info is not None and lab.may_start():
        lab.run_id = current_hub().fork(lab.owner, lab.run_id, info.step)
        lab.can_control, lab.history_entries = True, lab.history_entries + 1


def _follow(lab: TabRun, command: dict[str, Any]) -> None:
    """A watched tab shows another run now; its viewers may follow."""
    run = command.get("run")
    info = current_hub().info(run) if isinstance(run, str) and RUN_ID.fullmatch(run) else None
    if info is not None and not lab.can_control:
        lab.run_id, lab.config = info.id, info.config


def _advance(lab: TabRun, command: dict[str, Any]) -> None:
    """Take the steps up to one at once, and stay there: where the answer to a question is known."""
    info, step = lab.info(), command.get("step")
    last = (info.step if info else 0) + MOST_AT_ONCE
    if not isinstance(step, int) or isinstance(step, bool) or not 0 <= step <= last:
        raise ConfigError("step", step, integer_between(0, last))
    current_hub().advance(lab.owner, lab.run_id, step)
    current_hub().pause(lab.owner, lab.run_id)


def _best(lab: TabRun, _command: dict[str, Any]) -> None:
    """Run each network at the best rate that was found for it by running."""
    info = lab.info()
    if info is None or info.best is None:
        return
    rates = tuple(info.best[norm]["rate"] for norm in lab.config.norms)
    lab.start(lab.config.replace(learning_rates=rates), entry=True)


def _visit(lab: TabRun, command: dict[str, Any]) -> None:
    """Back or Forward led to another address of the lab; what is wrong in it is answered there."""
    query = command.get("query")
    if isinstance(query, str):
        lab.open_query(query)


COMMANDS: dict[str, Callable[[TabRun, dict[str, Any]], None]] = {
    "play": _control("play"),
    "pause": _control("pause"),
    "step": _control("step"),
    "reset": _reset,
    "restore": _restore,
    "pace": _pace,
    "new_seed": _new_seed,
    "fork": _fork,
    "copy": _copy,
    "follow": _follow,
    "find_best": _control("find_best"),
    "best": _best,
    "visit": _visit,
    "station": walk,
    "advance": _advance,
}
