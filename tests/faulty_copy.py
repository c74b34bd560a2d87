"""Copy of the last commit with one fault at a time, to see which test fails."""

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
# Arguments that run pytest. The timeout ends a test that waits forever because of a fault.
PYTEST = ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--timeout", "120")
# Exit codes of pytest that count as a caught fault: a test failed, or could not be imported.
FAILED = (1, 2)
# Exit code of pytest if every named test is skipped or deselected.
NONE_RAN = 5
# Time limit of pytest in seconds. A fault that makes pytest exceed it also counts as caught.
LONGEST_SECONDS = 600
NEVER_ENDS = "(never ends)"


class FaultyCopy:
    """Working copy of the last commit.

    Attributes:
        root: folder of the copy.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextmanager
    def holding(self, file: Path, faulty: bytes) -> Iterator[None]:
        """Replace a file's content within a `with` block. `file` is relative to the root."""
        place = self.root / file
        before = place.read_bytes()
        try:
            place.write_bytes(faulty)
            yield
        finally:
            place.write_bytes(before)

    def first_failure(self, paths: Sequence[str], *, processes: int = 0) -> str | None:
        """Return the first test that fails, without its parameters, or None if all pass.

        Raises:
            SystemExit: if pytest could not run.
        """
        command = [sys.executable, *PYTEST, "-n", str(processes), *paths]
        # Python recognizes bytecode by the size and the modification time (in whole seconds) of its
        # source, so it could use the bytecode of the faulty file again.
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
            # A fault may end pytest's process.
            if done.returncode < 0 or "INTERNALERROR" in done.stdout + done.stderr:
                return f"(pytest ended with exit status {done.returncode})"
            sys.exit(f"pytest could not run {' '.join(paths)}:\n{done.stdout}{done.stderr}")
        # Drop the parameters, because they may contain any character.
        found = re.search(r"^(?:FAILED|ERROR) ([^\s\[]+)", done.stdout, re.MULTILINE)
        return found.group(1) if found else f"(no failed test named, status {done.returncode})"


@contextmanager
def faulty_copy() -> Iterator[FaultyCopy]:
    """Yield a copy of the last commit. Warn about uncommitted changes, which the copy lacks."""
    status = ["git", "status", "--porcelain"]
    if subprocess.run(status, cwd=ROOT, capture_output=True, check=True).stdout:
        print("The copy lacks uncommitted changes.", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="faulty-copy-") as name:
        root = Path(name).resolve() / "copy"
        clone = ["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(root)]
        subprocess.run(clone, check=True)
        shared = ROOT.parent / "shared"
        if shared.is_dir():
            (root.parent / "shared").symlink_to(shared)
        yield FaultyCopy(root)
