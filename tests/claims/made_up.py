"""An experiment that measures nothing, for tests of what is done with measured values."""

from bnviz.claims import ClaimEntry
from bnviz.claims.statement import Claim, Comparator, Statement, Watch, at_least, at_most

DECLARED = Statement(
    key="first", text="One | two.", lead="One of two.", setting="setting", quantity="quantity",
    expected=at_most(1), source="Yang et al. 2019", watch=Watch({"depth": 20}, ("growth",), 0),
)  # fmt: skip
FAILING = Statement(
    key="second", text="Two.", setting="setting", quantity="quantity", expected=at_least(8),
    source="earlier run", changed="Step 300 was declared first; 0.5 was found.", part="more",
    watch="No network.",
)  # fmt: skip
FOUND = Statement(
    key="third", text="Three.", setting="elsewhere", quantity="quantity", expected=at_least(8),
    source="found here", instead_of="second", part="late", watch="No network.",
    comparator=Comparator("plain", "the plain network"),
)  # fmt: skip
CLAIM = Claim(
    (FOUND, DECLARED, FAILING),
    lambda seed: {"first": seed / 10},
    note="A note.",
    parts={
        "more": lambda seed: {"second": seed % 20},
        "late": lambda seed: {"third": seed + 5, "plain": 0.1 if seed == 7 else 0.9},
    },
)
ENTRY = ClaimEntry(
    label="Made up", help="Nothing.", where="tests.claims.made_up:CLAIM", source="Nobody",
    cost=0.1, presets=("e6-gradients-grow",),
)  # fmt: skip
