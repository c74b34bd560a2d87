"""Plant faults in the code, one at a time, to find tests that have become too weak.

Run as `python -m tests.planted_faults`. pytest does not collect this module. Each fault of
`planted_faults.toml` changes one place of one file in a copy of the last commit, as a slip would.
The tests that should notice the fault run in this copy.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.faulty_copy import ROOT, FaultyCopy, faulty_copy

TABLE = Path(__file__).with_suffix(".toml")
SOURCES = ("bnviz/**/*.py", "assets/**/*.js")
EVERYTHING = ("tests", "--ignore=tests/browser")
MISSED = "MISSED"
# Outcome if the failed test also fails without the fault.
UNCLEAR = "UNCLEAR"


@dataclass(frozen=True)
class Fault:
    """A planted fault, as described at the top of the table.

    Attributes:
        name: description of the fault.
        faulty: content of the file with the fault.
        tests: glob patterns of the test files that should notice it.
    """

    name: str
    file: Path
    faulty: bytes
    tests: list[str]


@dataclass(frozen=True)
class Result:
    """Result for one fault. `test` is the test that caught it."""

    name: str
    caught: str
    seconds: float
    test: str

    def __str__(self) -> str:
        return f"{self.caught:21}{self.seconds:6.1f} s  {self.name:62}{self.test}"


def read_table() -> list[Fault]:
    """Return all faults of the table, with the faulty content of their files.

    Raises:
        SystemExit: if a fault's text does not occur exactly once in the sources.
    """
    files = {file for pattern in SOURCES for file in ROOT.glob(pattern)}
    # Parts of exported scripts have lines of the engine again.
    files -= set(ROOT.glob("bnviz/run_script/parts/**/*.py"))
    texts = {file: file.read_text("utf-8") for file in files}
    return [_placed(row, texts) for row in tomllib.loads(TABLE.read_text("utf-8"))["fault"]]


def _placed(row: dict, texts: dict[Path, str]) -> Fault:
    old, new = ([form] if isinstance(form, str) else form for form in (row["old"], row["new"]))
    found = []
    for before, after in zip(old, new, strict=True):
        for file, text in texts.items():
            found += [(file, text.replace(before, after).encode())] * text.count(before)
    if len(found) != 1:
        sys.exit(f"{row['name']}: its text must occur once, but occurs {len(found)} times.")
    return Fault(row["name"], *found[0], row["tests"])


def stages(fault: Fault, *, narrow: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the tests to run, fastest first: the named files, their folder, all tests."""
    found = {path for pattern in fault.tests for path in ROOT.glob(pattern)}
    named = tuple(str(path.relative_to(ROOT)) for path in sorted(found))
    if named:
        yield "caught", named
    if named and narrow:
        return
    folder = Path(fault.tests[0].replace("/**", "")).parent
    if folder.name != "tests":
        yield "caught in its folder", (str(folder),)
    if not narrow:
        yield "caught elsewhere", EVERYTHING


def first_failure(copy: FaultyCopy, paths: tuple[str, ...]) -> str | None:
    """Return the first test that fails, or None. Tests of whole folders run in two processes."""
    return copy.first_failure(paths, processes=2 * any((ROOT / path).is_dir() for path in paths))


def plant(copy: FaultyCopy, fault: Fault, *, narrow: bool) -> Result:
    """Plant one fault, run tests until one fails, and restore the file."""
    began = time.monotonic()
    caught, test = MISSED, ""
    with copy.holding(fault.file.relative_to(ROOT), fault.faulty):
        for where, paths in stages(fault, narrow=narrow):
            if (failed := first_failure(copy, paths)) is not None:
                caught, test = where, failed
                break
    if test.startswith("tests") and first_failure(copy, (test,)) is not None:
        caught = UNCLEAR
    return Result(fault.name, caught, time.monotonic() - began, test)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.planted_faults")
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        help="plant only faults whose name contains NAME; repeatable")  # fmt: skip
    parser.add_argument("--narrow", action="store_true", help="run only the tests in the table")
    parser.add_argument("--keep-going", action="store_true", help="continue after a missed fault")
    parser.add_argument("--check", action="store_true", help="only check the texts of the faults")
    options = parser.parse_args()
    # Exit normally on SIGTERM, so that the copy is removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Ended by SIGTERM."))
    faults = read_table()
    if options.only:
        faults = [fault for fault in faults if any(part in fault.name for part in options.only)]
    if options.check:
        print(f"The text of each of the {len(faults)} faults occurs once.")
        return
    results = []
    with faulty_copy() as copy:
        for fault in faults:
            results.append(plant(copy, fault, narrow=options.narrow))
            print(results[-1], flush=True)
            if results[-1].caught in (MISSED, UNCLEAR) and not options.keep_going:
                break
    missed = sum(result.caught in (MISSED, UNCLEAR) for result in results)
    print("", *results, sep="\n")
    print(f"{len(results)} faults, {missed} not caught, {sum(r.seconds for r in results):.0f} s")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
