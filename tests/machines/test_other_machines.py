"""The app runs and trains on machines that differ from the developer's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import NOT_TRIED
from tests.machines.served_app import ServedApp, served_app

pytestmark = pytest.mark.timeout(400)
ROOT = Path(__file__).parents[2]
SERVE = ["-m", "bnviz", "serve", "--port", "{port}"]
# Parts of the repository that the app needs.
PARTS = ("bnviz", "pages", "assets", ".streamlit", "app.py", "Makefile", "requirements.txt")
TITLE = "Live lab"

# Program that prints the optional CPU features that NumPy has found.
FOUND = """
import numpy
print(*numpy.show_config(mode="dicts")["SIMD Extensions"].get("found", ("nothing",)))
"""
# Program that drops root's capability to write everywhere (CAP_DAC_OVERRIDE, 1) with
# prctl(PR_CAPBSET_DROP, 24), and then executes another program without it.
AS_ANYBODY = """
import ctypes, os, sys
if os.geteuid() == 0:
    ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


def serves(app: ServedApp, title: str = TITLE, *, saving: str = "off") -> None:
    """Check that a page loads, its run takes steps, and nothing is logged as an error.

    `saving` says on `/status` whether the state is saved.
    """
    assert f"<title>{title} · bnviz</title>" in app.get("/lab").decode()
    frame = app.watch("lab", "depth=2&width=16&batch_size=16")
    assert set(frame["networks"]) == {"none", "batch"}
    assert json.loads(app.get("/status?as=json"))["saving"] == saving
    said = app.said()
    assert "Traceback" not in said
    errors = [line for line in said.splitlines() if '"level":"error"' in line]
    unsaved = [line for line in errors if '"event":"state is not saved"' in line]
    assert errors == unsaved
    assert len(unsaved) == (saving not in ("on", "off"))
    others = "/site-packages/"
    ours = [line for line in said.splitlines() if "EncodingWarning" in line and others not in line]
    assert not ours, "a file is read in this machine's encoding, which need not be UTF-8"


def copy_of_the_clone(folder: Path, title: str) -> Path:
    """Copy the repository to a folder, with another page title to identify it.

    Compiled files are copied to save time, except files that another test is writing.
    """
    folder.mkdir()
    for name in PARTS:
        if (ROOT / name).is_dir():
            being_written = shutil.ignore_patterns("*.pyc.*")
            shutil.copytree(ROOT / name, folder / name, ignore=being_written)
        else:
            shutil.copy2(ROOT / name, folder / name)
    words = folder / "assets" / "texts" / "en" / "navigation.toml"
    text = words.read_text("utf-8")
    words.write_text(text.replace(f'"{TITLE} ·', f'"{title} ·'), "utf-8")
    return folder


def test_make_run_in_a_folder_whose_name_has_a_space_and_is_chinese(tmp_path: Path):
    clone = copy_of_the_clone(tmp_path / "my clone 中文", "中文")
    (clone / ".venv").symlink_to(sys.prefix)
    # Skip the installation of the requirements, which is not part of this test.
    command = ["make", "--old-file=.venv/.run", "run", "PORT={port}"]
    # The machine's encoding cannot represent the characters of the folder's name.
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    with served_app(command, clone, tmp_path / "log", **ascii_only) as app:
        serves(app, "中文")


@pytest.fixture
def unwritable(tmp_path: Path) -> Iterator[Path]:
    """Copy of the repository without write permissions."""
    clone = copy_of_the_clone(tmp_path / "clone", "Unwritable")
    parts = [clone, *clone.rglob("*")]
    for part in parts:
        part.chmod(part.stat().st_mode & ~0o222)
    yield clone
    for part in parts:
        part.chmod(part.stat().st_mode | 0o200)


def test_as_a_user_who_can_write_nowhere_without_proc_a_list_of_cores_and_numpys_features(
    unwritable: Path, tmp_path: Path
):
    """Neither the copy nor the home folder is writable, and NumPy finds no optional features."""
    features = np.show_config(mode="dicts")["SIMD Extensions"].get("found", ())  # type: ignore[call-overload]
    poorer = {"NPY_DISABLE_CPU_FEATURES": " ".join(features)}
    there = subprocess.run(
        [sys.executable, "-c", FOUND], env={**os.environ, **poorer}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert there.stdout == "nothing\n"
    poorer |= {"PYTHONPATH": str(Path(__file__).parent / "another_system"), "BNVIZ_WORKERS": "0"}
    anybody = [sys.executable, "-c", AS_ANYBODY]
    writes = "try: open('new', 'w')\nexcept PermissionError: print('refused')"
    tried = subprocess.run([*anybody, "-c", writes], cwd=unwritable, capture_output=True, text=True)
    poorer |= {"HOME": str(unwritable), "XDG_STATE_HOME": None, "BNVIZ_STATE_DIR": None}
    with served_app([*anybody, *SERVE], unwritable, tmp_path / "log", **poorer) as app:
        serves(app, "Unwritable", saving="read_only")
        without = [line for line in app.said().splitlines() if line.startswith("without /proc: ")]
    assert any("streamlit run" in line for line in without)
    assert any("bnviz.live.worker " in line for line in without)
    if tried.stdout != "refused\n":
        pytest.skip(f"{NOT_TRIED}: root can write everywhere and cannot drop this right")
