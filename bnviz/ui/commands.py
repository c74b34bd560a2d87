"""Validation and execution of the commands that the live view's buttons send."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bnviz.charts import CHARTS
from bnviz.config import KNOBS, ConfigError, check_live
from bnviz.live import LiveError, current_hub
from bnviz.live.protocol.pace import paces
from bnviz.live.web.run_socket import RUN_ID
from bnviz.talks.talk import MOST_AT_ONCE
from bnviz.ui.lab_query import known_charts
from bnviz.ui.query_schema import MOST_SEED
from bnviz.ui.tab_run import MAX_NOTICES, TabRun, differing
from bnviz.ui.talks import go_to_station
from bnviz.words.joining import in_list
from bnviz.words.phrase import Phrase, integer_between, listed, one_of, phrase

# Maximum number of commands per message, of live views per tab whose command numbers are
# remembered, and of characters in a live view's name.
MOST_COMMANDS, MOST_VIEWS, LONGEST_NAME = 16, 8, 40
MOST_NUMBER = 2**31


class NumberedCommand(BaseModel):
    """Command with its number `sent`, from 1; its action validates the other fields."""

    model_config = ConfigDict(strict=True, extra="allow")

    sent: int = Field(ge=1, le=MOST_NUMBER)


class CommandList(BaseModel):
    """Unconfirmed commands of a live view, the newest last; `view` is unique within a tab."""

    model_config = ConfigDict(strict=True)

    view: str = Field(max_length=LONGEST_NAME)
    commands: list[NumberedCommand] = Field(max_length=MOST_COMMANDS)


def run_commands(run: TabRun, sent: Any) -> None:
    """Execute each command once, in order; an unreadable message becomes a notice.

    Streamlit passes only the newest event of a component to a script. Therefore a message repeats
    the unconfirmed commands, and the same command may arrive several times.
    """
    try:
        message = CommandList.model_validate(sent)
    except ValidationError:
        run_command(run, None)
        return
    notices: list[Phrase] = []
    done = run.commands_done.pop(message.view, 0)
    for command in message.commands:
        if command.sent > done:
            run_command(run, command.model_extra)
            done, notices = command.sent, [*notices, *run.notices]
            run.notices = notices[-MAX_NOTICES:]
    run.commands_done = dict([*run.commands_done.items(), (message.view, done)][-MOST_VIEWS:])


def run_command(run: TabRun, command: Any) -> None:
    run.notices = []
    name = command.get("name") if isinstance(command, dict) else None
    action = COMMANDS.get(name) if isinstance(name, str) else None
    if action is None:
        run.tell(phrase("errors.command", names=listed(COMMANDS)))
        return
    run.refresh()
    try:
        action(run, command)
    except (LiveError, ConfigError) as error:
        run.tell(error.phrase)


def keep_charts(run: TabRun, names: Any) -> None:
    """Record the charts that are open in the live view; unknown names are ignored."""
    run.query.charts = known_charts(names if isinstance(names, list) else [])


# Type of a command from the browser without its number, and type of a function that executes a
# command.
Command = dict[str, Any]
Action = Callable[[TabRun, Command], None]


def _control(name: str) -> Action:
    """Action that calls the hub's method `name` with the run and its owner."""

    def action(run: TabRun, _command: Command) -> None:
        getattr(current_hub(), name)(run.owner, run.run_id)

    return action


def _reset(run: TabRun, _command: Command) -> None:
    """Reset the run to step 0; a notice lists the knobs that differ from the preset."""
    current_hub().reset(run.owner, run.run_id)
    if run.plan is not None:  # a page's run restarts with the knobs of its plan
        return
    kept = differing(run.preset_config(), run.config)
    if kept:
        run.notify("reset_kept", knobs=in_list(KNOBS[name].label for name in kept))


def _restore(run: TabRun, _command: Command) -> None:
    if run.can_control:
        run.restore()


def _pace(run: TabRun, command: Command) -> None:
    pace = command.get("pace")
    if pace not in paces(run.plan):
        raise ConfigError("pace", pace, one_of(paces(run.plan)))
    current_hub().set_pace(run.owner, run.run_id, pace)
    run.pace = pace


def _new_seed(run: TabRun, _command: Command) -> None:
    run.start(run.config.replace(seed=(run.config.seed + 1) % MOST_SEED), entry=True)


def _fork(run: TabRun, command: Command) -> None:
    """Start a new run from a step, with the knob changes made while the view was rewound."""
    step = command.get("step")
    if type(step) is not int or step < 0:
        raise ConfigError("step", step, phrase("errors.at_least", low=0))
    changed = command.get("changed_knobs") or {}
    if not isinstance(changed, dict):
        raise ConfigError("changed_knobs", changed, phrase("errors.json_object"))
    check_live(changed)
    config = run.config.replace(**changed)
    if not run.may_start():
        return
    parent = run.run_id
    run.fork(parent, step, config)
    run.forked = (parent, run.run_id)
    if changed:
        run.notify("forked", step=f"{step:,}")


def _copy(run: TabRun, _command: Command) -> None:
    info = run.info()
    if info is not None and run.may_start():
        run.fork(run.run_id, info.step)


def _follow(run: TabRun, command: Command) -> None:
    run_id = command.get("run")
    known = isinstance(run_id, str) and RUN_ID.fullmatch(run_id)
    info = current_hub().info(run_id) if known else None
    if info is not None and not run.can_control:
        run.run_id, run.config = info.id, info.config


def _advance(run: TabRun, command: Command) -> None:
    """Run to a step at once and pause there, so that the answer to a question is known."""
    info, step = run.info(), command.get("step")
    last = (info.step if info else 0) + MOST_AT_ONCE
    if type(step) is not int or not 0 <= step <= last:
        raise ConfigError("step", step, integer_between(0, last))
    current_hub().advance(run.owner, run.run_id, step)
    current_hub().pause(run.owner, run.run_id)


def _best(run: TabRun, _command: Command) -> None:
    """Start a new run with the best learning rate found for each network."""
    info = run.info()
    if info is None or info.best is None:
        return
    rates = tuple(info.best[norm]["rate"] for norm in run.config.norms)
    run.start(run.config.replace(learning_rates=rates), entry=True)


def _visit(run: TabRun, command: Command) -> None:
    """Open another address of the lab, after Back or Forward."""
    query = command.get("query")
    if isinstance(query, str):
        run.open_query(query)


def _picture(run: TabRun, command: Command) -> None:
    chart = command.get("chart")
    if not isinstance(chart, str) or chart not in CHARTS:
        raise ConfigError("chart", chart, one_of(CHARTS))
    run.picture = chart


COMMANDS: dict[str, Action] = {
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
    "pin": _control("pin"),
    "unpin": _control("unpin"),
    "picture": _picture,
    "best": _best,
    "visit": _visit,
    "station": go_to_station,
    "advance": _advance,
}
