"""Check that sentences that state a limit of the engine state its real value in each language. The
glossary is not checked, because it has no digits and writes three as a word.
"""

import re

from bnviz.break_limits import BLOWN_UP_FACTOR, BROKEN_SHARE
from bnviz.training.first_move import MOVED
from bnviz.training.rules import RMS_FACTOR
from bnviz.words.texts import languages, prose, text

LIMITS = {
    "story.reason.saturated": 100 * BROKEN_SHARE,
    "story.reason.dead": 100 * BROKEN_SHARE,
    "story.reason.large": RMS_FACTOR,
    "story.reason.blown_up": BLOWN_UP_FACTOR,
    "story.detail.moved_first": MOVED,
    "class.happened.rule_saturated": 100 * BROKEN_SHARE,
    "class.happened.rule_large": RMS_FACTOR,
    "class.happened.moved_first": MOVED,
    "glossary.broke.line": BLOWN_UP_FACTOR,
    "glossary.blown-up.line": BLOWN_UP_FACTOR,
}


def test_limits_in_texts_are_those_of_the_engine() -> None:
    said = [
        (language, key, limit, text(key, language))
        for language in languages()
        for key, limit in LIMITS.items()
    ]
    for language in languages():
        blown_up = re.findall(r"^\| \*.+\|$", prose("about", language), re.MULTILINE)[2]
        said.append((language, "about", BLOWN_UP_FACTOR, blown_up))
    assert [
        (language, key, sentence)
        for language, key, limit, sentence in said
        if f"{limit:g}" not in re.findall(r"[0-9.]+", re.sub("three|三", "3", sentence))
    ] == []
