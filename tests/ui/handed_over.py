"""Functions that read the data that a page's script sends to the browser, from Streamlit's test
harness.
"""

import gzip
import json

from bnviz.live.web.templates import find


def healthy(page):
    assert not page.exception, [problem.message for problem in page.exception]
    return page


def drawn(page):
    """Run the page once more, check that it has no error, and return it."""
    return healthy(page.run())


def press(page, key):
    """Press the button with a key, and return the page."""
    page.button(key=key).click()
    return drawn(page)


def press_label(page, label):
    """Press the only button with a label, and return the page."""
    (button,) = [button for button in page.button if button.label == label]
    button.click()
    return drawn(page)


def said(page):
    """Return all HTML of the page."""
    return " ".join(part.value for part in page.get("html"))


def components(page):
    """Return the data sent to the app's own components."""
    return [json.loads(component.proto.json) for component in page.get("bidi_component")]


def answers(page):
    """Return the sentences on the page about a wrong link."""
    return [
        sentence for data in components(page) if data.get("module") == "link_answers.js"
        for sentence in data["told"]
    ]  # fmt: skip


def knobs(page):
    """Return the data of each live knob in the sidebar."""
    places = [data["knobs"] for data in components(page)
              if "knobs" in data and "charts_ids" not in data]  # fmt: skip
    return {name: place["specs"][name] for place in places for name in place["shown"]}


def live_view(page):
    """Return the data sent to the live view."""
    (data,) = [data for data in components(page) if "charts_ids" in data]
    return data


def view(page):
    """Return the live view's data, including its charts."""
    data = live_view(page)
    groups = json.loads(gzip.decompress(find(data["charts_ids"]["0"])))
    assert not {"charts", "more"} & set(data)
    return {**data, "charts": groups["main"], "more": groups["more"]}


def state(page):
    return page.session_state["lab"]
