"""`python -m bnviz claim …`: measures statements of the literature and says which hold."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import orjson

from bnviz.claims import CLAIMS
from bnviz.claims.judgement import StatementJudgement
from bnviz.claims.results import Results
from bnviz.commands.arguments import whole_number
from bnviz.config import ConfigError

MAX_SEEDS = 1000
MAX_FIRST_SEED = 1_000_000
MAX_WORKERS = 64


def add_claim(commands: Any) -> None:
    """Add the command to the others."""
    claim = commands.add_parser(
        "claim",
        help="measure what the literature says",
        description="Measure a claim over several seeds; say whether it holds. A claim that does "
        "not hold is a result: the status is 0.",
        epilog="\n".join(f"  {name:4} {entry.label}" for name, entry in CLAIMS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    claim.add_argument("name", metavar="NAME|all", help="E1, E2, … or all")
    claim.add_argument(
        "--seeds", default="5", metavar="N",
        help="judge on N seeds (default 5); what was found here, on N others",
    )  # fmt: skip
    claim.add_argument("--first-seed", default="0", metavar="N", help="the first one (default 0)")
    claim.add_argument("--quick", action="store_true", help="the same as --seeds 1")
    claim.add_argument("--workers", default="2", metavar="N", help="processes (default 2)")
    claim.add_argument("--json", action="store_true", help="one JSON object a statement")
    claim.add_argument("--save", metavar="PATH", help="write all that was measured there, as JSON")
    claim.add_argument("--markdown", metavar="PATH", help="write the documentation's table there")
    claim.add_argument(
        "--again", metavar="PATH",
        help="a file that --save wrote: measure the declared statements on other seeds, put the "
        "outcomes there too and say which are others",
    )  # fmt: skip
    claim.set_defaults(run=_claim, parser=claim)


def _claim(options: argparse.Namespace) -> int:
    from bnviz.claims import execution, results, table

    names = execution.choose_claims(options.name)
    seeds = _seeds(options)
    workers = whole_number("--workers", options.workers, 1, MAX_WORKERS)
    save = None if options.save is None else _writable("--save", options.save)
    markdown = None if options.markdown is None else _writable("--markdown", options.markdown)
    earlier = None if options.again is None else _saved_results(options.again)
    found: dict[str, list[StatementJudgement]] = {}
    for judged in execution.judgements(names, seeds, workers=workers, found=earlier is None):
        found[judged[0].claim] = judged
        (claim,) = results.gather({judged[0].claim: judged}, "", seeds).claims
        if options.json:
            for row in claim.rows:
                print(orjson.dumps({"claim": claim.name} | table.in_full(row)).decode())
            sys.stdout.flush()
        else:
            print(table.to_text(claim), end="\n\n", flush=True)
    if earlier is None:
        measured = results.gather(found, version("torch"), seeds)
    else:
        measured = results.with_again(earlier, found)
        results.write(measured, Path(options.again))
        print(table.again_words(measured))
    if save is not None:
        results.write(measured, save)
    if markdown is not None:
        markdown.write_text(table.to_markdown(measured), encoding="utf-8")
    return 0


def _seeds(options: argparse.Namespace) -> range:
    count = whole_number("--seeds", options.seeds, 1, MAX_SEEDS)
    first = whole_number("--first-seed", options.first_seed, 0, MAX_FIRST_SEED)
    return range(first, first + (1 if options.quick else count))


def _saved_results(text: str) -> Results:
    from pydantic import ValidationError

    from bnviz.claims import results

    try:
        return results.read(Path(text))
    except (OSError, ValidationError) as error:
        raise ConfigError("--again", text, "a file that --save wrote") from error


def _writable(flag: str, text: str) -> Path:
    """The path of a file to be written, checked before minutes are spent on its content.

    Raises:
        ConfigError: it names a folder, or lies in none that exists.
    """
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        raise ConfigError(flag, text, "a file in a folder that exists")
    return path
