"""Line numbers of fields in a TOML text."""

import pytest

from bnviz.own_talks.toml_source import NotToml, TomlSource
from tests.every_case import every_case

TEXT = '''# a comment
title = "one"

[[station]]
title = "two"
notes = """
title = "not a field"
[[station]]
"""
  [station.question]
  answers = [
    "a",  # not = "a field"
    "b",
  ]

[[station]]
setting = { depth = 3, norms = ["none"] }
nested = [
  [1,
   2],
  [3],
]
"quoted" = 1
dotted.inner.key = 2
'''


@every_case(
    ("path", "line"),
    [
        (("title",), 2), (("station", 0), 4), (("station", 0, "title"), 5),
        (("station", 0, "notes"), 6), (("station", 0, "question"), 10),
        (("station", 0, "question", "answers"), 11),
        (("station", 0, "question", "answers", 0), 12),
        (("station", 0, "question", "answers", 1), 13), (("station", 1), 16),
        (("station", 1, "setting", "norms"), 17), (("station", 1, "nested", 1), 21),
        (("station", 1, "quoted"), 23), (("station", 1, "dotted", "inner", "key"), 24),
        # A missing field has the line of its table.
        (("station", 1, "title"), 16), (("station", 0, "question", "text"), 10),
        (("station", 0, "question", "answers", 7), 11), (("about",), 1), (("station", 7), 4),
    ],
)  # fmt: skip
def test_the_line_of_a_field(path, line):
    assert TomlSource(TEXT).line_of(path) == line


@every_case(
    ("text", "line"),
    [("a = 1\nb 2", 2), ("a = 1\nb = [1,", 2), ("a = 1\na = 2", 2), ('a = """\n\n', 3),
     ("\x00", 1), ("a = 1\r\nb = \r\n", 2)],
)  # fmt: skip
def test_what_is_not_toml_is_told_with_its_line(text, line):
    with pytest.raises(NotToml) as refused:
        TomlSource(text)
    assert refused.value.line == line
    assert refused.value.reason
    assert "line" not in refused.value.reason


@every_case("text", ["a = " + "[" * 9_000, "a = " + "{b=" * 9_000, "a = 1" + "0" * 9_000])
def test_what_is_too_deep_or_too_long_is_not_read(text):
    with pytest.raises(NotToml) as refused:
        TomlSource(text)
    assert (refused.value.reason, refused.value.line) == ("", 1)
