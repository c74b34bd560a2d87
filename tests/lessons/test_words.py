"""Every text can be filled, contains no measured number, and follows the rules for its page."""

import re
from collections.abc import Iterator

import pytest

from bnviz.claims import results
from bnviz.lessons import LESSONS, in_code
from bnviz.lessons.words import (
    PLACEHOLDER,
    TERM,
    Filling,
    citation,
    term,
)
from bnviz.ui.lessons import summary_pages
from bnviz.ui.lessons.words import lesson_words
from bnviz.words.numbers import write
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.lessons.observing import CLAIMING, lesson

FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]*\$", re.DOTALL)
MOST_WORDS = 80
# Numbers on pages without a run, and the keys of texts that these pages fill in themselves.
PAGE_VALUES = {**in_code.measured(), **in_code.VALUES, **summary_pages.values()}
FILLED_BY_PAGE = re.compile(r"faults\.(lines|missing)|told\.|link\.|how$")
# Characters that count as symbols: Greek letters, relations, fractions, function brackets.
SYMBOL = re.compile(r"[$\\=<>≤≥±×÷^_|∂∑σμγβεηλΘ]")


def words(name):
    return texts(f"lessons/{name}")


def leaves(table, path="") -> Iterator[tuple[str, str]]:
    """Yield every string of a table with its dotted key."""
    items = table.items() if hasattr(table, "items") else enumerate(table)
    for key, value in items:
        here = f"{path}.{key}" if path else str(key)
        if isinstance(value, str):
            yield here, value
        else:
            yield from leaves(value, here)


# Digits that name or define something and are not measured: layer 1, step 0, a standard deviation
# of 1, from −1 to 1.
STRUCTURAL = re.compile(r"\b(?:layers?|step|curves?) \d+\b|(?<![\d.])[−±]?[01](?![\d.]*\d)(?!\s?%)")


@every_case("name", LESSONS)
def test_no_text_holds_a_measured_number_of_its_own(name):
    for path, text in leaves(words(name)):
        bare = STRUCTURAL.sub("", TERM.sub("", PLACEHOLDER.sub("", FORMULA.sub("", text))))
        assert not re.search(r"\d", bare), (path, text)


@every_case("name", LESSONS)
def test_every_text_that_needs_no_run_can_be_filled(name):
    """Texts that need a run are filled in test_verdicts."""
    settings = PAGE_VALUES if LESSONS[name].is_page else lesson(name).named_values()
    for path, text in leaves(words(name)):
        if LESSONS[name].is_page and FILLED_BY_PAGE.match(path):
            continue
        if re.match(
            r"starts|verdict\.(lead|held|did_not_hold)|check\.seen|break\..*\.seen|rates\.found",
            path,
        ):
            continue
        if path == "drawing.gap":
            assert text.format(drawn="one", measured="two").count("one") == 1
            continue
        of_layer = {"layer": 1} if path == "check.answer" else {}
        (filled,) = Filling({**settings, **of_layer}).sentences([text])
        assert not re.search(r"[{}]|\[\[", FORMULA.sub("", filled)), (path, filled)


@every_case("name", CLAIMING)
def test_a_lesson_has_all_its_words(name):
    found, said = lesson(name), words(name)
    for table in ("answers", "ideas", "says"):
        assert tuple(said[table]) == found.answers, table
    assert set(said.get("break", {})) == {each.name for each in found.breaks}
    assert {"lead", "held", "did_not_hold", "claim"} == said["verdict"].keys()
    assert said["teacher"]["say"]
    assert said["teacher"]["misconceptions"]
    assert said["popular"]
    assert said["more"]
    for key in ("title", "short", "question", "predict", "watch", "why"):
        assert said[key].strip(), key
    assert ("drawing" in said) is (found.drawing is not None)
    if found.drawing is not None:
        assert said["drawing"]["prompt"].strip()
        assert said["drawing"].get("marks", {}).keys() == found.drawing.marks.keys()


@pytest.mark.parametrize("name", [name for name in LESSONS if "so_far" in words(name)])
def test_every_reason_of_so_far_has_one_state_that_the_page_has_a_word_for(name):
    states = texts("lessons")["so_far"].keys() - {"title"}
    for reason in words(name)["so_far"]["reasons"]:
        assert len(reason) == 1
        assert reason.keys() <= states


@every_case("name", LESSONS)
def test_every_lesson_has_a_title_and_a_question(name):
    assert words(name)["title"]
    assert words(name)["question"].strip()


@every_case("name", CLAIMING)
def test_why_is_short_and_without_symbols(name):
    why = words(name)["why"]
    assert len(why.split()) <= MOST_WORDS
    assert not SYMBOL.search(TERM.sub("", why))


@every_case("name", CLAIMING)
def test_no_text_calls_a_guess_right_or_wrong(name):
    judging = re.compile(r"\b(correct|right answer|you were (right|wrong)|score)\b", re.I)
    for path, text in leaves(words(name)):
        assert not judging.search(text), (path, text)


# Parts of a complete definition of batch normalization, in order.
STANDARDIZES = re.compile(
    r"standardi[sz]|normali[sz]es|subtracts? (the|its|their) mean|mean (of )?(zero|0)", re.I
)
LEARNED_SCALE_AND_SHIFT = re.compile(r"(scale.*shift.*learn|learn.*scale.*shift)", re.I | re.S)


def test_what_the_page_says_of_batch_normalization_first_says_what_it_is():
    """The text first names the standardization over the mini-batch, then the learned scale and
    shift. To name only the standardization is an error that a lesson corrects.
    """
    first = [
        texts("home")["what"], texts("glossary")["batch-normalization"]["line"],
        words("read-the-charts")["stops"]["colour"], words("break-it")["question"],
    ]  # fmt: skip
    for text in first:
        standardizes = STANDARDIZES.search(text)
        assert "mini-batch" in text, text
        assert standardizes, text
        assert LEARNED_SCALE_AND_SHIFT.search(text, standardizes.end()), text


@every_case(
    ("value", "style", "written"),
    [
        (0.1, "exact", "0.1"), (-1.25, "exact", "−1.25"), (50_000, "exact", "50000"),
        (0.126, "plain", "0.13"), (1.2e-15, "plain", "1.2e-15"), (126, "plain", "126"),
        (-12, "plain", "−12"), (1234.5, "count", "1234"), (50_000, "count", "50\u202f000"),
        (0.9575, "percent", "96\u00a0%"), (0.9575, "percent1", "95.8\u00a0%"),
        (0.0123, "points", "1.2"), (-0.0123, "points", "−1.2"), (-1.567, "two", "−1.57"),
        (1.5, "two", "1.50"), (-1.5678, "three", "−1.568"), (0.9, "three", "0.900"),
    ],
)  # fmt: skip
def test_a_number_is_written_in_the_way_that_is_asked_for(value, style, written):
    for kind, filling in (("run", Filling(run={"n": value})), ("setting", Filling({"n": value}))):
        assert filling.sentence(f"{{{kind}:n:{style}}}") == written


def test_without_being_asked_a_setting_is_written_exactly_and_what_was_measured_is_rounded():
    filling = Filling({"n": 0.1234}, {"n": 0.5678})
    assert filling.sentence("{setting:n} {run:n}") == "0.1234 0.57"


def test_a_factor_is_never_parted_from_its_sign():
    said = Filling({}, {"grown": 20_068}).sentence("over all layers × {run:grown:count}")
    assert said == "over all layers ×\u00a020\u202f068"


def test_a_sentence_about_what_this_run_has_not_is_left_out():
    filling = Filling({"none": None}, {"there": 0, "missing": None})
    assert filling.sentences(["a {run:there}", "b {run:missing}", "c {setting:none}"]) == ["a 0"]


def test_a_sentence_about_another_case_is_left_out():
    filling = Filling(run={"worse": True, "better": False, "neither": None})
    assert filling.sentences(["{if:worse}a", "{if:better}b", "{if:neither}c"]) == ["a"]


@every_case(
    "text",
    ["{run:other}", "{if:other}", "{setting:other}", "{claim:E1.none}", "{claim:E12.no-better.sum}",
     "{cite:IS99}", "{cite:IS15.page}", "[[no-such-word]]", "{run:there:kilo}"],
)  # fmt: skip
def test_what_is_unknown_is_refused(text):
    with pytest.raises(KeyError):
        Filling(run={"there": 1}).sentence(text)


def test_before_a_run_there_is_nothing_to_name():
    with pytest.raises(KeyError):
        Filling().sentence("{run:there}")


def test_what_comes_from_outside_is_escaped():
    assert Filling({"name": "<b>"}).sentence("{setting:name}") == "&lt;b&gt;"


def test_a_word_of_the_glossary_carries_its_line():
    html = term("saturation", "saturated")
    assert 'data-term="saturation"' in html
    assert texts("glossary")["saturation"]["line"] in html
    assert ">saturated<" in html
    word = texts("glossary")["saturation"]["word"]
    assert f">{word}<" in term("saturation")
    filled = Filling().sentence("[[saturation|flat]] or [[saturation]]")
    assert filled == f"{term('saturation', 'flat')} or {term('saturation')}"


def test_a_source_is_a_link_with_its_place_or_one_of_its_numbers():
    link = "(https://arxiv.org/abs/1502.03167)"
    assert citation("IS15") == f"[Ioffe & Szegedy 2015]{link}"
    assert citation("IS15.algorithm1") == f"[Ioffe & Szegedy 2015, Algorithm 1]{link}"
    assert citation("IS15.steps") == "50,000"
    assert Filling().sentence("after {cite:IS15.steps} steps") == "after 50,000 steps"


def test_a_claim_gives_its_place_and_the_middle_and_the_ends_of_what_was_measured():
    (row,) = [row for row in results.read(results.FILE).rows if row.name == "E12.no-better"]
    assert row.lowest < row.median < row.highest
    for part, value in (("", row.median), (".lowest", row.lowest), (".highest", row.highest)):
        told = Filling().sentence(f"{{claim:E12.no-better{part}:percent1}}")
        assert told == write(value, "percent1"), part
    assert Filling().sentence("{claim:E12.no-better}") == write(row.median, "number")
    assert Filling().sentence("{claim:E12.no-better.place}") == row.place
    assert Filling().sentence("{claim:E2.autograd.place}") == "E2.2"


def test_filled_words_become_html():
    text = "\nOne **strong** `code` and *stressed* [source](https://example.org/a).\n\n\nTwo.\n"
    line = (
        "One <strong>strong</strong> <code>code</code> and <em>stressed</em> "
        '<a href="https://example.org/a" target="_blank" rel="noopener">source</a>.'
    )
    words = lesson_words("", None)
    assert words.html(text) == f"<p>{line}</p><p>Two.</p>"
    assert words.inline_html(text.partition("\n\n")[0]) == line


def test_the_glossary_is_whole():
    for key, entry in texts("glossary").items():
        assert re.fullmatch(r"[a-z-]+", key), "a mark in a text could not name it"
        assert entry["word"]
        assert entry["line"].endswith(".")
        bare = STRUCTURAL.sub("", re.sub(r"minus 1\b", "", entry["line"]))
        assert not re.search(r"\d", bare), entry["line"]
