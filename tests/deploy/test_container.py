"""The container's script in a Debian root: the app is healthy, not root, and read-only."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import NOT_TRIED, ROOT
from tests.deploy.debian_root import USER_ID, DebianRoot, beside, lack
from tests.live.conftest import until
from tests.machines.served_app import PATIENCE, served_app

# pip installs torch and forty other packages.
pytestmark = [pytest.mark.verify, pytest.mark.timeout(1800)]
# Exit statuses of a program that ended in order after SIGTERM. Both mean success to systemd.
TERMINATED = (0, -signal.SIGTERM)


@pytest.fixture
def debian_root(tmp_path: Path) -> Iterator[DebianRoot]:
    if missing := lack():
        pytest.skip(f"{NOT_TRIED}: {missing}")
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(tmp_path)]
    subprocess.run([*build, str(ROOT)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    folder = tmp_path / "root"
    try:
        yield DebianRoot(folder, wheel)
    finally:
        # It has 1.6 GB, and pytest keeps the folders of three test runs.
        shutil.rmtree(folder, ignore_errors=True)


def test_the_installed_app_is_healthy_not_root_and_read_only_and_ends_when_asked(
    debian_root: DebianRoot, tmp_path: Path
):
    state = tmp_path / "state"
    state.mkdir(mode=0o750)
    os.chown(state, USER_ID, USER_ID)
    with served_app(debian_root.serve(state), tmp_path, tmp_path / "log") as app:
        healthy = ("env", f"PORT={app.port}", "/opt/bnviz/current/bin/bnviz-health")
        until(lambda: beside(app.pid, "bnviz", *healthy).returncode == 0, PATIENCE)
        again = debian_root.install_again()
        assert again.returncode == 1
        assert "is installed and in use" in again.stderr

        assert "<title>bnviz" in app.get("/").decode()
        frame = app.watch("lab", "depth=2&width=16&batch_size=16")
        assert set(frame["networks"]) == {"none", "batch"}

        facts = [(each / "status").read_text("utf-8") for each in debian_root.processes()]
        # The server, two workers, and two processes for long measurements.
        assert len(facts) >= 3
        assert all(f"\nUid:\t{USER_ID}\t{USER_ID}\t{USER_ID}\t{USER_ID}\n" in one for one in facts)
        assert all("\nCapEff:\t0000000000000000\n" in one for one in facts)

        assert beside(app.pid, "bnviz", "touch", "/var/lib/bnviz/new", "/tmp/new").returncode == 0
        for folder in ("/", "/etc", "/home", "/opt/bnviz/current/bin", "/usr", "/var/log"):
            refused = beside(app.pid, "root", "touch", f"{folder}/new")
            assert "Read-only file system" in refused.stderr, folder

        said = app.said()
        assert "Traceback" not in said
        assert '"level":"error"' not in said
        assert app.stop() in TERMINATED
        # The file has secrets of browsers.
        assert (state / "state.sqlite3").stat().st_mode & 0o777 == 0o600
        until(lambda: not debian_root.processes(), PATIENCE)
