"""Sentences about a run's verdict on a lesson's claim, with hand-made verdicts and runs."""

import re

import pytest

from bnviz.charts.theme import LIGHT, theme
from bnviz.lessons import LESSONS, slow_start
from bnviz.lessons.lesson import End, KnobChange, Verdict
from bnviz.ui.lab_query import LabQuery
from bnviz.ui.lessons.network_names import mark_networks
from bnviz.ui.lessons.open_lesson import OpenLesson
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.lessons.run import LessonRun
from bnviz.ui.lessons.verdict import end_sentences, verdict_html
from bnviz.ui.lessons.words import lesson_words
from bnviz.ui.tab_run import TabRun
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.lessons.made_by_hand import made
from tests.lessons.observing import observed

FRAME = texts("lessons")["verdict"]
NUMBERS = {
    "plain_before": 0.95, "plain_few": 0.35, "plain_between": 0.94, "plain": 0.12,
    "batch_few": 0.8, "batch_between": 0.97, "batch_lowest": 0.32, "batch_lowest_at": 205,
    "batch": 0.96, "plain_flat": None, "batch_flat": None,
}  # fmt: skip

BIAS = {
    "loss_still": True, "loss_moved": False, "bias_half": 25.0, "bias_end": 50.0, "plain": 0.9,
    "batch": 0.95, "ablated": 0.6, "loss_factor": 65.0,
}  # fmt: skip
WAITED = slow_start.judge(made("slow-start", {}))[1]


def opened(**asked):
    query = LessonQuery(name=asked.pop("name", "break-it"), **asked)
    lesson = LESSONS[query.name].resolve()
    config, plan = query.setting(lesson)
    run = LessonRun(TabRun("", LabQuery(config), config), config, plan)
    return OpenLesson(query, lesson, lesson_words(query.name, lesson), run)


def plain(html):
    return re.sub(r"[ \n]+", " ", re.sub(r"<[^>]*>", " ", html)).strip()


def says(verdict, **asked):
    return plain(verdict_html(opened(**asked), verdict))


@pytest.mark.parametrize(
    ("outcome", "first"),
    [("held", "The one step at the high"), ("did_not_hold", "35\u00a0% right after it")],
)
def test_a_verdict_has_its_own_sentences_its_claim_and_its_outcome(outcome, first):
    told = says(Verdict(outcome=outcome, numbers=NUMBERS, answer="stays"))
    claim = texts("lessons/break-it")["verdict"]["claim"]
    other = {"held": "did_not_hold", "did_not_hold": "held"}[outcome]
    assert first in told
    assert f"The claim: {claim} {FRAME[outcome]}" in told
    assert FRAME[other] not in told
    assert "in the flat zone" not in told, "it has no number"


@every_case(
    ("guess", "answer", "said"),
    [
        ("stays", "stays",
         "You guessed: “It never recovers: one large step breaks it.” This run shows the same."),
        ("learns_again", "stays",
         "You guessed: “It recovers both times: the rate is low again.” "
         "This run shows: “ It never recovered, not even after one step. ”"),
        ("stays", None,
         "You guessed: “It never recovers: one large step breaks it.” "
         "None of the three answers fits this run."),
        (None, "proportional",
         "This run shows: “ It recovered from one step, but not from ten. ”"),
    ],
)  # fmt: skip
def test_a_guess_stands_beside_what_the_run_says(guess, answer, said):
    verdict = Verdict(outcome="held", numbers=NUMBERS, answer=answer)
    found = verdict_html(opened(guess=guess), verdict)
    told = plain(found.replace("“", "“ ").replace("”", " ”")).replace("“ ", "“").replace(" ”", "”")
    assert plain(said).replace("“ ", "“").replace(" ”", "”") in told
    idea = texts("lessons/break-it")["ideas"]
    thought = [key for key, each in idea.items() if each in told]
    assert thought == ([guess] if guess else [])


def test_what_was_drawn_is_told_in_the_words_of_drawings(monkeypatch):
    """The drawing is about b only. The run itself shows the loss."""
    monkeypatch.setattr(LessonRun, "observed", property(lambda _: made("through-the-batch", {})))
    verdict = Verdict(outcome="did_not_hold", numbers=BIAS, answer="grows")
    words = texts("lessons/through-the-batch")
    for points, key in (("10,20,30,40,50", "grows"), ("40,50,50,50,50", "settles")):
        told = says(verdict, name="through-the-batch", guess=f"draw:{points}")
        assert f"Your drawing said: “{words['drawing']['answers'][key]}”" in told
        assert words["answers"][key] not in told
    assert "On average, your curve is" in told


def test_a_claim_names_its_step():
    told = says(Verdict(outcome="held", numbers=WAITED, answer="alike"), name="slow-start")
    assert "The claim: At step 25, hardly any value of the network without BN" in told


def test_without_a_guess_and_without_an_answer_nothing_more_is_said():
    told = says(Verdict(outcome="held", numbers=NUMBERS))
    before, after = told.split(FRAME["held"])
    lead, claim = before.split(FRAME["claim"].split("{")[0])
    assert lead.endswith("96\u00a0% at the end. "), "nothing else precedes the claim"
    assert claim.strip() == texts("lessons/break-it")["verdict"]["claim"]
    assert after.strip()


def test_a_sentence_a_network_leads():
    found = verdict_html(opened(), Verdict(outcome="held", numbers=NUMBERS))
    lead = re.match(r"<div class='lesson-lead'>(.*?)</div>", found)[1]
    told = re.findall(r"<p style='color: (#\w{6})'>(.*?)</p>", lead)
    assert [plain(text).replace("\u00a0", " ") for _, text in told] == [
        f"{who}, test accuracy was {first} % before the ten steps at the high rate"
        f" and {last} % at the end."
        for who, first, last in (("Without BN", 94, 12), ("With BN", 97, 96))
    ]
    networks = LIGHT.networks(["none", "batch"])
    assert [colour for colour, _ in told] == [networks[n].text for n in ("none", "batch")]


@pytest.mark.parametrize(("name", "shown"), [("break-it", False), ("moving-targets", True)])
def test_what_was_measured_is_unfolded_where_a_widget_below_has_other_numbers(name, shown):
    lesson = LESSONS[name].resolve()
    verdict = lesson.verdict(observed(name, 0))
    found = verdict_html(opened(name=name), verdict)
    assert ("<details class='lesson-rest' open>" in found) == shown


ENDS = {"none": End(accuracy=None, stopped=17), "batch": End(accuracy=0.41, stopped=None)}


@every_case(
    ("knob", "needed", "found", "said"),
    [
        ("width", 100, 64, "where “Units per layer” is 100. You set it to 64"),
        ("learning_rate", 0.1, 0.00025, "is 0.1. You set it to 2.5e-4"),
        ("norm_affine", True, False, "is on. You set it to off"),
        ("norm_affine", False, True, "You set it to on"),
        ("activation", "sigmoid", "relu", "You set it to ReLU"),
    ],
)
def test_a_condition_that_is_missing_is_named_with_what_it_needs_and_what_it_was(
    knob, needed, found, said
):
    missing = KnobChange(knob=knob, needed=needed, found=found)
    told = says(Verdict(outcome="not_in_this_run", missing=missing, ends=ENDS))
    assert told.startswith(FRAME["not_in_this_run"])
    assert said in told
    assert "The network without BN stopped at step 17, because" in told
    assert told.endswith("the test accuracy of the network with BN was 41\u00a0%.")
    assert "claim:" not in told


def test_a_run_that_ended_early_says_when():
    told = says(Verdict(outcome="not_in_this_run", ended_at=41, ends=ENDS))
    assert f"{FRAME['not_in_this_run']} The run ended at step 41" in told
    assert "stopped at step 17" in told
    assert "41\u00a0%" in told


def test_networks_are_called_what_the_break_calls_them():
    ends = {"ablated": End(accuracy=0.5, stopped=None)}
    (told,) = end_sentences(opened(broken="mean-only"), ends)
    assert "with BN that does not divide by the standard deviation was 50\u00a0%" in told
    (told,) = end_sentences(opened(name="through-the-batch"), ends)
    assert "the network with paths left out was 50\u00a0%" in told


def test_a_network_named_in_a_sentence_has_its_colour_and_its_line():
    styles = theme(False).networks(("none", "batch"))
    told = mark_networks("<li>Without BN 10 %, with BN 95 %.</li>", ("none", "batch"), {})
    for name, norm, drawn in (("Without BN", "none", "dashed"), ("with BN", "batch", "solid")):
        assert (
            f'style="--network: {styles[norm].text}; --network-line: {styles[norm].line}; '
            f'--network-drawn: {drawn}">{name}</span>' in told
        )


def test_nothing_within_a_tag_and_no_network_that_does_not_run_is_marked():
    text = '<a title="with BN">here</a> with paths left out'
    assert mark_networks(text, ("none", "batch"), {}) == text


def test_a_name_in_which_another_networks_stands_has_its_own_networks_colour():
    norms = ("none", "batch", "ablated")
    styles = theme(False).networks(norms)
    text = "<li>With BN 95 %.</li><li>The network with BN of the mean only is at 40 %.</li>"
    told = mark_networks(text, norms, {"ablated": "with BN of the mean only"})
    assert told.count("<span") == 2
    for name, norm in (("With BN", "batch"), ("with BN of the mean only", "ablated")):
        assert f"--network: {styles[norm].text}; " in told.partition(f">{name}</span>")[0][-120:]
