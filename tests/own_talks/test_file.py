"""Talk files: reading them into the stops of a talk, and errors for invalid files."""

import re
import time
from pathlib import Path
from textwrap import dedent

import pytest

from bnviz.own_talks.file import (
    LONGEST_NOTES,
    LONGEST_TITLE,
    MOST_BYTES,
    MOST_PROBLEMS,
    MOST_STATIONS,
    TalkFileError,
    read_talk,
)
from bnviz.own_talks.writing import write_talk
from bnviz.talks.talk import TALKS, words_of
from tests.every_case import every_case

ROOT = Path(__file__).parents[2]


def example() -> str:
    """Return the example talk in CONTRIBUTING.md."""
    document = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (block,) = re.findall(
        r"\n\n((?:    [^\n]*\n|\n)*    \[\[station\]\]\n(?:    [^\n]*\n|\n)*)", document
    )
    return dedent(block)


def problems(text: str) -> list[str]:
    with pytest.raises(TalkFileError) as refused:
        read_talk(text)
    found = [problem.text("en") for problem in refused.value.problems]
    assert str(refused.value) == "\n".join(found)
    assert all(len(problem) < 2_000 for problem in found)
    return found


PARTS = (
    "preset", "knobs", "change", "paused", "does", "ask", "network", "steps", "needs", "after",
    "chart", "answers",
)  # fmt: skip


@pytest.mark.parametrize("name", TALKS)
def test_a_talk_of_the_app_written_as_a_file_is_the_same_talk(name):
    there, own = TALKS[name], read_talk(write_talk(name, TALKS[name], "en"))
    for mine, theirs in zip(own.stations, there.stations, strict=True):
        for part in PARTS:
            assert getattr(mine, part) == getattr(theirs, part), (mine.name, part)
    assert own.last == there.last
    assert own.words == words_of(name, there, "en")


def test_a_talk_from_a_file_is_written_as_it_was_read():
    own = read_talk(example())
    assert read_talk(write_talk("own", own)) == own
    notes = r'notes = "a \"b\" \\\nc"'
    setting = "setting = { learning_rates = [0.1, 1.0], norm_affine = false }"
    own = read_talk(f"{TOP}{notes}\n{setting}")
    assert own.words.stations[0].notes == 'a "b" \\\nc'
    assert read_talk(write_talk("own", own)) == own


def test_the_example_of_contributing_is_a_talk_of_three_stations():
    talk = read_talk(example())
    assert [(each.after, each.change) for each in talk.stations] == [
        (0, None), (300, {"batch_size": 60}), (400, {}),
    ]  # fmt: skip
    assert talk.stations[0].config().norms == ("none", "batch", "layer")
    assert talk.stations[2].answers == ("images for a mean", "steps", "a lower rate")
    assert talk.words.stations[2].notes.startswith("Let two of them")
    assert talk.last == {1: 460}


ONE = '[[station]]\ntitle = "One"\n'
TOP = f'title = "T"\n{ONE}'


def asks(more: str) -> str:
    """Return the text of a talk with one stop, which has a question with the fields `more`."""
    return f'{TOP}question = {{ text = "Q", {more} }}'


@every_case(
    ("text", "said"),
    [
        ("", ["Line 1: `title` is missing", "Line 1: `station` is missing"]),
        ("title", ["Line 1: this is not TOML"]),
        (f"title = 3\n{ONE}", ["Line 1: `title` must be one line of plain text"]),
        (f'title = "T"\ncolour = "red"\n{ONE}', ["Line 2: `colour` is not a field here"]),
        ('title = "T"\nstation = 3', ["Line 2: `station` must be 1 to 40 tables", "got 3."]),
        ('title = "T"\nstation = []', ["Line 2: `station` must be", "a list of 0"]),
        (f'{TOP}says = "x"', ["Line 4, station 1: `says` is not a field here", "say, notes"]),
        (f"{TOP}say = 1979-05-27", ["Line 4, station 1: `say` must be one line of plain text"]),
        (f"{TOP}paused = 1", ["Line 4, station 1: `paused` must be true or false, got 1."]),
        (f"{TOP}after = 1_001", ["`after` must be a whole number between 0 and 1000, got 1001."]),
        (f"{TOP}after = 2.0", ["`after` must be a whole number", "got 2.0."]),
        (f'{TOP}chart = "moon"', ["Line 4, station 1: `chart` must be one of loss, accuracy"]),
        (f'{TOP}chart = "hills"', ["`chart` must be one of"]),
        # the chart `boundary` is not available for the digits
        (f'{TOP}chart = "boundary"', ["`chart` must be one of"]),
        (f'{TOP}preset = "moon"', ["Line 4, station 1: `preset` must be one of raise-the-rate"]),
        (f"{TOP}setting = {{ depth = 99 }}", ["Line 4, station 1: `depth` must be", "got 99."]),
        (f"{TOP}[station.setting]\n\ndepth = 3\nwidht = 9",
         ["Line 7, station 1: `widht` is not a field here"]),
        (f"{TOP}setting = {{ depth = {{ a = 1 }} }}", ["`setting.depth` must be", "a table"]),
        (f"{TOP}setting = {{ depth = 1{'0' * 40} }}", ["`setting.depth`", "many digits"]),
        (f"{TOP}setting = {{ seed = nan }}", ["`seed` must be"]),
        (f"{TOP}setting = {{ self = 1, __class__ = 2 }}",
         ["`self` is not a field", "`__class__` is not a field"]),
        (f"{TOP}setting = {{ depth = 50, width = 512, batch_size = 1024 }}",
         ["at most 0.25 s of work", "Line 4"]),
        (f"{TOP}change = {{ learning_rate = 1.0 }}", ["`change` must be left out if the station"]),
        (f"{TOP}{ONE}change = {{ depth = 3 }}", ["Line 6, station 2: `depth` is not a field"]),
        (f"{TOP}{ONE}change = {{ learning_rate = -1 }}", ["Line 6, station 2: `learning_rate`"]),
        (f"{TOP}{ONE}paused = true", ["Line 6, station 2: `paused` must be false"]),
        (f"{TOP}{ONE}until = 9", ["Line 6, station 2: `until` must be left out here"]),
        (f"{TOP}{ONE}change = {{ learning_rate = 1.0 }}\nafter = 50\n{ONE}after = 40",
         ["Line 10, station 3: `after` must be a whole number between 50 and 1000, got 40."]),
        (f'{TOP}[station.question]\nkind = "ahead"',
         ["Line 4, station 1: `question.text` is missing"]),
        (asks('kind = "moon"'), ["`question.kind` must be one of breaks"]),
        (asks('answers = ["a", ""]'),
         ["`question.answers[2]` must be one line of plain text", "1 to 48"]),
        (f"{TOP}after = true", ["`after` must be a whole number", "got true."]),
        (f"{TOP}after = 1\nafter = 2", ["Line 5: this is not TOML", "for the second time"]),
        (f'{TOP}say = "One', ["Line 4: this is not TOML", "does not end on it"]),
        (asks('answers = ["a"]'), ["`question.answers` must be a list of 2 to 4"]),
        (asks(f'answers = ["a", "{"b" * 49}"]'), ["`question.answers[2]` must be"]),
        (asks('answers = ["a", "b"], kind = "ahead"'), ["`question.answers` must be left out"]),
        (asks("steps = 5"), ["`question.steps` must be left out if the question has no `kind`"]),
        (asks('kind = "ahead"') + "\npaused = true",
         ["Line 4, station 1: `question.steps` is missing"]),
        (asks('kind = "accuracy"'),
         ["`question.network` is missing: it must be one of none, batch"]),
        (asks('kind = "layer", network = "zca"'),
         ["`question.network` must be one of none, batch"]),
        (asks('kind = "ahead"') + '\nsetting = { norms = ["batch"] }',
         ["`question.kind` must be one of breaks, accuracy, layer"]),
        (asks('kind = "breaks", needs = { depth = 3 }'), ["`depth` is not a field here"]),
        (asks('kind = "breaks", needs = { momentum = 7 }'), ["`momentum` must be"]),
        # Texts must be plain.
        (f'{TOP}say = "<b>bold</b>"', ["Line 4, station 1: `say` must be one line of plain text"]),
        (f'{TOP}notes = "a <script>"', ["`notes` must be plain text"]),
        (f'title = "a\\u0007b"\n{ONE}', ["Line 1: `title` must be one line of plain text"]),
        # Characters that change the text direction are rejected, as in answers.
        (f'title = "a\u202etxt"\n{ONE}',
         ["Line 1: `title` must be one line of plain text", "control characters", "'a\\u202etxt'"]),
        (f'{TOP}say = "a\u2066b"', ["Line 4, station 1: `say` must be", "'a\\u2066b'"]),
        (f'{TOP}notes = "a\u200fb"', ["`notes` must be plain text", "'a\\u200fb'"]),
        (asks('answers = ["a", "b\u061c"]'), ["`question.answers[2]` must be", "'b\\u061c'"]),
        (f'title = "a\\nb"\n{ONE}', ["Line 1: `title`"]),
        (f'title = " "\n{ONE}', ["Line 1: `title`"]),
        (f'title = "{"a" * (LONGEST_TITLE + 1)}"\n{ONE}', ["Line 1: `title`"]),
        (f'{TOP}notes = "{"a" * (LONGEST_NOTES + 1)}"', ["`notes` must be"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line_its_field_and_what_is_allowed(text, said):
    found = "\n".join(problems(text))
    for part in said:
        assert part in found, found


def test_less_than_and_other_letters_are_plain_text_too():
    station = '[[station]]\ntitle = "a<1 & b>2"\nnotes = "p < 0.05\\n\\tso"'
    text = f'title = "loss < 1, Größe, 批量"\n{station}'
    talk = read_talk(f"\ufeff{text}\n".replace("\n", "\r\n"))
    assert talk.words.title == "loss < 1, Größe, 批量"
    assert talk.words.stations[0].notes == "p < 0.05\n\tso"


def test_many_things_are_told_at_once_but_not_any_number():
    many = f'title = "T"\n{ONE * MOST_STATIONS}' + "".join(f"x{n} = 1\n" for n in range(1_000))
    assert len(problems(many)) == MOST_PROBLEMS
    several = f'{TOP}chart = "moon"\n{ONE}change = {{ depth = 3 }}\nafter = 2'
    assert [problem[:7] for problem in problems(several)] == ["Line 4,", "Line 7,"]


HOSTILE = {
    "large": f'{TOP}notes = """{"a" * MOST_BYTES}"""',
    "a thousand stations": 'title = "T"\n' + "[[station]]\ntitle = 1\n" * 1_000,
    "stations beyond the limit": f'title = "T"\n{ONE * (MOST_STATIONS + 1)}',
    "deep lists": f"{TOP}setting = {{ depth = {'[' * 9_000} }}",
    "deep tables": "title = 'T'\n" + "a." * 5_000 + "b = 1",
    "the deepest tables": "title = 'T'\n" + "a." * 15_000 + "b = 1",
    "a deep knob": f"{TOP}[station.setting]\ndepth." + "a." * 4_000 + "b = 1",
    "a deeper knob": f"{TOP}[station.setting]\ndepth." + "a." * 9_000 + "b = 1",
    "many keys": "title = 'T'\n" + "".join(f"k{n} = 0\n" for n in range(3_000)),
    "a long key": f"title = 'T'\n{'k' * 30_000} = 1",
    "many lines": 'title = """' + "\n" * 32_000 + '"""',
    "a huge number": f"{TOP}after = {'9' * 4_000}",
    "a huge hexadecimal number": f"{TOP}after = 0x{'f' * 20_000}",
    "no text": "\x00" * 1_000,
    "half of a letter": f"# \ud800\n{TOP}",
}


# Names of the hostile texts whose check takes seconds. Shorter texts of the same kind are also
# rejected.
LONG = ("the deepest tables", "a deeper knob")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.verify if name in LONG else ()) for name in HOSTILE],
)
def test_hostile_files_are_refused_and_soon(name):
    began = time.process_time()
    assert problems(HOSTILE[name])
    assert time.process_time() - began < 20, "such a file keeps a server busy"
