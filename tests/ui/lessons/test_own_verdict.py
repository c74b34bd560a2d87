"""The reader's own verdict, the last section of a lesson: on the page, in the address, in class."""

from bnviz.lessons import LESSONS
from bnviz.live.contract import LONGEST_ANSWER, LONGEST_TEXT, MOST_ANSWERS
from bnviz.ui.lessons.own_verdict import read_verdict
from bnviz.ui.lessons.query import read_lesson_query
from bnviz.ui.query_schema import BEATS, LONGEST_REASON, beats_of
from bnviz.words.texts import text, texts
from tests.every_case import every_case
from tests.lessons.made_by_hand import made
from tests.lessons.test_is_it_shift import HELD
from tests.ui.handed_over import components, press, said
from tests.ui.lessons.reading import address, links, view, widget

NAME = "is-it-shift"
LESSON, OWN = LESSONS[NAME].resolve(), texts(f"lessons/{NAME}")["own_verdict"]
LABELS = [OWN["accounts"][name]["label"] for name in LESSON.accounts]
FRAME = texts("lessons")


def ended(page, became):
    run = made(NAME, HELD)
    became(run.snapshots, step=300, status="paused", reason="plan", changes=run.changes)
    page.run()
    assert not page.exception


def test_it_is_the_last_beat_and_offers_all_accounts_alike(lessons, became):
    page = lessons(lesson=NAME, guess="both", account="loss", because="It is even.")
    ended(page, became)
    for beat in ("why", "break", "own"):
        press(page, f"lesson_to_{beat}")
    assert FRAME["fold"]["place"].format(place=6, count=6) in said(page)
    given = widget(page, "own_verdict")
    assert [label for _, label, _ in given["accounts"]] == LABELS
    assert (given["account"], given["because"], given["most"]) == (
        "loss", "It is even.", LONGEST_REASON,
    )  # fmt: skip
    assert address(page).items() >= {"account": "loss", "because": "It is even."}.items()
    for account in OWN["accounts"].values():
        for lesson in account["pages"]:
            assert links(page)[texts(f"lessons/{lesson}")["title"]] == {"lesson": lesson}
    assert 'class="lesson-next"' in said(page)
    press(page, "lesson_back")
    assert address(page)["beat"] == "break"


def test_a_link_to_it_opens_where_the_run_has_led(lessons, became):
    page = lessons(lesson=NAME, guess="both", beat="own", account="scale")
    assert FRAME["fold"]["place"].format(place=3, count=6) in said(page), (
        "the run has no result yet"
    )
    ended(page, became)
    page.run()
    assert widget(page, "own_verdict")["account"] == "scale"


def test_links_for_a_class_carry_nobodys_verdict(lessons):
    given = {"guess": "both", "account": "loss", "because": "It is even."}
    page = lessons(lesson=NAME, present="1", **given)
    for label in ("present_off", "hide"):
        assert links(page)[FRAME["teacher"][label]].keys().isdisjoint({"account", "because"})


def test_a_class_is_asked_what_it_holds_and_no_answer_is_marked(lessons, became):
    page = lessons(lesson=NAME, present="1")
    (given,) = [data for data in components(page) if data.get("opinion")]
    assert text(given["label_keys"]["noisy"]) == given["labels"]["noisy"]
    asked = given["opinion"]
    assert (asked["text"], asked["answers"]) == (OWN["class"], LABELS)
    words = [asked["text_phrase"], *asked["answer_phrases"]]
    assert [text(each["key"]) for each in words] == [OWN["class"], *LABELS]
    assert len(OWN["class"]) <= LONGEST_TEXT
    assert len(LABELS) == MOST_ANSWERS
    assert all(len(label) <= LONGEST_ANSWER for label in LABELS)
    assert view(lessons(lesson="break-it"))["opinion"] is None


@every_case(
    ("given", "because"),
    [("  It\tfell,\n\nthe others did not. ", "It fell, the others did not."),
     ("x" * LONGEST_REASON, "x" * LONGEST_REASON), ("因为它不同。", "因为它不同。"),
     ("<script>alert(1)</script>", "<script>alert(1)</script>")],
)  # fmt: skip
def test_words_of_ones_own_are_one_line_of_the_address(given, because):
    query = read_lesson_query({"lesson": NAME, "because": given})
    assert (query.because, query.problems) == (because, ())
    assert query.to_query()["because"] == because


@every_case(
    ("given", "kept"),
    [("x" * (LONGEST_REASON + 1), "x" * LONGEST_REASON), ("a\x00b", ""), ("\u202egnorw", ""),
     ("y " * 90_000, ("y " * 140).strip())],
)  # fmt: skip
def test_what_is_too_long_is_cut_and_what_cannot_be_seen_is_left_out_and_it_is_said(given, kept):
    query = read_lesson_query({"lesson": NAME, "because": given})
    assert query.because == kept
    ((key, values),) = query.problems
    assert str(LONGEST_REASON) in FRAME["notice"][key].format(**values)


def test_no_words_are_no_problem():
    assert read_lesson_query({"lesson": NAME, "because": " "}).problems == ()


def test_an_account_that_is_none_is_said_and_other_lessons_have_none():
    ((key, values),) = read_lesson_query({"lesson": NAME, "account": "<b>"}).problems
    assert "inputs, loss, scale, depends" in FRAME["notice"][key].format(**values)
    ((key, _),) = read_lesson_query({"lesson": "break-it", "account": "loss"}).problems
    assert key == "unknown"
    ((key, _),) = read_lesson_query({"lesson": "break-it", "because": "x"}).problems
    assert key == "unknown"
    assert beats_of(LESSON) == (*BEATS, "own")
    assert beats_of(LESSONS["break-it"].resolve()) == BEATS


@every_case(
    ("sent", "found"),
    [(("scale", " a  b\n"), ("scale", "a b")), ((None, ""), (None, "")), ((None, "x"), (None, "x")),
     (("right", "x"), None), (("scale", "\x00"), None), ((3, "x"), None), ((None, None), None)],
)  # fmt: skip
def test_of_what_a_browser_sends_only_that_is_taken_which_an_address_may_have(sent, found):
    account, because = sent
    assert read_verdict(LESSON, {"account": account, "because": because}) == found
