"""The widget *Compose the batch*: what an image's companions do to a trained network's answer."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from bnviz.ui.lesson_widgets.widget import WidgetState, network_colours

NETWORK = "compose-batch"
COMPANIONS, COMPANIES = 7, 20

_Image = Annotated[int, Field(ge=0, le=10_000)]
_Digit = Annotated[int, Field(ge=0, le=9)]


class ComposeState(WidgetState):
    """What the visitor has composed, and what the network answers.

    Attributes:
        image: the one that is asked for.
        companions: those beside it; None where a place is empty.
        own: its answer in training mode, beside them.
        stored: its answer in inference mode.
        differs: in how many of 20 companies by chance its answer is not that of inference mode.
        folded: whether the norms are merged into the weights.
    """

    image: _Image
    companions: Annotated[
        tuple[_Image | None, ...], Field(min_length=COMPANIONS, max_length=COMPANIONS)
    ]
    own: _Digit
    stored: _Digit
    differs: Annotated[int, Field(ge=0, le=COMPANIES)]
    folded: bool


def compose_batch_data() -> dict[str, Any]:
    """The data of the widget; it fetches the network itself."""
    return {"network": NETWORK, "colours": network_colours(("none", "batch"))}
