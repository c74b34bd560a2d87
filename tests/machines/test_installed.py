"""The wheel: what is in it, and how it works installed in a folder that its user cannot change."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import bnviz
from tests.conftest import ROOT
from tests.machines.served_app import NOT_PASSED_ON, served_app
from tests.machines.test_other_machines import AS_ANYBODY, serves

SMALL = ("--set", "dataset=moons", "--set", "depth=1", "--set", "width=4")
SWEEP = ("sweep", *SMALL, "--set", "norms=batch", "--learning-rates", "0.1", "--batch-sizes", "8",
         "--steps", "2", "--workers", "1")  # fmt: skip
# User id of "nobody" on Linux.
NOBODY = 65534
PICTURE = re.compile(r"!\[[^\]]*\]\((assets/[^)]+)\)")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Wheel of this clone, as `make wheel` builds it."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_has_the_code_and_the_site_without_the_pictures_of_the_readme(wheel: Path):
    assert wheel.name == f"bnviz-{bnviz.VERSION}-py3-none-any.whl"
    there = set(zipfile.ZipFile(wheel).namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "app.py", "bnviz", "pages", "assets", ".streamlit"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    pictures = set(PICTURE.findall((ROOT / "README.md").read_text("utf-8")))
    assert len(pictures) > 2
    wanted = {
        file if file.startswith("bnviz/") else f"bnviz/site/{file}"
        for file in tracked if file not in pictures
    }  # fmt: skip
    ours = {name for name in there if not name.startswith(f"bnviz-{bnviz.VERSION}.dist-info/")}
    assert ours == wanted
    information = f"bnviz-{bnviz.VERSION}.dist-info"
    assert f"{information}/licenses/LICENSE" in there
    points = zipfile.ZipFile(wheel).read(f"{information}/entry_points.txt").decode()
    assert points.split() == ["[console_scripts]", "bnviz", "=", "bnviz.__main__:main"]


def installed(wheel: Path, environment: Path) -> Path:
    """Install the wheel into a new environment that has this environment's packages.

    Returns:
        The command `bnviz` of the environment, whose files can no longer be written.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    ours = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "tests.pth").write_text("\n".join(ours) + "\n", "utf-8")
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", environment / "bin" / "python", "install",
         "--quiet", "--no-deps", "--no-index", wheel],
        check=True, capture_output=True,
    )  # fmt: skip
    close(environment)
    return environment / "bin" / "bnviz"


def close(folder: Path) -> None:
    """Take the right to write from a folder and all that it contains."""
    for part in (folder, *folder.rglob("*")):
        if not part.is_symlink():
            part.chmod(part.stat().st_mode & ~0o222)


@pytest.fixture(scope="module")
def command(wheel: Path) -> Iterator[list[str]]:
    """Command that starts `bnviz` without the right of root to write everywhere."""
    folder = Path(tempfile.mkdtemp())
    script = installed(wheel, folder / "environment")
    yield [str(script.with_name("python")), "-c", AS_ANYBODY, str(script)]
    for part in (path for path in folder.rglob("*") if path.is_dir()):
        part.chmod(0o755)
    shutil.rmtree(folder)


def printed(command: Sequence[str], folder: Path, **options: object) -> str:
    ours = {name: text for name, text in os.environ.items() if name not in NOT_PASSED_ON}
    found = subprocess.run(
        command, cwd=folder, capture_output=True, text=True,
        env={**ours, "HOME": "/nonexistent"}, **options,
    )  # type: ignore[call-overload]  # fmt: skip
    assert found.returncode == 0, found.stderr
    return str(found.stdout)


def test_its_commands_work_in_a_folder_that_cannot_be_written(command: list[str], tmp_path: Path):
    assert printed([*command, "--version"], tmp_path) == f"bnviz {bnviz.VERSION}\n"
    line = json.loads(printed([*command, "train", *SMALL, "--steps", "0"], tmp_path))
    assert set(line["networks"]) == {"none", "batch"}


def test_it_serves_the_app_from_a_folder_that_cannot_be_written(command: list[str], tmp_path: Path):
    serve = [*command, "serve", "--port", "{port}"]
    (home := tmp_path / "home").mkdir(mode=0o555)
    homeless = {"HOME": str(home), "XDG_STATE_HOME": None, "BNVIZ_STATE_DIR": None}
    with served_app(serve, tmp_path, tmp_path / "log", **homeless) as app:
        serves(app, saving="read_only")
        assert "bnviz is at http://localhost:" in app.said()
