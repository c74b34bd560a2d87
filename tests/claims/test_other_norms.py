"""E17's statements that need no training, judged on the first seed."""

import pytest

from bnviz.claims import CLAIMS
from tests.claims.measured import measured


@pytest.mark.parametrize(
    ("part", "fails"), [("whitening", {"iternorm"}), ("recurrent", {"recurrent-large"})]
)
def test_of_what_is_stated_of_other_norms_this_does_not_hold(part, fails):
    values = measured("E17", 0, part)
    stated = [each for each in CLAIMS["E17"].resolve().statements if each.part == part]
    assert {each.key for each in stated if not each.expected.met_by(values[each.key])} == fails
