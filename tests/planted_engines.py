"""Plant faults in a copy of the engine, one at a time. Each must make a row of claims fail.

Run as `python -m tests.planted_engines`. pytest does not collect this module. A row fails if it
holds for the present engine on the first seed, but not with the fault. The faults are listed in
`planted_engines.toml`. `--markdown` writes a table of the rows that noticed each fault.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.faulty_copy import ROOT, FaultyCopy, faulty_copy

TABLE = Path(__file__).with_suffix(".toml")

# Claims of exact experiments, whose measurement takes only seconds.
CLAIMS = ("E2", "E4", "E5", "E6", "E15")

# Program that measures the declared rows only, because found rows are judged on later seeds.
MEASURE = """\
import json, sys
import bnviz
from bnviz.claims.execution import judgements
from bnviz.claims.results import gather
found = {rows[0].claim: rows for rows in judgements(sys.argv[1:], range(1), found=False)}
rows = gather(found, "", range(1)).rows
print(json.dumps([bnviz.__file__, {row.place: row.outcome for row in rows}]))
"""

HOLDS = "holds"
# Environment variables that prevent bytecode, which could outlive a fault, and warnings about the
# faulty code.
QUIET = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"}

Outcomes = Mapping[str, str]


@dataclass(frozen=True)
class Slip:
    """A planted fault.

    Attributes:
        name: description of the fault.
        faulty: content of the file with the fault.
        claims: experiments that judge the fault. If empty, the experiments in `CLAIMS` judge it.
    """

    name: str
    file: str
    faulty: str
    claims: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """Rows that failed with a fault. `error` says why the measurement failed, or is empty."""

    name: str
    red: tuple[str, ...]
    error: str
    seconds: float

    @property
    def noticed(self) -> bool:
        return bool(self.red)

    def __str__(self) -> str:
        rows = ", ".join(self.red) or self.error or "NOTHING"
        return f"{self.seconds:5.1f} s  {self.name:74}{rows}"


def read_table() -> list[Slip]:
    """Return all faults of the table, with the faulty content of their files.

    Raises:
        SystemExit: if a fault's text does not occur exactly once in its file.
    """
    slips = []
    for row in tomllib.loads(TABLE.read_text("utf-8"))["fault"]:
        text = (ROOT / row["file"]).read_text("utf-8")
        if text.count(row["old"]) != 1:
            sys.exit(f"{row['name']}: its text occurs {text.count(row['old'])} times, not once.")
        faulty, claims = text.replace(row["old"], row["new"]), tuple(row.get("claims", ()))
        slips.append(Slip(row["name"], row["file"], faulty, claims))
    return slips


def outcomes(folder: Path, claims: Sequence[str]) -> Outcomes:
    """Return the outcome of each row, measured with the engine in a folder.

    Raises:
        subprocess.CalledProcessError: if the measurement fails.
        SystemExit: if another engine was measured.
    """
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *claims],
        cwd=folder, env={**os.environ, **QUIET}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    where, found = json.loads(done.stdout.splitlines()[-1])
    if not Path(where).is_relative_to(folder):
        sys.exit(f"{where} was imported instead of bnviz in {folder}.")
    return found


def plant(slip: Slip, copy: FaultyCopy, clean: Outcomes, claims: Sequence[str]) -> Result:
    """Measure the copy with one fault, restore the file, and return the rows that failed."""
    began, red, error = time.monotonic(), (), ""
    claims = slip.claims or claims
    with copy.holding(Path(slip.file), slip.faulty.encode()):
        try:
            found = outcomes(copy.root, claims)
            red = tuple(row for row in found if clean[row] == HOLDS != found[row])
        except subprocess.CalledProcessError as failure:
            error = f"NOT MEASURED: {failure.stderr.strip().splitlines()[-1]}"
    return Result(slip.name, red, error, time.monotonic() - began)


def to_markdown(results: Sequence[Result], clean: Outcomes, claims: Sequence[str]) -> str:
    """Return a Markdown table of the faults and the rows that failed."""
    held = sum(outcome == HOLDS for outcome in clean.values())
    lines = [
        f"{len(results)} wrong engines. With the right engine, {held} of {len(clean)} declared "
        f"rows of {', '.join(claims)} hold on seed 0.", "",
        "| Slip | Rows that fail |", "|---|---|",
    ]  # fmt: skip
    lines += [f"| {each.name} | {', '.join(each.red) or each.error or '**none**'} |"
              for each in results]  # fmt: skip
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.planted_engines")
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        help="plant only slips whose name contains NAME; repeatable")  # fmt: skip
    parser.add_argument("--claims", nargs="+", default=CLAIMS, metavar="CLAIM",
                        help="experiments for slips whose entry names none")  # fmt: skip
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="write the results as a table"
    )
    parser.add_argument("--check", action="store_true", help="only check the texts of the slips")
    options = parser.parse_args()
    slips = [
        slip
        for slip in read_table()
        if not options.only or any(part in slip.name for part in options.only)
    ]
    if options.check:
        print(f"The text of each of the {len(slips)} slips occurs once.")
        return
    results = []
    named = dict.fromkeys(name for slip in slips for name in slip.claims or options.claims)
    with faulty_copy() as copy:
        clean = outcomes(copy.root, list(named))
        for slip in slips:
            results.append(plant(slip, copy, clean, options.claims))
            print(results[-1], flush=True)
    if options.markdown:
        options.markdown.write_text(to_markdown(results, clean, list(named)), "utf-8")
    missed = sum(not result.noticed for result in results)
    print(f"{len(results)} wrong engines, {missed} not noticed by any row")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
