"""Questions for a class from presets, talks and lessons: phones show the same text as pages."""

from __future__ import annotations

from collections.abc import Iterator

from bnviz.lessons import LESSONS
from bnviz.live.classroom.class_text import ClassText, read_class_phrase, translated
from bnviz.presets import PRESETS
from bnviz.talks.talk import TALKS, words_of
from bnviz.ui.lessons.prediction import question_keys
from bnviz.ui.lessons.words import lesson_words
from bnviz.words.phrase import Phrase, phrase
from bnviz.words.texts import in_language, languages, texts
from tests.every_case import every_case


def of_presets_and_talks() -> Iterator[tuple[str, Phrase]]:
    """Yield each question of presets and talks in the current language, with its phrase."""
    for name, preset in PRESETS.items():
        if preset.question is not None:
            yield texts("presets")[name]["ask"], phrase(f"presets.{name}.ask")
    for name, talk in TALKS.items():
        words = words_of(name, talk)
        for station, said in zip(talk.stations, words.stations, strict=True):
            assert not station.answers
            if said.ask:
                yield said.ask, phrase(f"talks.talk.{name}.station.{station.name}.ask")


def of_lessons() -> Iterator[tuple[str, Phrase]]:
    """Yield the questions, answers, outcomes and network names of lessons, with their phrases."""
    for name, entry in LESSONS.items():
        if entry.lesson is None:
            continue
        words, lesson = lesson_words(name, entry.lesson), entry.lesson
        if lesson.answers:
            key, keys = question_keys(lesson, words)
            asked = words.asked(key, keys)
            text, answers = asked["text"], asked["answers"]
            yield from zip((text, *answers), map(words.phrase, (key, *keys)), strict=True)
            for answer in lesson.answers:
                said = words.own["says"][answer]
                yield words.plain(said, {}), words.phrase(f"says.{answer}", {})
        if lesson.accounts:
            yield words.own["own_verdict"]["class"], words.phrase("own_verdict.class")
        for broken in (None, *words.own.get("break", {})):
            names, keys_of = (read(broken, "networks")
                              for read in (words.network_names, words.network_keys))  # fmt: skip
            for norm, shown in names.items():
                yield shown[:1].upper() + shown[1:], phrase(keys_of[norm])


@every_case("code", languages())
@every_case("of", [of_presets_and_talks, of_lessons])
def test_a_phone_shows_what_a_page_in_its_language_does(of, code):
    with in_language("en"):
        sent = [read_class_phrase("text_phrase", words.plain()) for _, words in of()]
    with in_language(code):
        shown = [text for text, _ in of()]
        # A page puts its text on one line, with ordinary spaces only.
        assert [" ".join(translated(ClassText("", each)).split()) for each in sent] == shown
    assert len(sent) > 10
