"""Check that a language with other plural rules, such as Russian, needs only a folder with some
sentences, and no code.
"""

import shutil
from pathlib import Path

import pytest

import bnviz.words.texts
from bnviz.live.classroom.phone_pages import code_page
from bnviz.words.joining import plural
from bnviz.words.language_choice import language_for, visitor_language
from bnviz.words.texts import FOLDER, in_language, languages, texts
from tests.every_case import every_case

STUB = Path(__file__).with_name("russian")


@pytest.fixture(autouse=True)
def russian(tmp_path, monkeypatch):
    for code in languages():
        (tmp_path / code).symlink_to(FOLDER / code)
    shutil.copytree(STUB, tmp_path / "ru")
    monkeypatch.setattr(bnviz.words.texts, "FOLDER", tmp_path)


@every_case(
    ("file", "table", "key", "written"),
    [
        ("ballot", "revealed", "total",
         {1: "{} ответ", 3: "{} ответа", 5: "{} ответов", 21: "{} ответ", 111: "{} ответов"}),
        ("lessons", "place", "minutes", {1: "{} минута", 2: "{} минуты", 12: "{} минут"}),
        ("story", "headline", "at_chance",
         {1: "BN: пока наугад, {} шаг.", 4: "BN: пока наугад, {} шага.",
          200: "BN: пока наугад, {} шагов."}),
    ],
)  # fmt: skip
def test_a_number_has_three_forms(file, table, key, written):
    words = texts(file, "ru")[table]
    for number, sentence in written.items():
        values = {"count": number, "minutes": number, "steps": number, "label": "BN"}
        filled = plural(words, key, number, "ru").format(**values)
        assert filled == sentence.format(number)


def test_it_is_a_language_of_the_app_and_the_rest_is_english():
    assert languages()["ru"] == "Русский"
    assert language_for("ru-RU") == "ru"
    assert visitor_language(None, None, "ru-RU,ru;q=0.9,en;q=0.8") == "ru"
    assert texts("knobs", "ru")["learning_rate"]["label"] == "Скорость обучения"
    assert texts("knobs", "ru")["optimizer"] == texts("knobs", "en")["optimizer"]


def test_a_phone_reads_it():
    with in_language("ru"):
        page = code_page("").decode()
    assert '<html lang="ru">' in page
    assert "<h1>Код группы</h1>" in page
    assert "<button>Дальше</button>" in page
    assert texts("ballot", "en")["code"]["label"] in page
