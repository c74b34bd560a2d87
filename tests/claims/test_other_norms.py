"""Statements of E17 (first seed) and E2 about other norms that need no training."""

from bnviz.claims import CLAIMS, e02_other_norms
from tests.claims.measured import measured
from tests.every_case import every_case


@every_case(("part", "fails"), [("whitening", {"iternorm"}), ("recurrent", {"recurrent-large"})])
def test_of_what_is_stated_of_other_norms_this_does_not_hold(part, fails):
    values = measured("E17", 0, part)
    stated = [each for each in CLAIMS["E17"].resolve().statements if each.part == part]
    assert {each.key for each in stated if not each.expected.met_by(values[each.key])} == fails


def test_identities_of_other_norms_are_expectations():
    assert not any(each.found for each in e02_other_norms.STATEMENTS)
