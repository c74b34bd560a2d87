"""Command `serve`: start the app's web server."""

from __future__ import annotations

import argparse
import errno
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from platformdirs import user_state_dir

from bnviz.commands.arguments import whole_number
from bnviz.commands.parser import add_command, words_of
from bnviz.config import ConfigError
from bnviz.live.settings import Settings, SettingsError
from bnviz.locations import child_environment, locations
from bnviz.words.phrase import phrase

# Folder of the saved state. Without this variable, it is in the user's folder for such files.
STATE = "BNVIZ_STATE_DIR"
# Variables whose values are paths. The server changes its working directory.
PATH_VARIABLES = ("BNVIZ_DATA", "BNVIZ_TEXTS", STATE)
# Number of ports that `--open` tries, because another server may already run.
MOST_PORTS = 20
# Addresses at which a browser of this machine reaches a server that listens on all addresses.
ALL_ADDRESSES = ("0.0.0.0", "::", "")


def add_serve(commands: Any) -> None:
    """Add the command to the parser."""
    add_command(commands, "serve", _serve, {
        "--port": {"default": "8501", "metavar": "{number}"},
        "--base-path": {"default": "", "metavar": "{path}"},
        "--host --address": {"dest": "address", "default": "localhost", "metavar": "{host}"},
        "--open": {"action": "store_true"},
    })  # fmt: skip


def _serve(options: argparse.Namespace) -> int:
    port = whole_number("--port", options.port, 1, 65535)
    base_path = options.base_path.strip("/")
    if not re.fullmatch(r"[\w.~/-]*", base_path, re.ASCII):
        allowed = phrase("command.serve.allowed.base_path")
        raise ConfigError("--base-path", options.base_path, allowed)
    if options.open:
        port = _free_port(port, options.address)
    elif not _is_free(port, options.address):
        raise ConfigError("--port", port, phrase("command.serve.allowed.port"))
    try:
        Settings.from_environment()
    except SettingsError as problem:
        # The server itself would only fail at each request.
        options.parser.error(str(problem))
    site = locations().site
    command = [
        sys.executable, "-m", "streamlit", "run", str(site / "app.py"),
        f"--server.port={port}",
        f"--server.address={options.address}",
        f"--server.baseUrlPath={base_path}",
        "--server.headless=true",
    ]  # fmt: skip
    _prepare_environment()
    host = "localhost" if options.address in ALL_ADDRESSES else options.address
    page = f"http://{f'[{host}]' if ':' in host else host}:{port}/{base_path}"
    print(words_of("serve")["at"].format(page=page), flush=True)
    if options.open:
        # The server replaces this process, so that another process has to open the browser.
        opener = [sys.executable, "-m", "bnviz.commands.open_browser", page.rstrip("/")]
        subprocess.Popen(opener, env=child_environment())
    # Streamlit reads the site's .streamlit/config.toml from the working directory.
    os.chdir(site)
    os.execv(sys.executable, command)


def _prepare_environment() -> None:
    """Set the variables that the server and its workers read."""
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
    os.environ.setdefault(STATE, user_state_dir("bnviz"))
    for name in PATH_VARIABLES:
        if os.environ.get(name):
            os.environ[name] = str(Path(os.environ[name]).absolute())


def _free_port(first: int, address: str) -> int:
    """Return the first free port from `first` on, or `first` if none of the tried ports is free."""
    ports = range(first, min(first + MOST_PORTS, 2**16))
    return next((port for port in ports if _is_free(port, address)), first)


def _is_free(port: int, address: str) -> bool:
    """Return whether a server may listen on a port. The server reports an unknown address."""
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, port))
        except OSError as problem:
            return problem.errno not in (errno.EADDRINUSE, errno.EACCES)
    return True
