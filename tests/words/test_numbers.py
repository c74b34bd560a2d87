"""Numbers are written as a person would write them."""

import math

from bnviz.words.numbers import NO_BREAK_SPACE, write

WRITTEN = [
    (0.9751, "number3", "0.975"), (-1.1142, "number3", "−1.11"), (1234.5, "number3", "1234"),
    (1.0127e-7, "number3", "1.01e-7"), (0, "number", "0"), (6e-8, "number", "6e-8"),
    (1.1e-8, "number", "1.1e-8"), (0.2134, "number", "0.21"), (3.14159, "number", "3.1"),
    (420, "number", "420"), (-2.5, "number", "−2.5"), (math.inf, "number", "∞"),
    (-math.inf, "number", "−∞"), (math.nan, "number", "not a number"), (12.34, "number", "12"),
    (1234, "number", "1234"), (54321, "number", "5.4e4"), (12345, "count", "12\u202f345"),
    (0.104, "percent0", "10_%"), (0.0, "percent0", "0_%"), (1.0, "percent0", "100_%"),
    (0.9551, "percent1", "95.5_%"), (0.00999, "percent0", "1_%"), (0.003, "percent0", "0.3_%"),
    (0.997, "percent0", "99.7_%"), (0.0004, "percent0", "<0.1_%"), (0.9996, "percent1", ">99.9_%"),
]  # fmt: skip


def test_numbers_are_written_as_a_person_would():
    assert [write(value, style).replace(NO_BREAK_SPACE, "_") for value, style, _ in WRITTEN] == [
        text for _, _, text in WRITTEN
    ]
