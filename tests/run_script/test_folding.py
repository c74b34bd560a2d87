"""Conditions with known values: the branch that applies remains, with its comments."""

from bnviz.run_script.folding import fold

SOURCE = """
def f(x):
    # Above.
    if kind == "a":
        # Only a.
        y = x + 1  # [N, D]
    elif kind == "b":
        y = x + 2
    else:
        # Neither.
        y = x + 3
    return (np.a if kind == "a" else np.b)(y)
"""


def test_the_branch_that_applies_remains_with_its_comments():
    found = {kind: fold(SOURCE, {"kind": kind}) for kind in "abc"}
    assert found["a"] == (
        "\ndef f(x):\n    # Above.\n    # Only a.\n    y = x + 1  # [N, D]\n    return np.a(y)\n"
    )
    assert found["b"] == "\ndef f(x):\n    # Above.\n    y = x + 2\n    return np.b(y)\n"
    assert found["c"] == (
        "\ndef f(x):\n    # Above.\n    # Neither.\n    y = x + 3\n    return np.b(y)\n"
    )


def test_other_conditions_remain():
    assert fold(SOURCE, {"other": 1}) == SOURCE
    mixed = "if kind and x:\n    y = 1\n"
    assert fold(mixed, {"kind": True}) == mixed


def test_a_block_never_becomes_empty():
    assert fold("for x in y:\n    if a:\n        z()\n", {"a": False}) == (
        "for x in y:\n    pass\n"
    )
    assert fold("if a:\n    z()\nw()\n", {"a": False}) == "w()\n"


def test_a_decorator_and_characters_of_several_bytes_stay_whole():
    source = 'if a:\n\n    @cache\n    def f():\n        return "γ" if a else "β"\n'
    assert fold(source, {"a": True}) == '@cache\ndef f():\n    return "γ"\n'
