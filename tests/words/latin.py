"""Words in Latin letters that are allowed in every language of the app: names and typed words."""

import re
from pathlib import Path

from bnviz.words.texts import ENGLISH, FOLDER
from bnviz.words.translations import faults, units

HERE = Path(__file__).parent


def allowed_in_latin() -> set[str]:
    """Return names of methods, programs, keys and people, and words typed in knobs and commands."""
    return {
        word
        for name in ("names_in_latin.txt", "typed_in_latin.txt")
        for word in (HERE / name).read_text("utf-8").split()
    }


def owed_words(code: str) -> set[str]:
    """Return the words of the texts that pages show in English because this language lacks them."""
    lacking = [fault for fault in faults(FOLDER, code) if fault.owed]
    english = (units(FOLDER / ENGLISH / each.path.partition("/")[2])[each.key] for each in lacking)
    return set(re.findall("[A-Za-z]{4,}", str([*english])))
