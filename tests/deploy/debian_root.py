"""Debian root in which deploy/install.sh has run, and commands inside it.

It stands for the container: the image's build runs the same script, and the image starts the same
program as the same user, with a root that is mounted read-only. Mounts are made in mount namespaces
of their own, which end with their processes.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from tests.conftest import ROOT

# Release whose Python is the oldest that bnviz supports, and packages beside the essential ones.
SUITE, PACKAGES = "bookworm", "python3,python3-venv,ca-certificates"
USER_ID = 10001
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
# Where the root sees this machine's files while the script installs packages, because pip may be
# configured to take packages from a folder. The served app does not see them.
MACHINE = "/host"

INSTALL = f"""
set -eu
mount --rbind / "$1{MACHINE}"
mount -t proc proc "$1/proc"
exec chroot "$1" sh /build/deploy/install.sh "/build/dist/$2"
"""

# Arguments: root, folder of the state, port.
SERVE = f"""
set -eu
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
mount -t tmpfs tmpfs "$1/tmp"
mount --bind "$2" "$1/var/lib/bnviz"
mount -t proc proc "$1/proc"
for name in null zero random urandom; do mount --bind "/dev/$name" "$1/dev/$name"; done
exec env -i PATH={PATH} PORT="$3" BNVIZ_WORKERS=2 chroot "$1" \\
    setpriv --reuid=bnviz --regid=bnviz --clear-groups --no-new-privs --bounding-set=-all \\
    /opt/bnviz/current/bin/bnviz-start
"""


def lack() -> str | None:
    """Return what this machine lacks to make a Debian root, or None."""
    if os.geteuid() != 0:
        return "only root can make a Debian root"
    if shutil.which("mmdebstrap") is None:
        return "mmdebstrap is not installed (apt-get install mmdebstrap)"
    mounts = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    if subprocess.run(mounts, capture_output=True).returncode:
        return "root may not mount anything here"
    return None


class DebianRoot:
    """Debian root with bnviz.

    Args:
        folder: folder to create.
        wheel: wheel to install.
    """

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.folder = folder
        options = ["--variant=minbase", f"--include={PACKAGES}", "--quiet"]
        subprocess.run(["mmdebstrap", *options, SUITE, str(folder)], check=True)
        build = folder / "build"
        shutil.copytree(ROOT / "deploy", build / "deploy")
        (build / "dist").mkdir()
        shutil.copy2(wheel, build / "dist")
        for pins in ("constraints.txt", "requirements.txt", "requirements-dev.txt"):
            shutil.copy2(ROOT / pins, build)
        (folder / MACHINE.strip("/")).mkdir()
        shutil.copy2("/etc/resolv.conf", folder / "etc")
        subprocess.run(
            ["unshare", "--mount", "sh", "-c", INSTALL, "install", str(folder), wheel.name],
            env={"PATH": PATH, **installer_settings()}, check=True,
        )  # fmt: skip

    def install_again(self) -> subprocess.CompletedProcess[str]:
        """Try to install the version that is in use once more."""
        (wheel,) = (self.folder / "build" / "dist").iterdir()
        script = ["sh", "/build/deploy/install.sh", f"/build/dist/{wheel.name}"]
        return subprocess.run(
            ["chroot", str(self.folder), *script],
            env={"PATH": PATH},
            capture_output=True,
            text=True,
        )

    def serve(self, state: Path) -> list[str]:
        """Return the command that serves the app, with `{port}` for the port."""
        arguments = [str(self.folder), str(state), "{port}"]
        return ["unshare", "--mount", "sh", "-c", SERVE, "serve", *arguments]

    def processes(self) -> list[Path]:
        """Return the folders in /proc of all processes inside the root."""
        return [*filter(self._contains, Path("/proc").glob("[0-9]*"))]

    def _contains(self, process: Path) -> bool:
        with suppress(OSError):
            return os.readlink(process / "root") == str(self.folder)
        # The process has just ended, or belongs to whoever started this machine.
        return False


def beside(pid: int, user: str, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a user, in the root and with the mounts of a process."""
    become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    return subprocess.run(
        ["nsenter", f"--target={pid}", "--mount", "--root", "--wd", *become, *command],
        env={"PATH": PATH}, capture_output=True, text=True, errors="replace",
    )  # fmt: skip


def installer_settings() -> dict[str, str]:
    """Return variables with which pip and uv in the root take packages from where pip does here."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    pairs = [line.partition("=") for line in listed.splitlines()]
    found = {}
    # Variables win over files, as in pip.
    for name, _, value in sorted(pairs, key=lambda pair: pair[0].startswith(":env:")):
        words = ast.literal_eval(value).split()
        key = name.rpartition(".")[2].upper().replace("-", "_")
        found[f"PIP_{key}"] = " ".join(map(seen, words))
    if folders := found.get("PIP_FIND_LINKS"):
        # Where pip takes packages from a folder, torch lies there, too.
        found |= {"UV_FIND_LINKS": folders.replace(" ", ","), "UV_OFFLINE": "1"}
    return found


def seen(word: str) -> str:
    """Return a path or file address of this machine as the root sees it; other words unchanged."""
    scheme, path = ("file://", word[7:]) if word.startswith("file:///") else ("", word)
    return f"{scheme}{MACHINE}{path}" if path.startswith("/") and Path(path).exists() else word
