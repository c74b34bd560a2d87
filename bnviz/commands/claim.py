"""`python -m bnviz claim …`: measures statements from the literature and reports which hold."""

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
from bnviz.commands.arguments import whole_number, writable_file
from bnviz.commands.parser import add_command
from bnviz.config import ConfigError
from bnviz.words.phrase import phrase
from bnviz.words.texts import ENGLISH, in_language

MAX_SEEDS = 1000
MAX_FIRST_SEED = 1_000_000
MAX_WORKERS = 64


def add_claim(commands: Any) -> None:
    every = "\n".join(f"  {name:4} {entry.label}" for name, entry in CLAIMS.items())
    add_command(commands, "claim", _claim, {
        "name": {"metavar": "{name}|all"},
        "--seeds": {"default": "5", "metavar": "{number}"},
        "--first-seed": {"default": "0", "metavar": "{number}"},
        "--quick": {"action": "store_true"},
        "--workers": {"default": "2", "metavar": "{number}"},
        "--json": {"action": "store_true"},
        "--save": {"metavar": "{path}"},
        "--markdown": {"metavar": "{path}"},
        "--again": {"metavar": "{path}"},
    }, epilog=every)  # fmt: skip


def _claim(options: argparse.Namespace) -> int:
    from bnviz.claims import execution, results, table

    names = execution.choose_claims(options.name)
    seeds = _seeds(options)
    workers = whole_number("--workers", options.workers, 1, MAX_WORKERS)
    save, markdown = (
        None if path is None else writable_file(flag, path)
        for flag, path in (("--save", options.save), ("--markdown", options.markdown))
    )
    again = None if options.again is None else _saved_results("--again", options.again)
    # A run of all claims replaces the content of the file. A run of one claim updates it.
    others = None
    if save is not None and save.exists() and len(names) < len(CLAIMS):
        others = _saved_results("--save", options.save)
    judged: dict[str, list[StatementJudgement]] = {}
    for each in execution.judgements(names, seeds, workers=workers, found=again is None):
        judged[each[0].claim] = each
        (claim,) = results.gather({each[0].claim: each}, "", seeds).claims
        if options.json:
            with in_language(ENGLISH):  # programs get the same text in every language
                for row in claim.rows:
                    print(orjson.dumps({"claim": claim.name} | table.in_full(row)).decode())
            sys.stdout.flush()
        else:
            print(table.to_text(claim), end="\n\n", flush=True)
    if again is None:
        measured = results.gather(judged, version("torch"), seeds)
    else:
        measured = results.with_again(again, judged)
        results.write(measured, Path(options.again))
        print(table.again_words(measured))
    if others is not None:
        measured = results.merged(others, measured)
    if save is not None:
        results.write(measured, save)
    if markdown is not None:
        with in_language(ENGLISH):  # the documentation is in English
            markdown.write_text(table.to_markdown(measured), encoding="utf-8")
    return 0


def _seeds(options: argparse.Namespace) -> range:
    count = whole_number("--seeds", options.seeds, 1, MAX_SEEDS)
    first = whole_number("--first-seed", options.first_seed, 0, MAX_FIRST_SEED)
    return range(first, first + (1 if options.quick else count))


def _saved_results(flag: str, text: str) -> Results:
    from pydantic import ValidationError

    from bnviz.claims import results

    try:
        return results.read(Path(text))
    except (OSError, ValidationError) as error:
        raise ConfigError(flag, text, phrase(f"command.claim.allowed.{flag.strip('-')}")) from error
