"""A copy of the last commit into which faults are put, one at a time, to see which test fails."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# A test that a fault lets wait for something for ever fails after two minutes.
PYTEST = ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--timeout", "120")
# Exit codes of pytest with which a fault counts as caught: a test failed, or could not be read.
FAILED = (1, 2)
# "No test": all of those named are skipped or deselected.
NONE_RAN = 5
# A fault that lets a test run for ever is caught, too.
LONGEST_SECONDS = 600
NEVER_ENDS = "(never ends)"


class FaultyCopy:
    """The copy.

    Attributes:
        root: its folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextmanager
    def holding(self, file: Path, faulty: bytes) -> Iterator[None]:
        """Let a file, named from the root, hold something else within a `with` block."""
        place = self.root / file
        before = place.read_bytes()
        try:
            place.write_bytes(faulty)
            yield
        finally:
            place.write_bytes(before)

    def first_failure(self, paths: Sequence[str], *, processes: int = 0) -> str | None:
        """The test that fails first, without its parameters; None where all pass.

        Raises:
            SystemExit: pytest could not run.
        """
        command = [sys.executable, *PYTEST, "-n", str(processes), *paths]
        # Bytecode is told apart by size and second of its source, so it could outlive the fault.
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                command, cwd=self.root, env=environment, capture_output=True, text=True,
                timeout=LONGEST_SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return NEVER_ENDS
        if done.returncode in (0, NONE_RAN):
            return None
        if done.returncode not in FAILED:
            # A fault may end the process.
            if done.returncode < 0 or "INTERNALERROR" in done.stdout + done.stderr:
                return f"(pytest ended with {done.returncode})"
            sys.exit(f"pytest could not run {' '.join(paths)}:\n{done.stdout}{done.stderr}")
        # Parameters are left out: they may hold anything.
        found = re.search(r"^(?:FAILED|ERROR) ([^\s\[]+)", done.stdout, re.MULTILINE)
        return found.group(1) if found else f"(pytest says nothing: {done.returncode})"


@contextmanager
def faulty_copy() -> Iterator[FaultyCopy]:
    """Copy the last commit for the length of a `with` block; say what is not in the copy."""
    status = ["git", "status", "--porcelain"]
    if subprocess.run(status, cwd=ROOT, capture_output=True, check=True).stdout:
        print("Changes that are not committed are not in the copy.", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="faulty-copy-") as name:
        root = Path(name).resolve() / "copy"
        clone = ["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(root)]
        subprocess.run(clone, check=True)
        shared = ROOT.parent / "shared"
        if shared.is_dir():
            (root.parent / "shared").symlink_to(shared)
        yield FaultyCopy(root)
