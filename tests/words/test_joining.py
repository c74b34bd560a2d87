"""Each language's files define how its words are joined and its plurals formed, so a new language
needs no code.
"""

import json
import re
from pathlib import Path

import pytest

import bnviz.words.texts
from bnviz.words.joining import in_list, labelled, percent, plural, sentences
from bnviz.words.texts import in_language, texts

JOINING = Path(__file__).parents[2] / "assets" / "live" / "lib" / "joining.js"
RUSSIAN = """
steps = "{count} шага"
steps_one = "{count} шаг"
steps_few = "{count} шага"
steps_many = "{count} шагов"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Set up the joining rules and plural forms of English, and stubs of Russian, Chinese and
    German. Return the name of the files with the texts.
    """
    own = texts("language", "en")["join"]
    for code, join, plural_of, words in (
        ("en", dict(own), "en", 'steps = "{count} steps"\nsteps_one = "1 step"'),
        ("ru", {}, "ru", RUSSIAN),
        ("zh-Hans", {"sentences": "", "list": "、", "labelled": "{label}：{content}",
                     "percent": "{number}%"}, "ja", 'steps = "{count} 步"'),
        ("de", {}, "en", 'steps = "{count} Schritte"'),
    ):  # fmt: skip
        (tmp_path / code).mkdir()
        table = "".join(f"{name} = {json.dumps(value)}\n" for name, value in join.items())
        written = f'name = "{code}"\nplural = "{plural_of}"\n[join]\n{table}'
        (tmp_path / code / "language.toml").write_text(written, "utf-8")
        (tmp_path / code / f"{tmp_path.name}.toml").write_text(words, "utf-8")
    monkeypatch.setattr(bnviz.words.texts, "FOLDER", tmp_path)
    return tmp_path.name


@pytest.mark.usefixtures("folder")
def test_english_is_joined_as_ever_and_chinese_without_spaces():
    for code, joined in (("en", ["a. b.", "1, 2", "a: b", "93\u00a0%"]),
                         ("zh-Hans", ["a.b.", "1、2", "a：b", "93%"])):  # fmt: skip
        with in_language(code):
            found = [sentences(["a.", "b."]), in_list(["1", "2"])]
            found += [labelled("a", "b"), percent("93")]
        assert found == joined


@pytest.mark.parametrize(
    ("code", "ending", "counts"),
    [
        ("ru", "шаг", [1, 21, 101]), ("ru", "шага", [2, 4, 23, 1.5]),
        ("ru", "шагов", [0, 5, 11, 12, 14, 20, 111]),
        ("zh-Hans", "步", [0, 1, 2]), ("en", "step", [1]), ("en", "steps", [0, 2]),
        # A language without its own singular form does not use the English singular form.
        ("de", "Schritte", [1, 2]),
    ],
)  # fmt: skip
def test_a_number_takes_the_form_of_its_language(folder, code, ending, counts):
    for count in counts:
        assert plural(texts(folder, code), "steps", count, code).split()[1] == ending, count


def test_a_page_in_english_need_not_be_told_how_english_joins():
    constants = re.search(r"ENGLISH = \{(.*?)\};", JOINING.read_text("utf-8"), re.DOTALL)[1]
    written = json.loads("{" + re.sub(r"(\w+): (?=\")", r'"\1": ', constants).rstrip(" ,\n") + "}")
    own = texts("language", "en")
    assert written == {**own["join"], "plural": own["plural"]}
