"""Run tests at the lowest versions that pyproject.toml allows, or with another Python.

Run as `python -m tests.other_versions [--python PATH] [--pinned]`. It makes an environment in a
temporary folder, installs the packages there, and runs the tests of the engine and of the home page
in a browser. pytest does not collect this module.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT

# Tests of the engine, of its command line, and one in a browser.
TESTS = (
    "tests/networks", "tests/norms", "tests/probes", "tests/training", "tests/test_experiment.py",
    "tests/test_frozen_run.py", "tests/test_command_line.py", "tests/browser/test_home.py",
)  # fmt: skip
# Packages that the tests need.
TOOLS = (
    "axe-playwright-python", "httpx2", "hypothesis", "playwright", "pytest", "pytest-timeout",
    "pytest-xdist", "scikit-learn", "scipy",
)  # fmt: skip
RANGE = re.compile(r"([\w.-]+)>=([\w.]+),<[\w.]+")


def lowest() -> Iterator[str]:
    """Yield each declared dependency with its lowest version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for text in project["dependencies"]:
        found = RANGE.fullmatch(text)
        if found is None:
            raise ValueError(f"a dependency must be written NAME>=LOWEST,<LIMIT, got {text!r}")
        # `==2.1.*` takes the last release with fixes of the lowest version.
        yield f"{found[1]}=={found[2]}.*"


def pinned(file: str) -> list[str]:
    """Return the pins of a file of requirements without their hashes."""
    text = (ROOT / file).read_text("utf-8")
    return re.findall(r"(?m)^[\w.-]+==[^\s;]+", text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="Python of the environment")
    parser.add_argument("--pinned", action="store_true", help="install the pinned versions")
    options = parser.parse_args()
    direct = pinned("requirements.txt") if options.pinned else list(lowest())
    names = {re.split("[=<>]", requirement)[0] for requirement in direct}
    tools = [
        pin for pin in pinned("requirements-dev.txt")
        if pin.partition("==")[0] in TOOLS and pin.partition("==")[0] not in names
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([options.python, "-m", "venv", folder], check=True)
        python = str(Path(folder) / "bin" / "python")
        install = [python, "-m", "pip", "install", "--quiet", *direct, *tools]
        subprocess.run(install, check=True)
        subprocess.run([python, "-m", "pip", "list"], check=True)
        tests = [python, "-m", "pytest", "-q", "--numprocesses", "2", *TESTS]
        return subprocess.run(tests, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
