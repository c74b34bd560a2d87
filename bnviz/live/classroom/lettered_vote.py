"""The lettered vote: two to four answers, A to D, of which each phone chooses one.

An answer is an index from 0, a tally is the count of each answer, and what came true is a list of
indices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, ValidationInfo

from bnviz.live.classroom.class_text import ClassText, phrases_of, translated
from bnviz.live.classroom.messages import (
    ClassroomMessage,
    allowed,
    check_length,
    checked_phrases,
    number_of_form,
    one_line,
)
from bnviz.live.classroom.votes import VoteKind
from bnviz.live.contract import (
    FEWEST_ANSWERS,
    LETTERS,
    LONGEST_ANSWER,
    MOST_ANSWERS,
    MOST_HANDS,
)
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.words.phrase import Phrase, integer_between, phrase


def _check_index(index: int, info: ValidationInfo[int]) -> int:
    """The index of one of the answers, whose number is the context."""
    if not 0 <= index < info.context:
        raise ValueError
    return index


def _check_count(counts: Any, info: ValidationInfo[int]) -> Any:
    return check_length(counts, info.context, info.context)


def _check_indices(indices: Any, info: ValidationInfo[int]) -> Any:
    return check_length(indices, 0, info.context)


_Index = Annotated[
    int, AfterValidator(_check_index), allowed(lambda answers: integer_between(0, answers - 1))
]


class LetteredAnswersMessage(ClassroomMessage):
    """The answers to choose from.

    Attributes:
        answers: plain.
        answer_phrases: the phrase that each was made of; empty of what a teacher typed.
    """

    answers: Annotated[
        list[
            Annotated[
                str,
                AfterValidator(partial(one_line, most=LONGEST_ANSWER)),
                allowed(phrase("errors.plain_text", most=LONGEST_ANSWER)),
            ]
        ],
        BeforeValidator(partial(check_length, low=FEWEST_ANSWERS, high=MOST_ANSWERS)),
        allowed(phrase("errors.list_length", low=FEWEST_ANSWERS, high=MOST_ANSWERS)),
    ]
    answer_phrases: Annotated[
        tuple[Phrase, ...],
        PlainValidator(partial(checked_phrases, low=FEWEST_ANSWERS, high=MOST_ANSWERS)),
        allowed(phrase("errors.list_length", low=FEWEST_ANSWERS, high=MOST_ANSWERS)),
    ] = ()


class ChosenAnswer(ClassroomMessage):
    """A phone's answer. To be read with the number of answers as the context."""

    answer: Annotated[_Index, BeforeValidator(number_of_form)]


class HandsCounted(ClassroomMessage):
    """The hands for each answer. To be read with the number of answers as the context."""

    counts: Annotated[
        list[Annotated[int, Field(ge=0, le=MOST_HANDS), allowed(integer_between(0, MOST_HANDS))]],
        BeforeValidator(_check_count),
        allowed(lambda answers: phrase("errors.list_length", low=answers, high=answers)),
    ]


class AnswersThatCameTrue(ClassroomMessage):
    """Which answers came true. To be read with the number of answers as the context."""

    answers: (
        Annotated[
            list[_Index],
            BeforeValidator(_check_indices),
            allowed(lambda answers: phrase("errors.list_length", low=0, high=answers)),
        ]
        | None
    ) = None


@dataclass(frozen=True)
class LetteredVote(VoteKind):
    """The answers of one question.

    Attributes:
        answers: two to four plain texts, which carry their phrases if they have any.
    """

    name: ClassVar[str] = "lettered"
    answers: tuple[str, ...]

    # From teachers' pages and phones.

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> Self:
        """The answers to choose from."""
        found = LetteredAnswersMessage.read(body)
        answers, phrases = found.answers, found.answer_phrases
        if phrases and len(phrases) != len(answers):
            count = len(answers)
            allowed_count = phrase("errors.list_length", low=count, high=count)
            raise BadMessage("answer_phrases", body["answer_phrases"], allowed_count)
        return cls(tuple(map(ClassText, answers, phrases) if phrases else answers))

    def read_answer(self, body: Mapping[str, Any]) -> int:
        """The index of the chosen answer."""
        return ChosenAnswer.read(body, len(self.answers)).answer

    def read_hands(self, body: Mapping[str, Any]) -> list[int]:
        """How many hands were raised for each answer."""
        return HandsCounted.read(body, len(self.answers)).counts

    def read_came_true(self, body: Mapping[str, Any]) -> list[int] | None:
        """The indices of the answers that came true, ascending, each once."""
        found = AnswersThatCameTrue.read(body, len(self.answers)).answers
        return None if found is None else sorted(set(found))

    # The tally.

    def count(self, answers: Iterable[int]) -> list[int]:
        """How many gave each answer."""
        counts = Counter(answers)
        return [counts[index] for index in range(len(self.answers))]

    def total(self, tally: list[int]) -> int:
        """The sum of the counts."""
        return sum(tally)

    def state(self) -> dict[str, Any]:
        """The answers, for JSON."""
        state: dict[str, Any] = {"answers": list(self.answers)}
        if phrases := [each.plain() for answer in self.answers for each in phrases_of(answer)]:
            state["answer_phrases"] = phrases
        return state

    # On phones.

    def answer_name(self, answer: int) -> str:
        """Its letter."""
        return LETTERS[answer]

    def form_html(self, own: int | None, words: Mapping[str, Any]) -> str:
        """A button for each answer."""
        buttons = "".join(
            f'<li><button name="answer" value="{index}" data-called="{LETTERS[index]}"'
            f' aria-pressed="{str(index == own).lower()}">{_lettered(index, answer)}</button></li>'
            for index, answer in enumerate(self.answers)
        )
        return f"<ol>{buttons}</ol>"

    def closed_html(self, own: int | None) -> str:
        """The answers, with the phone's own marked."""
        rows = "".join(
            f'<li class="given{" mine" if index == own else ""}">{_lettered(index, answer)}</li>'
            for index, answer in enumerate(self.answers)
        )
        return f"<ol>{rows}</ol>"

    def tally_html(
        self,
        tally: list[int],
        first: list[int] | None,
        came_true: list[int] | None,
        own: int | None,
        words: Mapping[str, Any],
    ) -> str:
        """For each answer its count, a bar for each round, and marks: came true, own answer."""
        rows = []
        for index, answer in enumerate(self.answers):
            true = index in (came_true or ())
            marks = [f"<strong>{escape(words['happened'])}</strong>"] if true else []
            marks += [escape(words["mine"])] if index == own else []
            bars = _bar(tally, index)
            if first is not None:
                marks.append(escape(words["first"].format(count=first[index])))
                bars += _bar(first, index, " past")
            kind = " ".join((*(["happened"] if true else []), *(["mine"] if index == own else [])))
            rows.append(
                f'<li class="{kind}"><div class="row">{_lettered(index, answer)}'
                f"<b>{tally[index]}</b></div>{bars}"
                + (f'<p class="marks">{" · ".join(marks)}</p>' if marks else "")
                + "</li>"
            )
        return f'<ol class="tally">{"".join(rows)}</ol>'


def _lettered(index: int, answer: str) -> str:
    own = escape(translated(answer))
    return f'<span class="letter">{LETTERS[index]}</span><span dir="auto">{own}</span>'


def _bar(counts: list[int], index: int, kind: str = "") -> str:
    """A bar as long as this answer's share of all."""
    share = 100 * counts[index] / (sum(counts) or 1)
    rect = f'<rect width="{share:.1f}%" height="100%"/>'
    return f'<svg class="bar{kind}" aria-hidden="true">{rect}</svg>'
