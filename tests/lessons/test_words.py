"""Every text can be filled, holds no number of its own, and keeps to what a page promises."""

import re
from collections.abc import Iterator

import pytest

from bnviz.lessons import LESSONS
from bnviz.lessons.words import PLACEHOLDER, TERM, Filling, UnknownPlaceholder, citation, term
from bnviz.texts import texts
from tests.lessons.watching import CLAIMING, WRITTEN, lesson

FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]*\$", re.DOTALL)
MOST_WORDS = 80
# What a reader takes for a symbol: Greek letters, relations, fractions, brackets of functions.
SYMBOL = re.compile(r"[$\\=<>≤≥±×÷^_|∂∑σμγβεηλΘ]")


def words(name):
    return texts(f"lessons/{name}")


def leaves(table, path="") -> Iterator[tuple[str, str]]:
    """Every string of a table with the keys that lead to it."""
    items = table.items() if hasattr(table, "items") else enumerate(table)
    for key, value in items:
        here = f"{path}.{key}" if path else str(key)
        if isinstance(value, str):
            yield here, value
        else:
            yield from leaves(value, here)


@pytest.mark.parametrize("name", LESSONS)
def test_no_text_holds_a_number_of_its_own(name):
    for path, text in leaves(words(name)):
        bare = TERM.sub("", PLACEHOLDER.sub("", FORMULA.sub("", text)))
        assert not re.search(r"\d", bare), (path, text)


@pytest.mark.parametrize("name", LESSONS)
def test_every_text_that_needs_no_run_can_be_filled(name):
    """Those that do are filled in test_verdicts, with what was measured there."""
    settings = lesson(name).named_values() if LESSONS[name].written else {}
    for path, text in leaves(words(name)):
        if re.match(r"verdict\.(held|did_not_hold)|check\.seen|break\..*\.seen", path):
            continue
        of_layer = {"layer": 1} if path == "check.answer" else {}
        (filled,) = Filling({**settings, **of_layer}).sentences([text])
        assert not re.search(r"[{}]|\[\[", FORMULA.sub("", filled)), (path, filled)


@pytest.mark.parametrize("name", CLAIMING)
def test_a_lesson_has_all_its_words(name):
    found, said = lesson(name), words(name)
    for table in ("answers", "ideas", "says"):
        assert tuple(said[table]) == found.answers, table
    assert set(said.get("break", {})) == {each.name for each in found.breaks}
    assert {"held", "did_not_hold", "claim"} == said["verdict"].keys()
    assert said["teacher"]["say"]
    assert said["teacher"]["misconceptions"]
    assert said["popular"]
    for key in ("title", "short", "question", "predict", "watch", "why"):
        assert said[key].strip(), key


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_has_a_title_and_a_question(name):
    assert words(name)["title"]
    assert words(name)["question"].strip()


@pytest.mark.parametrize("name", CLAIMING)
def test_why_is_short_and_without_symbols(name):
    why = words(name)["why"]
    assert len(why.split()) <= MOST_WORDS
    assert not SYMBOL.search(why)


@pytest.mark.parametrize("name", CLAIMING)
def test_no_text_calls_a_guess_right_or_wrong(name):
    judging = re.compile(r"\b(correct|right answer|you were (right|wrong)|score)\b", re.I)
    for path, text in leaves(words(name)):
        assert not judging.search(text), (path, text)


@pytest.mark.parametrize("name", WRITTEN)
def test_what_a_lesson_introduces_stands_in_it(name):
    found = {match.group(1) for _, text in leaves(words(name)) for match in TERM.finditer(text)}
    assert set(lesson(name).introduces) <= found


def test_what_the_page_says_of_batch_normalization_first_says_what_it_is():
    for name in ("read-the-charts", "break-it"):
        text = " ".join(text for _, text in leaves(words(name)))
        assert "rescaled, batch by batch, to mean zero and [[spread]] one" in text


def test_numbers_are_written_as_a_person_would():
    filling = Filling(
        {"rate": 0.1, "steps": 50_000}, {"share": 0.9575, "small": 1.2e-15, "many": 12, "low": -1.5}
    )
    assert filling.sentence("{setting:rate}, {setting:steps:count}") == "0.1, 50\u202f000"
    assert filling.sentence("{run:share:percent} {run:share:percent1}") == "96\u00a0% 95.8\u00a0%"
    assert filling.sentence("{run:small} {run:many} {run:low:three}") == "1.2e-15 12 −1.500"


def test_a_sentence_about_what_this_run_has_not_is_left_out():
    filling = Filling(run={"there": 1, "missing": None})
    assert filling.sentences(["a {run:there}", "b {run:missing}"]) == ["a 1"]


def test_a_sentence_about_another_case_is_left_out():
    filling = Filling(run={"worse": True, "better": False})
    assert filling.sentences(["{if:worse}a", "{if:better}b"]) == ["a"]


@pytest.mark.parametrize(
    "text",
    ["{run:other}", "{if:other}", "{setting:other}", "{claim:E1.none}", "{claim:E12.no-better.sum}",
     "{cite:IS99}", "{cite:IS15.page}", "[[no-such-word]]", "{run:there:kilo}"],
)  # fmt: skip
def test_what_is_unknown_is_refused(text):
    with pytest.raises(UnknownPlaceholder):
        Filling(run={"there": 1}).sentence(text)


def test_before_a_run_there_is_nothing_to_name():
    with pytest.raises(UnknownPlaceholder):
        Filling().sentence("{run:there}")


def test_what_comes_from_outside_is_escaped():
    assert Filling({"name": "<b>"}).sentence("{setting:name}") == "&lt;b&gt;"


def test_a_word_of_the_glossary_carries_its_line():
    html = term("saturation", "saturated")
    assert 'data-term="saturation"' in html
    assert texts("glossary")["saturation"]["line"] in html
    assert ">saturated<" in html


def test_a_source_is_a_link_with_its_place_or_one_of_its_numbers():
    assert citation("IS15.algorithm1") == (
        "[Ioffe & Szegedy 2015, Algorithm 1](https://arxiv.org/abs/1502.03167)"
    )
    assert citation("IS15.steps") == "50,000"


def test_a_claim_gives_its_place_and_what_was_measured():
    assert Filling().sentence("{claim:E2.autograd.place}") == "E2.2"
    assert re.fullmatch(r"[\d.]+\u00a0%", Filling().sentence("{claim:E12.no-better:percent1}"))


def test_the_glossary_is_whole():
    for key, entry in texts("glossary").items():
        assert re.fullmatch(r"[a-z-]+", key), "a mark in a text could not name it"
        assert entry["word"]
        assert entry["line"].endswith(".")
        assert not re.search(r"\d", entry["line"]), entry["line"]
