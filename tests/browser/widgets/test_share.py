"""The *Share* dialog: its preview of the link, and the address that it uses."""

import pytest

from bnviz.actions import SCALE_WEIGHTS
from bnviz.words.texts import texts

LABELS = {"learning_rate": "Learning rate", "depth": "Hidden layers", "batch_size": "Batch size"}
AT = "http://host:1/lab"


@pytest.fixture(scope="module")
def preview(blank):
    """Return `preview(query, changes)`, which returns the sentences about a link."""

    def told(query, changes=()):
        script = """async ([link, known, words]) => {
          const { previewOf } = await import('/assets/v1/live/dialogs/share.js');
          const { translator } = await import('/assets/v1/live/lib/texts.js');
          known.chart = known.hidden = (name) => name.toUpperCase();
          return previewOf(link, known, translator(words));
        }"""
        words = {"sharing": dict(texts("share")), "action": dict(texts("knobs")[SCALE_WEIGHTS])}
        known = {"preset": "Spirals", "labels": LABELS, "step": 340, "changes": list(changes)}
        return blank.evaluate(script, [f"{AT}?{query}", known, words])

    return told


def test_every_part_of_a_link_is_said(preview):
    watch = " ".join(preview(f"preset=spirals&learning_rate=1&run={'0' * 32}"))
    assert "now at step 340" in watch
    assert "Only you can control it" in watch
    assert "“Spirals”, with learning rate 1" in watch
    plain = preview("preset=spirals")
    assert "“Spirals”." in plain[0]
    for part, said in {
        "present=1": "large type", "paused=1": "which network breaks first",
        "hide=share,export": "SHARE, EXPORT",
        "charts=drift": "DRIFT", "charts=none": "own charts", "claim=x": "claim",
    }.items():  # fmt: skip
        (more,) = [line for line in preview(f"preset=spirals&{part}") if line not in plain]
        assert said in more


def test_a_copy_says_its_knobs_and_what_of_the_log_it_leaves_out(preview):
    drag = [{"step": 9 + i, "values": {"learning_rate": 0.1 * i}, "drag": 1} for i in range(3)]
    later = [{"step": 20 * i, "values": {"batch_size": i}, "drag": 0} for i in range(2, 6)]
    copy = preview("preset=spirals&depth=20&learning_rate=0.2", [*drag, *later])
    assert "with hidden layers 20, learning rate 0.2" in copy[0]
    assert "learning rate 0.2 before step 11; batch size 2 before step 40" in copy[1]
    assert "and 2 more" in copy[1]
    assert "Nothing was changed" in preview("preset=spirals")[1]


def test_a_page_opened_as_localhost_names_an_address_that_others_reach(blank):
    script = """async ([here, words]) => {
      const { classAddress } = await import('/assets/v1/live/dialogs/share.js');
      const { translator } = await import('/assets/v1/live/lib/texts.js');
      const place = new URL('http://localhost:8501/lab');
      const { origin, element } = classAddress(here, translator({ sharing: words }), place);
      return [origin, element?.textContent ?? ''];
    }"""

    def told(here):
        return blank.evaluate(script, [here, dict(texts("share"))])

    assert told(None) == ["http://localhost:8501", ""]
    command = "python -m bnviz serve --host 0.0.0.0 --port 8501"
    here = {"listens": True, "hosts": ["192.168.1.5", "10.0.0.7"], "command": command}
    origin, said = told(here)
    assert origin == "http://192.168.1.5:8501"
    assert "192.168.1.5" in said
    origin, said = told({**here, "listens": False})
    assert origin == "http://localhost:8501"
    assert command in said
    assert "http://192.168.1.5:8501/lab" in said
    assert "no network address" in told({**here, "hosts": []})[1]
