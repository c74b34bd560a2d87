"""Pointer actions on the knobs of a page, and the messages that the page sends as a result."""


def knob(tab, name, place="#sidebar"):
    return tab.page.locator(f"{place} [data-knob={name}]")


def thumb(tab, name, place="#sidebar"):
    return knob(tab, name, place).locator("input[type=range]")


def number(tab, name):
    return knob(tab, name).locator(".bnviz-knob-number")


def sent(harness):
    return [(said["knob"], said["value"]) for said in harness.kinds("knob")]


def pull(tab, name, *shares, place="#sidebar"):
    """Drag a knob's thumb through positions on its track, without releasing the button."""
    box = thumb(tab, name, place).bounding_box()
    for at, share in enumerate(shares):
        tab.page.mouse.move(
            box["x"] + 7 + share * (box["width"] - 14), box["y"] + box["height"] / 2
        )
        if at == 0:
            tab.page.mouse.down()
