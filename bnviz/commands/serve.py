"""Command `serve`: start the app's web server."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from typing import Any

from bnviz.commands.arguments import whole_number
from bnviz.commands.parser import add_command
from bnviz.config import ConfigError
from bnviz.words.phrase import phrase

ROOT = Path(__file__).resolve().parents[2]


def add_serve(commands: Any) -> None:
    """Add the command to the parser."""
    add_command(commands, "serve", _serve, {
        "--port": {"default": "8501", "metavar": "{number}"},
        "--base-path": {"default": "", "metavar": "{path}"},
        "--host --address": {"dest": "address", "default": "localhost", "metavar": "{host}"},
    })  # fmt: skip


def _serve(options: argparse.Namespace) -> int:
    port = whole_number("--port", options.port, 1, 65535)
    base_path = options.base_path.strip("/")
    if not re.fullmatch(r"[\w.~/-]*", base_path, re.ASCII):
        allowed = phrase("command.serve.allowed.base_path")
        raise ConfigError("--base-path", options.base_path, allowed)
    command = [
        sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"),
        f"--server.port={port}",
        f"--server.address={options.address}",
        f"--server.baseUrlPath={base_path}",
        "--server.headless=true",
    ]  # fmt: skip
    # By default, Uvicorn trusts the proxy headers of every process on this machine. Trust none
    # here, because `BNVIZ_TRUSTED_PROXIES` names the proxies to trust.
    os.environ["FORWARDED_ALLOW_IPS"] = ""
    # The path of the repository may contain characters that the machine's own encoding lacks.
    os.environ["PYTHONUTF8"] = "1"
    try:
        Path.home()
    except RuntimeError:
        # The user ID has no home directory. Streamlit needs one to start, so use "/", as
        # containers do.
        os.environ["HOME"] = os.sep
    # Streamlit reads the project's .streamlit/config.toml from the working directory.
    os.chdir(ROOT)
    os.execv(sys.executable, command)
