"""Check that a sentence that is stored as a key and values is in English in the log and in the
reader's language on pages.
"""

import copy

import orjson
import pytest

import bnviz.words.texts
from bnviz.config import KNOBS, ConfigError, RunConfig
from bnviz.live.errors import HubNotRunning, NoSuchRun, NotYours
from bnviz.live.protocol import server_messages
from bnviz.registry import Entry
from bnviz.words.phrase import Phrase, PhraseText, error_text, one_of, phrase, read_phrase
from bnviz.words.texts import in_language
from tests.every_case import every_case


@pytest.fixture
def german(tmp_path, monkeypatch):
    """Set up English and a second language that has only some of the texts."""
    (tmp_path / "en").symlink_to(bnviz.words.texts.FOLDER / "en")
    (tmp_path / "de").mkdir()
    (tmp_path / "de" / "language.toml").write_text('name = "Deutsch"')
    (tmp_path / "de" / "errors.toml").write_text(
        'must_be = "`{field}` muss {allowed} sein, nicht {value}."\n'
        'int_between = "eine ganze Zahl von {low} bis {high}"\n'
        'at_most_in = "höchstens {most} in einem Netz: {network}"\n'
        'no_such_run = "Diesen Lauf gibt es nicht."'
    )
    (tmp_path / "de" / "networks.toml").write_text('[conv]\nlabel = "faltend"')
    (tmp_path / "de" / "knobs.toml").write_text('[depth]\nlabel = "Schichten"')
    monkeypatch.setattr(bnviz.words.texts, "FOLDER", tmp_path)


def wrong(**knobs):
    with pytest.raises(ConfigError) as caught:
        RunConfig(**knobs)
    return caught.value


@pytest.mark.usefixtures("german")
def test_an_error_is_english_in_the_log_and_told_in_what_is_spoken():
    error = wrong(depth=99)
    with in_language("de"):
        assert str(error) == "`depth` must be a whole number between 1 and 50, got 99."
        assert error_text(error) == "`depth` muss eine ganze Zahl von 1 bis 50 sein, nicht 99."
        assert error.allowed == "a whole number between 1 and 50"
        assert KNOBS["depth"].allowed == "eine ganze Zahl von 1 bis 50"
        assert error_text(NoSuchRun()) == "Diesen Lauf gibt es nicht."
        assert error_text(ValueError("as it is")) == "as it is"
    assert error_text(error) == str(error)


@pytest.mark.usefixtures("german")
def test_a_phrase_within_a_phrase_is_told_too():
    error = wrong(network="conv", depth=20)
    assert "at most 12 in a convolutional network" in str(error)
    with in_language("de"):
        assert "höchstens 12 in einem Netz: faltend" in error_text(error)


@pytest.mark.usefixtures("german")
def test_entries_and_knobs_are_called_what_is_spoken():
    entry = Entry(words="networks.conv", where="nowhere")
    english = entry.help
    with in_language("de"):
        assert KNOBS["depth"].label == "Schichten"
        assert entry.label == "faltend"
        assert entry.help == english, "texts that a language lacks are in English"


def test_an_estimate_is_shown_without_quotes():
    error = wrong(depth=50, width=512, batch_size=1024)
    assert "got about" in str(error)
    assert error_text(error) == str(error)


@every_case("error", [HubNotRunning(), NoSuchRun(), NotYours()])
def test_every_refusal_of_the_hub_travels_as_key_and_values(error):
    sent = orjson.loads(orjson.dumps(server_messages.words_of(error)))
    assert sent["message"] == str(error)
    assert read_phrase(sent["phrase"]) == error.phrase
    assert server_messages.read_words(sent) == str(error)


def test_what_travels_comes_back_as_it_was():
    within = phrase("errors.must_be", field="a", value=3, allowed=one_of(["b", "c"]))
    back = read_phrase(orjson.loads(orjson.dumps(within.plain())))
    assert back == within
    assert back.text() == "`a` must be one of b, c, got 3."
    assert server_messages.read_words(server_messages.words_of(PhraseText(within))).phrase == within
    assert server_messages.read_words({"message": "plain"}) == "plain"


def test_a_text_that_knows_its_phrase_can_be_copied():
    said = PhraseText(phrase("errors.once"))
    copied = copy.deepcopy(said)
    assert copied == said == "given once"
    assert copied.phrase == said.phrase


def test_what_a_browser_sent_can_be_said_back_whatever_it_was():
    nasty = "\ud800" * 400
    error = ConfigError(nasty, nasty, phrase("errors.given"))
    assert len(orjson.dumps(server_messages.words_of(error))) < 4000


@every_case("name", KNOBS)
def test_every_knob_says_what_is_allowed(name):
    assert KNOBS[name].allowed
    assert "{" not in KNOBS[name].allowed


def test_a_key_that_there_is_not_is_an_error_of_ours():
    with pytest.raises(KeyError, match=r"errors\.nothing"):
        Phrase("errors.nothing").text()
