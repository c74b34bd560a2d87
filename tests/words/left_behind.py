"""Lists texts whose English has changed since a commit while a translation has not.

`python -m tests.words.left_behind [COMMIT]`, by default HEAD: what is about to be committed. The
English may have become plainer with the translation right as it was; a reader of both decides.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bnviz.words.texts import ENGLISH, FOLDER
from bnviz.words.translations import files, flat, units


def units_at(commit: str, folder: Path, path: str) -> dict[str, Any]:
    """The texts of a file as they were in a commit; none: it had no such file."""
    done = subprocess.run(
        ["git", "show", f"{commit}:./{path}"], cwd=folder, capture_output=True, text=True
    )
    if done.returncode:
        return {}
    return {"": done.stdout} if path.endswith(".md") else dict(flat(tomllib.loads(done.stdout)))


def left_behind(commit: str, folder: Path = FOLDER) -> Iterator[str]:
    """Every text that only its translations say as before: `ja/lab.toml: title`."""
    codes = sorted(each.name for each in folder.iterdir() if each.is_dir() and each.name != ENGLISH)
    for file in files(folder, ENGLISH):
        path = f"{ENGLISH}/{file}"
        before, now = units_at(commit, folder, path), units(folder / path)
        changed = [key for key in now if key in before and now[key] != before[key]]
        for code in codes if changed else ():
            former, own = units_at(commit, folder, f"{code}/{file}"), units(folder / code / file)
            yield from (
                f"{code}/{file}: {key}" for key in changed
                if key in own and own[key] == former.get(key)
            )  # fmt: skip


if __name__ == "__main__":
    print(*left_behind(*(sys.argv[1:] or ["HEAD"])), sep="\n")
