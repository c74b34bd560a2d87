"""What a page's script hands over to the browser, read from the page that Streamlit's tests run."""

import gzip
import json

from bnviz.live.web.templates import find


def healthy(page):
    assert not page.exception, [problem.message for problem in page.exception]
    return page


def drawn(page):
    """The page, run once more."""
    return healthy(page.run())


def press(page, key):
    """Press a button by its key."""
    page.button(key=key).click()
    return drawn(page)


def press_label(page, label):
    """Press the one button that has this label."""
    (button,) = [button for button in page.button if button.label == label]
    button.click()
    return drawn(page)


def said(page):
    """All HTML of the page."""
    return " ".join(part.value for part in page.get("html"))


def components(page):
    """What our own components were given."""
    return [json.loads(component.proto.json) for component in page.get("bidi_component")]


def answers(page):
    """Return the sentences of the page about a wrong link."""
    return [
        sentence for data in components(page) if data.get("module") == "link_answers.js"
        for sentence in data["told"]
    ]  # fmt: skip


def knobs(page):
    """The live knobs in the sidebar, and what was said of each."""
    places = [data["knobs"] for data in components(page)
              if "knobs" in data and "charts_ids" not in data]  # fmt: skip
    return {name: place["specs"][name] for place in places for name in place["shown"]}


def live_view(page):
    """What the live view was given."""
    (data,) = [data for data in components(page) if "charts_ids" in data]
    return data


def view(page):
    """The same, with the charts that it names."""
    data = live_view(page)
    groups = json.loads(gzip.decompress(find(data["charts_ids"]["0"])))
    assert not {"charts", "more"} & set(data)
    return {**data, "charts": groups["main"], "more": groups["more"]}


def state(page):
    return page.session_state["lab"]
