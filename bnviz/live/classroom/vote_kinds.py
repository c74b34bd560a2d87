"""The kinds of vote, and the reading of a message that asks a question or votes on one.

A new kind is one file like `bnviz.live.classroom.lettered_vote` and a line here. The teacher's page
has a file for each kind as well (`assets/classroom/vote_kinds.js`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bnviz.live.classroom.class_text import ClassText
from bnviz.live.classroom.lettered_vote import LetteredVote
from bnviz.live.classroom.messages import (
    OutcomeSentence,
    QuestionText,
    VotedQuestion,
    VoteOrder,
)
from bnviz.live.classroom.votes import RunOutcome, Vote, VoteKind
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.words.phrase import one_of

# By the name that a teacher's page sends as `vote`; without one, a question has a lettered vote.
VOTE_KINDS: dict[str, type[VoteKind]] = {LetteredVote.name: LetteredVote}


def read_question(body: Mapping[str, Any]) -> tuple[str, VoteKind]:
    """The text of a question, with its phrases, and what it lets the class vote on.

    Raises:
        BadMessage: names what is wrong.
    """
    asked, kind = QuestionText.read(body), body.get("vote", LetteredVote.name)
    if not isinstance(kind, str) or kind not in VOTE_KINDS:
        raise BadMessage("vote", kind, one_of(VOTE_KINDS))
    phrases = [] if asked.text_phrase is None else [asked.text_phrase]
    return ClassText(asked.text, *phrases), VOTE_KINDS[kind].read(body)


def read_vote(body: Mapping[str, Any], kind: VoteKind) -> tuple[int, int, Vote]:
    """The number of the question that is answered, its round, and the vote.

    Args:
        body: of a phone's message.
        kind: what the present question lets vote on.

    Raises:
        BadMessage: names what is wrong.
    """
    asked, answer = VotedQuestion.read(body), kind.read_answer(body)
    if "page" not in body and "n" not in body:  # a form without the page's script
        return asked.question, asked.round, Vote(answer)
    order = VoteOrder.read(body)
    return asked.question, asked.round, Vote(answer, order.page, order.n)


def read_outcome(body: Mapping[str, Any], kind: VoteKind) -> RunOutcome:
    """What came of the present question, which lets vote on `kind`.

    Raises:
        BadMessage: names what is wrong.
    """
    told = OutcomeSentence.read(body)
    sentence = ClassText(told.sentence, *told.sentence_phrases)
    return RunOutcome(kind.read_came_true(body), sentence)
