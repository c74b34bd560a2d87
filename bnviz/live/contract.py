"""Constants that Python and the browser share, each defined once.

Browsers import them as `contract.js`, a module with one constant per section, which is served with
the files of `assets/` under the same version. A test finds copies of these numbers.
"""

from __future__ import annotations

from typing import Any

import orjson

from bnviz.actions import ACTIONS
from bnviz.break_limits import CHANCE_MARGIN
from bnviz.live.protocol.frames import WIRE_VERSION
from bnviz.live.protocol.pace import PACES
from bnviz.planned_runs.plan import MOST_PLANNED_CHANGES
from bnviz.sweeps.reading import LEVEL
from bnviz.sweeps.survey import COLUMNS

CONTRACT_FILE = "contract.js"

# Limits of a class: characters of a question, of an answer and of the sentence about the result,
# answers per question, rounds (the second follows the discussion), and hands that a teacher may
# count.
LONGEST_TEXT, LONGEST_ANSWER, LONGEST_SENTENCE = 140, 48, 200
FEWEST_ANSWERS, MOST_ANSWERS = 2, 4
LETTERS = "ABCD"
MOST_ROUNDS = 2
MOST_HANDS = 1_000

# Values by which a map can be coloured.
MAP_COLOURS = ("outcome", "share", "accuracy", "break_step", "loss", "ratio")

# Lesson reports: format version, maximum number of characters of the name, the link and the whole
# report, and maximum number of reports that a page compares.
REPORT_FORMAT = 1
LONGEST_NAME, LONGEST_LINK, LONGEST_REPORT = 80, 2_000, 60_000
MOST_HANDED_IN = 60

# Maximum number of characters of a QR code that a phone can read from a few metres away.
MOST_QR_CHARACTERS = 1_000

CONTRACT: dict[str, dict[str, Any]] = {
    "frames": {"version": WIRE_VERSION, "paces": PACES},
    "actions": {"names": ACTIONS},
    "training": {"chance_margin": CHANCE_MARGIN},
    "classroom": {
        "longest_text": LONGEST_TEXT,
        "longest_answer": LONGEST_ANSWER,
        "longest_sentence": LONGEST_SENTENCE,
        "most_answers": MOST_ANSWERS,
        "letters": LETTERS,
        "most_rounds": MOST_ROUNDS,
        "most_hands": MOST_HANDS,
    },
    "stabilityMap": {
        "columns": {name: place for place, name in enumerate(COLUMNS)},
        "about_the_same": LEVEL,
        "colours": MAP_COLOURS,
    },
    "reports": {
        "report_format": REPORT_FORMAT,
        "longest_name": LONGEST_NAME,
        "longest_link": LONGEST_LINK,
        "longest_report": LONGEST_REPORT,
        "most_handed_in": MOST_HANDED_IN,
    },
    "links": {"most_changes": MOST_PLANNED_CHANGES, "most_qr_characters": MOST_QR_CHARACTERS},
}


def contract_module() -> bytes:
    """Return the contract as a JavaScript module with one frozen constant per section."""
    lines = [
        f"export const {name} = Object.freeze({orjson.dumps(section).decode()});\n"
        for name, section in CONTRACT.items()
    ]
    return "".join(lines).encode()
