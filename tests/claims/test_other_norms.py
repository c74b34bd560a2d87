"""Statements of other norms that need no training: E17's on the first seed, E2's one for each."""

from bnviz.claims import CLAIMS, e02_other_norms
from bnviz.norms import NORMS
from tests.claims.measured import measured
from tests.every_case import every_case


@every_case(("part", "fails"), [("whitening", {"iternorm"}), ("recurrent", {"recurrent-large"})])
def test_of_what_is_stated_of_other_norms_this_does_not_hold(part, fails):
    values = measured("E17", 0, part)
    stated = [each for each in CLAIMS["E17"].resolve().statements if each.part == part]
    assert {each.key for each in stated if not each.expected.met_by(values[each.key])} == fails


def test_every_norm_but_plain_bn_has_an_identity_of_its_own():
    """Under its name; those of BN are the rest of E2."""
    stated = {each.key.partition("-")[0] for each in e02_other_norms.STATEMENTS}
    assert set(NORMS) - {"none", "batch"} <= stated
    assert not any(each.found for each in e02_other_norms.STATEMENTS)
