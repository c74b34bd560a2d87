"""Axis that the distributions of all networks share: ticks, title and shaded zones."""

from __future__ import annotations

from typing import Any

from bnviz.charts.chart import ChartView
from bnviz.charts.panels import Domain, axis_name, first_fitting, text_width
from bnviz.charts.scale import REACH, asinh_ticks, zones
from bnviz.charts.theme import Attributes
from bnviz.words.numbers import Format

# Values that have a line on the axis, and sets of values that have a number. The largest set that
# fits in a column is used.
TICKS: tuple[float, ...] = (-100, -10, -1, 0, 1, 10, 100)
NUMBERED: tuple[tuple[float, ...], ...] = (
    TICKS, (-100, -10, 0, 10, 100), (-100, 0, 100), (-100, 100), (0,),
)  # fmt: skip
# Minimum width in pixels of a column with small ticks.
FINE = 240


def distribution_ticks(view: ChartView, column: float) -> Attributes:
    """Return lines at all ticks, with as many numbers as fit in the column."""
    ticks, scale = asinh_ticks(TICKS), column / (2 * REACH)
    chosen = NUMBERED[-1]
    for values in NUMBERED:
        marks = asinh_ticks(values)
        half = [text_width(word, view.sizes.base) / 2 for word in marks["ticktext"]]
        at = [value * scale for value in marks["tickvals"]]
        rooms = [at[i + 1] - at[i] - half[i] - half[i + 1] - 4 for i in range(len(at) - 1)]
        if min(rooms, default=0.0) >= 0:
            chosen = values
            break
    words = [word if value in chosen else ""
             for word, value in zip(ticks["ticktext"], TICKS, strict=True)]  # fmt: skip
    if column < FINE:
        ticks["minor"] = {"ticks": ""}
    return {**ticks, "ticktext": words}


def spread_title(view: ChartView, place: int, pitch: float) -> str:
    """Return the title of one network's axis. With three or four networks, only the second axis
    has a title.
    """
    texts, phi = view.texts["layers"], view.config.activation
    count = len(view.norms)
    if count > 2 and place != 1:
        return ""
    room = pitch * (min(count, 3) if count > 2 else 1) - 8
    tries = [view.say(texts["axis"]), view.phi]
    if zones(phi):
        zone = texts["no_gradient" if phi == "relu" else "saturated"]
        keys = ("axis_zone", "axis_zone_short")
        tries = [*(view.say(texts[key], zone=zone) for key in keys), *tries]
    if count == 2 and place == 1:
        tries = [view.say(texts["axis_same"]), texts["axis_same_short"]]
    return first_fitting(tries, view.sizes.small, room)


def saturated_column(view: ChartView) -> list[tuple[str, str, Format]]:
    """Return the table column of the saturated share, or [] if there is no flat zone."""
    words = view.texts["layers"]["saturated_column"]
    flat = zones(view.config.activation)
    return [(words, "saturation.saturated", "percent0")] if flat else []


def zone_words(view: ChartView, place: int, column: float, **at: Any) -> list[Attributes]:
    """Return the names of the zones of a network's column, if they fit.

    With large type, the name of a flat zone may be too wide for the zone. It is then at the right
    edge of the column, above the shares, or begins at the left edge.
    """
    found, texts = zones(view.config.activation), view.texts["hills"]
    if not found:
        return []
    steep = (max((high for _, high in found if high < REACH), default=-REACH),
             min((low for low, _ in found if low > -REACH), default=REACH))  # fmt: skip
    zone = "zone_zero" if view.config.activation == "relu" else "zone"
    flat = [texts[zone], texts["zone_short"], ""]
    size, pixels, at = view.sizes.small, column / (2 * REACH), {"xref": axis_name("x", place), **at}
    fitting = [first_fitting(flat, size, (high - low) * pixels) for low, high in found]
    if view.large_type and not any(fitting):
        right = found[-1][1] == REACH
        beside: Attributes = {"x": REACH if right else -REACH, "xanchor": "left"}
        beside["xshift"] = 0.3 * size if right else 0
        return [view.note(texts["zone_short"], view.theme.muted, **beside, **at)]
    room = (steep[1] - steep[0]) * pixels
    if len(found) == 2 and all(fitting):
        # Between two names, the third name may be wider than its zone.
        apart = sum(found[1]) / 2 - sum(found[0]) / 2
        room = max(room, apart * pixels - text_width(max(fitting, key=len), size) - size)
    middle = first_fitting([texts["steep"], ""], size, room)
    if len(found) == 2 and not (middle or view.large_type):
        # In a narrow column, only the zone in the middle has a name.
        fitting, middle = ["", ""], first_fitting([texts["steep"], ""], size, column)
    words = [*zip(found, fitting, strict=True), (steep, middle)]
    return [
        view.note(each, view.theme.muted, x=(low + high) / 2, **at)
        for (low, high), each in words if each
    ]  # fmt: skip


def zone_shapes(view: ChartView, place: int, rows: Domain) -> list[Attributes]:
    """Return the flat zones of the nonlinearity in a network's column."""
    return [
        view.zone(xref=axis_name("x", place), x0=low, x1=high, y0=rows[0], y1=rows[1])
        for low, high in zones(view.config.activation)
    ]
