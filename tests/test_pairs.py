from itertools import combinations, product

from tests.pairs import pairs


def met(rows):
    return {
        (i, row[i], j, row[j]) for row in rows for i, j in combinations(range(len(row)), 2)
    }  # fmt: skip


def test_any_two_values_meet_in_few_rows():
    axes = [range(13), range(5), "ab", "xyz"]
    rows = pairs(*axes)
    assert met(rows) == met(list(product(*axes)))
    assert len(rows) <= 70 < 13 * 5 * 2 * 3
    assert len(set(rows)) == len(rows)


def test_rows_that_make_no_sense_are_left_out_and_the_others_still_meet():
    axes = [range(4), range(3), "ab"]

    def fits(one, two, letter):
        return (one + two) % 3 > 0 or letter == "a"

    rows = pairs(*axes, fits=fits)
    assert all(fits(*row) for row in rows)
    assert met(rows) == met([row for row in product(*axes) if fits(*row)])


def test_values_may_be_anything_and_an_axis_may_have_none():
    assert pairs([{}], [[1]], [None, {2}]) == [({}, [1], None), ({}, [1], {2})]
    assert pairs([1, 2], []) == []
