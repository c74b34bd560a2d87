"""bnviz installed from local wheels without a network, used by a user without a home."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import bnviz
from tests.browser.conftest import visiting
from tests.conftest import NOT_TRIED, ROOT
from tests.live.conftest import until
from tests.machines.test_installed import SMALL, SWEEP, close

pytestmark = [pytest.mark.verify, pytest.mark.timeout(1800)]
NOBODY = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
# Program that makes an environment, and runs the Python in it.
CHILD = """
import subprocess, tempfile, venv
with tempfile.TemporaryDirectory() as folder:
    venv.create(folder, symlinks=True)
    subprocess.run([f"{folder}/bin/python", "-c", ""], check=True)
"""
# Program that the user's browser is replaced by: it writes the address that it should open.
BROWSER = '#!/bin/sh\necho "$1" > {file}\n'


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Folder that another user can read, unlike pytest's own."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    yield made
    for part in (path for path in made.rglob("*") if path.is_dir() and not path.is_symlink()):
        part.chmod(0o755)
    shutil.rmtree(made)


def python_for_anybody() -> str:
    """Return a Python of this version that other users can run, or skip the test by name."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for found in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        # `setpriv` may still execute what only root may, so the Python of an environment is tried.
        tried = [*NOBODY, os.path.realpath(found), "-c", CHILD]
        if Path(found).exists() and subprocess.run(tried, capture_output=True).returncode == 0:
            return os.path.realpath(found)
    pytest.skip(f"{NOT_TRIED}: no {version} that another user can run, or this user is not root")


@pytest.fixture(scope="module")
def command(folder: Path) -> str:
    """Path of the command `bnviz`, installed without a network in a folder closed to writing."""
    python, wheels, environment = python_for_anybody(), folder / "wheels", folder / "environment"
    torch = re.search(r"(?m)^torch==.*", (ROOT / "requirements.txt").read_text("utf-8"))
    assert torch is not None
    pip = [sys.executable, "-m", "pip"]
    download = [*pip, "download", "--quiet", "--no-deps", "-d", str(wheels)]
    for command in (
        [*download, "--require-hashes", "-r", "constraints.txt"],
        [*download, torch[0]],
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)],
        [python, "-m", "venv", "--without-pip", str(environment)],
        ["unshare", "--net", *pip, "--isolated", "--python", str(environment / "bin" / "python"),
         "install", "--quiet", "--no-index", "--find-links", str(wheels),
         f"bnviz=={bnviz.VERSION}"],
    ):  # fmt: skip
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stderr[-2000:])
    close(environment)
    return str(environment / "bin" / "bnviz")


def printed(command: str, folder: Path, *arguments: str) -> str:
    found = subprocess.run(
        [*NOBODY, command, *arguments], cwd=folder, env={"PATH": os.environ["PATH"]},
        capture_output=True, text=True,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_its_commands_print_and_record(command, folder):
    assert printed(command, folder, "--version") == f"bnviz {bnviz.VERSION}\n"
    lines = printed(command, folder, "train", *SMALL, "--steps", "2", "--every", "1").splitlines()
    assert [json.loads(line)["step"] for line in lines] == [0, 1, 2]
    assert printed(command, folder, *SWEEP).count("\n") == 2
    (out := folder / "written").mkdir()
    shutil.chown(out, 65534, 65534)
    printed(command, out, "record", "first-five-minutes", "--out", "talk.html")
    assert "bnviz" in (out / "talk.html").read_text("utf-8")


def test_alone_it_opens_the_browser_in_which_a_run_shows_frames(command, folder, tabs):
    (there := folder / "opened").mkdir()
    shutil.chown(there, 65534, 65534)
    browser, address = there / "browser", there / "address"
    browser.write_text(BROWSER.format(file=address), "utf-8")
    browser.chmod(0o755)
    variables = {"PATH": os.environ["PATH"], "BROWSER": f"{browser} %s", "BNVIZ_WORKERS": "1"}
    variables["BNVIZ_STATE_DIR"] = ""
    log = there / "log"
    with log.open("w", encoding="utf-8") as said, subprocess.Popen(
        [*NOBODY, command], cwd=there, env=variables, stdout=subprocess.PIPE, stderr=said,
        text=True,
    ) as server:  # fmt: skip
        try:
            assert server.stdout is not None
            (page,) = re.findall(r"http://localhost:[0-9]+/", server.stdout.readline())
            opened = until(lambda: address.exists() and address.read_text("utf-8").strip(), 120)
            assert opened == page
            served = type("Served", (), {"url": page.rstrip("/")})()
            with visiting(tabs, served) as visit:
                visit("/").drawn().until_step(3)
        finally:
            server.terminate()
            print(log.read_text("utf-8"))
