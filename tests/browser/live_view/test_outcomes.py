"""Outcomes of questions, computed from measured values, and the questions that can be asked about a
run.
"""

import itertools

from bnviz.lessons import LESSONS
from bnviz.lessons.words import TERM
from bnviz.live.contract import LONGEST_ANSWER, LONGEST_TEXT
from bnviz.presets import PRESETS
from bnviz.ui.lessons import prediction
from bnviz.ui.lessons.words import lesson_words
from bnviz.words.texts import texts

PAIR = {"kind": "breaks", "steps": 200, "networks": ["none", "batch", None, None],
        "network": None, "both": 2, "neither": 3, "same": None, "depth": None}  # fmt: skip

QUESTIONS, SUBJECT = "../classroom/run_questions", "../classroom/questioned_run"
VOTE = "../classroom/question"


def came(module, question, run, *, asked=150, broken=None):
    """Return the result of `runOutcome` for a run.

    Args:
        run: {step, breaks: {norm: (step, layer)}, states, accuracy}.
    """
    breaks = {
        norm: {"step": s, "layer": layer} for norm, (s, layer) in run.get("breaks", {}).items()
    }
    norms = [norm for norm in {*question["networks"], question["network"]} if norm]
    states = {norm: "blown_up" if norm in breaks else "learning" for norm in norms}
    given = {"ended": False, "accuracy": {}, **run, "chance": 0.1, "breaks": breaks,
             "states": {**states, **run.get("states", {})}}  # fmt: skip
    ask = """(() => { const [question, from, run] = a;
      const curves = run.accuracy;
      const parsed = (norm) => ({ steps: (curves[norm] ?? []).map(([s]) => s),
        values: (curves[norm] ?? []).map(([, v]) => v === null ? NaN : v) });
      return m.runOutcome(question, from, { ...run, accuracy: parsed }); })()"""
    return module(QUESTIONS, ask, [question, {"step": asked, "broken": broken or {}}, given])


BREAKS = [
        # One network breaks at once, but the other still has time to break.
        ({"step": 160, "breaks": {"none": (156, "layer 2")}}, None, None),
        ({"step": 350, "breaks": {"none": (156, "layer 2")}}, [0], ["broke"]),
        ({"step": 350, "breaks": {"batch": (200, None)}}, [1], ["broke"]),
        ({"step": 170, "breaks": {"batch": (160, None), "none": (156, None)}}, [2], ["broke"] * 2),
        ({"step": 349}, None, None),
        ({"step": 350}, [3], ["none_broke"]),
        ({"step": 200, "ended": True}, [3], ["none_ended"]),
        # A break after the question's last step does not count.
        ({"step": 900, "breaks": {"batch": (800, None)}}, [3], ["none_broke"]),
        ({"step": 350, "breaks": {"batch": (200, None)}, "states": {"batch": "recovered"}},
         [1], ["broke_recovered"]),
]  # fmt: skip


def test_which_one_breaks_is_read_off_the_breaks_since_the_question(module):
    wrong = []
    for run, answers, keys in BREAKS:
        found = came(module, PAIR, run)
        told = found and (found["answers"], [key for key, _ in found["words"]])
        if told != (answers and (answers, keys)):
            wrong.append(f"{run}: {told}")
    assert not wrong, "\n".join(wrong)


def test_what_had_broken_before_the_question_is_said_and_counts_for_nothing(module):
    run = {"step": 350, "breaks": {"none": (140, None), "batch": (170, None)}}
    found = came(module, PAIR, run, broken={"none": 140})
    assert found["answers"] == [1]
    assert [key for key, _ in found["words"]] == ["broke", "broken_before"]
    # If the question is asked at step 0, every break of the run counts.
    at_once = {"step": 200, "breaks": {"none": (0, "layer 1")}}
    assert came(module, PAIR, at_once, asked=0, broken={"none": 0})["answers"] == [0]


def test_of_three_networks_several_can_come_true_and_of_four_none_of_the_answers(module):
    three = {**PAIR, "networks": ["none", "batch", "layer", None], "both": None, "neither": 3}
    run = {"step": 350, "breaks": {"none": (151, None), "layer": (160, None)}}
    assert came(module, three, run)["answers"] == [0, 2]
    assert came(module, three, {"step": 350})["answers"] == [3]
    four = {**PAIR, "networks": ["none", "batch", "layer", "group"], "both": None, "neither": None}
    assert came(module, four, {"step": 350})["answers"] == []


def test_of_a_run_with_other_networks_nothing_can_be_said(module):
    run = {"step": 350, "states": {"none": "learning"}}
    lacking = {**PAIR, "networks": ["none", "layer", None, None]}
    states = {"none": "learning", "batch": "learning"}
    ask = "m.runOutcome(a[0], { step: 0, broken: {} }, { ...a[1], states: a[2] })"
    asked = module(QUESTIONS, ask, [lacking, {**run, "breaks": {}}, states])
    assert asked == {"answers": None, "words": [["gone", {}]]}


def test_what_breaks_first_is_settled_by_the_first_break(module):
    first = {**PAIR, "kind": "first", "steps": 1000, "networks": ["none", "batch", None],
             "both": None, "neither": 2}  # fmt: skip
    run = {"step": 9, "breaks": {"none": (6, "layer 2")}}
    assert came(module, first, run, asked=0)["answers"] == [0]
    both = {"step": 9, "breaks": {"none": (6, None), "batch": (6, None)}}
    assert came(module, first, both, asked=0)["answers"] == [0, 1]
    assert came(module, first, {"step": 999}, asked=0) is None
    assert came(module, first, {"step": 1000}, asked=0)["answers"] == [2]


def test_which_layer_first_is_a_group_of_layers(module):
    cases = [
        (6, "layer 1", 0), (6, "layer 4", 1), (6, "layer 6", 2), (6, "output", 3), (6, None, 3),
        (2, "layer 1", 0), (2, "layer 2", 1), (2, "output", 2), (12, "layer 11", 1),
    ]  # fmt: skip
    wrong = []
    for depth, layer, answer in cases:
        question = {**PAIR, "kind": "layer", "network": "none", "networks": [None] * 4,
                    "depth": depth}  # fmt: skip
        run = {"step": 160, "breaks": {"none": (156, layer), "batch": (152, "layer 1")}}
        found = [
            came(module, question, {"step": 349}), came(module, question, {"step": 350}),
            came(module, question, run),
            # The question may also be asked after the break, while a reader replays the steps
            # around the break.
            came(module, question, run, asked=160, broken={"none": 156}),
        ]  # fmt: skip
        answers = [one and one["answers"] for one in found]
        if answers != [None, [3 if depth > 2 else 2], [answer], [answer]]:
            wrong.append(f"{depth} layers, {layer}: {answers}")
    assert not wrong, "\n".join(wrong)


def test_the_layer_that_broke_first_is_told_with_its_rule_and_with_one_that_moved_before(module):
    question = {**PAIR, "kind": "layer", "network": "none", "networks": [None] * 4, "depth": 6}
    broke = {"step": 156, "layer": "layer 5", "key": "saturated", "moved": None, "moved_at": None}
    ask = (
        "m.runOutcome(a[0], { step: 150, broken: {} },"
        " { step: 160, breaks: { none: a[1] }, states: { none: 'x' } })"
    )
    told = module(QUESTIONS, ask, [question, broke])["words"]
    assert [key for key, _ in told] == ["layer_first", "rule_saturated"]
    told = module(QUESTIONS, ask, [question, {**broke, "moved": "layer 2", "moved_at": 153}])
    assert told["words"][2] == ["moved_first", {"number": 2, "step": 153}]


def test_what_the_accuracy_does_is_the_mean_of_the_last_steps_against_the_moment_of_asking(module):
    question = {**PAIR, "kind": "accuracy", "steps": 100, "network": "none", "networks": [None] * 4}
    wrong = []
    for before, after, answer in [
        (0.90, 0.95, 0), (0.90, 0.91, 1), (0.90, 0.60, 2), (0.90, 0.12, 3), (0.11, 0.10, 1),
        (0.10, 0.30, 0), (0.90, None, 3), (0.40, 0.40, 1), (None, None, 1),
    ]:  # fmt: skip
        curve = [[s, before if s <= 150 else 0.5] for s in range(140, 231)]
        curve += [[s, after] for s in range(231, 261)]
        run = {"step": 250, "accuracy": {"none": curve}}
        early, found = came(module, question, {**run, "step": 249}), came(module, question, run)
        key, values = found["words"][0]
        if before is None:
            said, expected = values, {"norm": "none", "from": 150}
        else:
            said, expected = [values[part] for part in ("from", "first", "last")], [150, 231, 250]
        wanted = (
            "accuracy_was_stopped" if before is None
            else "accuracy" if after is not None else "accuracy_stopped"
        )  # fmt: skip
        if (early, found["answers"], key, said) != (None, [answer], wanted, expected):
            wrong.append(f"{before} to {after}: {early}, {found}")
    assert not wrong, "\n".join(wrong)


def test_who_is_ahead_leads_by_more_than_a_few_images(module):
    question = {**PAIR, "kind": "ahead", "steps": 50, "networks": ["none", "batch", None],
                "both": None, "neither": None, "same": 2}  # fmt: skip

    def reached(plain, batch):
        curves = {
            "none": [[s, plain] for s in range(202)],
            "batch": [[s, batch] for s in range(202)],
        }
        return came(module, question, {"step": 201, "accuracy": curves})["answers"]

    assert (reached(0.2, 0.9), reached(0.9, 0.2), reached(0.9, 0.91)) == ([1], [0], [2])
    # If the run ended early, the text names the network that has no accuracy.
    over = {"step": 160, "ended": True, "accuracy": {"batch": [[s, 0.9] for s in range(161)]}}
    found = came(module, question, over)
    assert (found["answers"], found["words"]) == (None, [["not_measured", {"norm": "none"}]])


ASK = """import('/assets/v1/live/lib/texts.js')
  .then(({ translator }) => m.questionsFor(a, translator(a.texts)))"""


def page_of(norms, depth=6, question=None):
    labels = {norm: f"with {norm}" for norm in norms}
    config = {"depth": depth, "network": "mlp"}
    words = {part: dict(texts(name="class")[part]) for part in ("ask", "answer")}
    return {"norms": norms, "labels": labels, "question": question, "config": config,
            "texts": {"class": words}}  # fmt: skip


def test_every_question_fits_a_ballot_and_knows_what_its_answers_stand_for(module):
    wrong = []
    for (norms, depth), kind in itertools.product(
        [(["batch"], 2), (["none", "batch"], 6), (["a", "b", "c"], 3), (["a", "b", "c", "d"], 1)],
        (None, "breaks", "first", "ahead", "accuracy", "layer"),
    ):
        given = kind and {"text": "", "answers": None, "kind": kind, "network": None, "steps": None}
        for question in module(QUESTIONS, ASK, page_of(norms, depth, given)):
            answers = question["answers"]
            fits = (
                1 <= len(question["text"]) <= 140
                and 2 <= len(answers) <= 4
                and len(question["networks"]) == len(answers)
                and all(1 <= len(answer) <= 48 for answer in answers)
                and not set("{[") & set(question["text"] + "".join(answers))
            )
            if not fits:
                wrong.append(f"{norms}, {depth} layers, {kind}: {question}")
    assert not wrong, "\n".join(wrong)


def test_the_usual_question_has_an_answer_for_each_network_both_and_neither(module):
    asked = module(QUESTIONS, ASK, page_of(["none", "batch"]))
    assert [question["kind"] for question in asked] == ["breaks", "accuracy", "layer"]
    assert asked[0]["text"] == "Which one breaks?"
    assert asked[0]["answers"] == ["With none", "With batch", "Both", "Neither"]


def test_what_a_class_holds_is_offered_after_the_pages_own_question_and_no_run_answers_it(module):
    opinion = {"text": "Which do you hold?", "answers": ["A", "B", "C", "D"]}
    given = {"text": "Who?", "answers": ["x", "y"], "kind": None, "network": None, "steps": None}
    asked = module(QUESTIONS, ASK, {**page_of(["none", "batch"], question=given),
                                    "opinion": opinion})  # fmt: skip
    assert [question["id"] for question in asked] == [
        "given", "opinion", "breaks", "accuracy", "layer",
    ]  # fmt: skip
    found = asked[1]
    assert {name: found[name] for name in ("text", "answers", "kind", "steps", "networks")} == {
        **opinion, "kind": None, "steps": None, "networks": [None] * 4,
    }  # fmt: skip
    ended = {"step": 999, "ended": True, "accuracy": {}}
    assert came(module, found, ended) is None


def test_the_teachers_own_words_are_lines_without_blanks(module):
    own = module(VOTE, "m.ownQuestion(a[0], a[1])", [" What\n now? ", ["a ", "", " b"]])
    assert (own["text"], own["answers"], own["kind"]) == ("What now?", ["a", "b"], None)
    assert module(VOTE, "m.ownQuestion('What?', ['a', ' '])") is None
    assert module(VOTE, "m.ownQuestion(' ', ['a', 'b'])") is None


def test_questions_of_presets_and_lessons_fit_a_ballot():
    words = texts(name="presets")
    for name, preset in PRESETS.items():
        assert ("ask" in words[name]) == (preset.question is not None), name
        assert len(words[name].get("ask", "")) <= LONGEST_TEXT
        if preset.question is not None and preset.question.network is not None:
            assert preset.question.network in preset.config().norms
    for name, entry in LESSONS.items():
        lesson = entry.lesson
        if lesson is None or not lesson.answers:
            continue
        said = lesson_words(name, lesson)
        asked = said.asked(*prediction.question_keys(lesson, said))
        question, answers = asked["text"], asked["answers"]
        assert 1 <= len(question) <= LONGEST_TEXT, name
        assert all(1 <= len(each) <= LONGEST_ANSWER for each in answers), answers
        assert not any(TERM.search(text) or "<" in text for text in (question, *answers))


def test_it_counts_from_when_the_knobs_are_where_the_question_takes_them_to_be(module):
    ask = """(() => {
      const breaks = { kind: "breaks", networks: ["none", null], network: null };
      const asked = new m.QuestionAboutRun({ ...breaks, steps: 200, needs: { learning_rate: 1 } });
      asked.from = { run: "a", step: 111, broken: {} };
      const until = (...changes) => asked.decidedAt({ initial: { learning_rate: 0.1 },
        breaks: { none: { step: 205 }, batch: { step: 155 } },
        changes: changes.map(([step, learning_rate]) => ({ step, values: { learning_rate } })) });
      return [until(), until([40, 1]), until([150, 0.3], [151, 1]), until([150, 1], [160, 0.1]),
        until([150, 1], [160, 0.1], [170, 1]), until([40, 1], [110, 0.1]),
        // It broke before the rate was put back; or all its steps had passed.
        until([200, 1], [210, 0.1]), until([40, 1], [400, 0.1])]; })()"""
    assert module(SUBJECT, ask) == [None, 311, 351, None, 370, None, 210, 311]


def test_a_question_is_asked_of_the_run_that_takes_the_place_of_the_one_it_was_put_to(module):
    ask = """(() => {
      const { now } = Date;
      const asked = new m.QuestionAboutRun({ steps: 200 });
      const seen = (run, status, step, breaks = {}, first = 0) => {
        asked.follow({ live: { step }, store: { run, status, breaks, history: [[0, first]] } });
        return [asked.from.run, asked.from.step, asked.going, asked.from.broken];
      };
      const found = [seen("a", "running", 40), seen("a", "paused", 41)];
      // However long a busy machine takes for its last frame.
      const late = (clock) => { const then = clock.now() + 1e5; clock.now = () => then; };
      [performance, Date].forEach(late);
      found.push(seen("a", "paused", 43));
      asked.start();
      found.push(seen("a", "paused", 43), seen("a", "running", 46));
      found.push(seen("b", "running", 5), seen("b", "running", 0));
      found.push(seen("c", "running", 210, { none: { step: 156 }, batch: { step: 205 } }, 200));
      delete performance.now;
      Date.now = now;
      return found; })()"""
    assert module(SUBJECT, ask) == [
        ["a", 40, False, {}], ["a", 41, False, {}], ["a", 43, False, {}], ["a", 43, False, {}],
        ["a", 43, True, {}], ["b", 0, True, {}],
        ["b", 0, True, {}], ["c", 200, True, {"none": 156}],
    ]  # fmt: skip


def test_a_question_about_a_run_that_starts_over_and_waits_is_open_as_before(module):
    ask = """(() => {
      const asked = new m.QuestionAboutRun({ steps: 200 });
      const seen = (status, step) => {
        const store = { run: "a", status, breaks: {}, history: [[0, 0]] };
        asked.follow({ live: { step }, store });
        return [asked.from.step, asked.started, asked.going];
      };
      return [["paused", 150], ["paused", 0], ["running", 0], ["running", 3]]
        .map(([status, step]) => seen(status, step)); })()"""
    assert module(SUBJECT, ask) == [
        [150, False, False], [0, False, False], [0, False, False], [0, False, True],
    ]  # fmt: skip


def test_an_outcome_outlives_a_restart_of_the_server_but_not_a_reset_of_the_run(module):
    ask = """(() => {
      const asked = new m.QuestionAboutRun({ steps: 200 });
      Object.assign(asked, { from: { run: "a", step: 40 }, happened: { answers: [0] } });
      return a.map(([step, restoredAt]) =>
        asked.follow({ live: { step }, store: { run: "a", restoredAt } }));
    })()"""
    assert module(SUBJECT, ask, [[113, None], [108, 108], [110, 108], [0, None]]) == [
        False, False, False, True,
    ]  # fmt: skip


def test_who_chooses_a_question_is_told_what_has_broken_already(module):
    ask = """(() => {
      const t = (key, values) => `${key} ${values.step ?? values.steps}`;
      const store = { breaks: { none: { step: 66 } } };
      const subject = new m.QuestionedRun({ t, data: { labels: {} }, store });
      const common = { networks: [], network: null, steps: 9 };
      return a.map((question) => subject.decidedText({ ...common, ...question })); })()"""
    said = module(SUBJECT, ask, [
        {"kind": "breaks", "networks": ["none", "batch", None]},
        {"kind": "layer", "network": "none"}, {"kind": "layer", "network": "batch"},
    ])  # fmt: skip
    assert said == ["Class.composer.broken 66 Class.composer.steps 9", "class.composer.settled 66",
                    "class.composer.steps 9"]  # fmt: skip
