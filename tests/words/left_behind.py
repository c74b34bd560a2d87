"""List texts whose English has changed since a commit but whose translation has not.

Run as `python -m tests.words.left_behind [COMMIT]`. The default HEAD checks what is about to be
committed. A reader of both languages decides, because the translation may already fit the new
English text.
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
    """Return the texts of a file in a commit, or an empty dict if the file is not in the commit."""
    done = subprocess.run(
        ["git", "show", f"{commit}:./{path}"], cwd=folder, capture_output=True, text=True
    )
    if done.returncode:
        return {}
    return {"": done.stdout} if path.endswith(".md") else dict(flat(tomllib.loads(done.stdout)))


def left_behind(commit: str, folder: Path = FOLDER) -> Iterator[str]:
    """Yield translations that did not change with their English text, such as `ja/lab.toml:
    title`.
    """
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
