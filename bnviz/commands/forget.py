"""Command `forget`: delete the saved state of a server that is not running."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from platformdirs import user_state_dir

from bnviz.commands.parser import add_command, words_of
from bnviz.commands.serve import STATE
from bnviz.config import ConfigError
from bnviz.live.saved.state_file import StateError, remove_state
from bnviz.words.phrase import phrase


def add_forget(commands: Any) -> None:
    add_command(commands, "forget", _forget)


def _forget(_options: argparse.Namespace) -> int:
    folder = Path(os.environ.get(STATE) or user_state_dir("bnviz")).absolute()
    try:
        key = "done" if remove_state(folder) else "nothing"
    except StateError as error:
        allowed = "stopped" if error.problem == "in_use" else "writable"
        raise ConfigError(
            STATE, str(folder), phrase(f"command.forget.allowed.{allowed}")
        ) from error
    print(words_of("forget")[key].format(folder=folder))
    return 0
