"""The address that shows again what somebody broke: `?replay=46:0.5~47:1.5,120:0.1`.

Each pair is a step and the learning rate from there on; `~` stands between the values of one drag.
The run starts from step 0 and does the same, bit for bit.
"""

from __future__ import annotations

import re

import streamlit as st

from bnviz.config import ConfigError, RunConfig
from bnviz.phrase import told
from bnviz.plan import MOST_CHANGES
from bnviz.records import Change
from bnviz.texts import texts

NAME = "replay"
# The last step at which such a run may be changed.
MOST_STEP = 10_000
PAIR = re.compile(r"([0-9]{1,6}):([0-9.]{1,20}(?:e-?[0-9]{1,2})?)", re.ASCII)
LONGEST = 40  # letters of a wrong value that are said back


def read_replay() -> tuple[tuple[Change, ...], str]:
    """What the page's address says.

    Returns:
        The changes, and a sentence on what was wrong with them, "" for nothing. There are no
        changes where anything was wrong.
    """
    said = st.query_params.get(NAME)
    if said is None:
        return (), ""
    changes = []
    for number, gesture in enumerate(said.split(","), 1):
        pairs = gesture.split("~")
        for pair in pairs:
            found = PAIR.fullmatch(pair)
            if found is None:
                return (), _allowed(pair)
            try:
                step, rate = int(found[1]), float(found[2])
                RunConfig(learning_rate=rate)
            except ConfigError as error:
                return (), told(error)
            except ValueError:  # such as 1.2.3
                return (), _allowed(pair)
            drag = number if len(pairs) > 1 else 0
            changes.append(Change(step, {"learning_rate": rate}, drag))
    steps = [change.step for change in changes]
    if steps != sorted(set(steps)) or steps[-1] > MOST_STEP or len(steps) > MOST_CHANGES:
        return (), _allowed(said)
    return tuple(changes), ""


def _allowed(given: str) -> str:
    short = given if len(given) <= LONGEST else f"{given[:LONGEST]}…"
    return texts(name="home")["replay"].format(
        name=NAME, given=short, most=MOST_CHANGES, last=MOST_STEP
    )
