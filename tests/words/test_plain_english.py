"""Check that English texts avoid patterns that are hard to read, and that translations use the
field's terms.
"""

import pytest

from bnviz.words.texts import ENGLISH, FOLDER
from bnviz.words.translations import files
from tests.words.plain_english import hits, hits_of
from tests.words.test_languages import found_in

# Pairs of a rejected sentence and its better wording.
EXAMPLES = (
    ("Of a gradient far less is left.", "Below this share a gradient has vanished."),
    ("By a larger batch the noise falls.", "By step 45, test accuracy is 90 %."),
    ("What each layer receives", "Pre-activations by layer"),
    ("How far the loss is from that of a guess.", "The distance to the loss of a guess."),
    ("with means measured anew", "with recomputed statistics"),
    ("It is no border.", "It is not a limit, and it is no longer one."),
    ("The weights had 70 %.", "Test accuracy was 70 %."),
    ("By then it came to {share:percent}.", "By then it rose to {share:percent}."),
    ("a factor of 1.21 a layer; two lines a network", "1.21 per layer; two lines per network"),
    ("BN less plain", "BN minus plain; fewer steps"),
    ("equal but for rounding", "equal up to rounding"),
    ("The workers are told the mean.", "The hub sends the mean."),
    ("Most values lie in the flat zone.", "Most values are in the flat zone."),
    ("Press Play to go on.", "Press Play to continue."),
    ("Forgotten, an answer depends on its neighbours.", "If you forget it, it depends on them."),
    ("the spread of μ", "the standard deviation of μ"),
    ("stuck at chance", "stuck at chance level"),
    ("Key p opens the stage.", "Key p opens the presentation view."),
)
KANJI = "[二三四五六七八九十]"
# Rejected Chinese and Japanese terms, each of which has a better alternative, and kanji numerals
# that should be digits.
REFUSED = {
    "zh-Hans": "使用时|长的步|步子长|讲台|平坦区",
    "ja": "ばらつき|(?<!を)使うとき|当てずっぽう|揺さぶ"
    f"|(?<![数何二三四五六七八九十]){KANJI}+(?:つ|個|枚|層|ステップ|倍)",
}


@pytest.mark.parametrize(("former", "better"), EXAMPLES)
def test_a_pattern_is_found_and_its_better_wording_is_not(former, better):
    assert list(hits(former))
    assert list(hits(better)) == []


def test_no_english_text_has_such_a_pattern():
    assert [str(hit) for file in files(FOLDER, ENGLISH) for hit in hits_of(file)] == []


@pytest.mark.parametrize("code", REFUSED)
def test_a_translation_has_no_term_that_was_replaced(code):
    assert found_in(code, REFUSED[code]) == []
