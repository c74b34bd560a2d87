"""The widget *Who shares a mean?*: which values of a mini-batch a norm takes its mean over."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from bnviz.ui.lesson_widgets.widget import WidgetState

# BN of single units, BN of feature maps, the norms of one example, and a mean across the maps of
# one place.
Shares = Literal["units", "maps", "layer", "instance", "group", "place"]

_Index = Annotated[int, Field(ge=0, le=15)]
_Count = Annotated[int, Field(ge=1)]


class SharedMeanState(WidgetState):
    """The block, the value that is chosen, and who shares its mean.

    Attributes:
        norm: over which values the mean is taken.
        examples, maps, side: of the block; a map has side × side places.
        example, map, place: of the chosen value, from 0.
        values: how many values share its mean.
        means: how many means the block has.
    """

    norm: Shares
    examples: Annotated[int, Field(ge=1, le=6)]
    maps: Annotated[int, Field(ge=2, le=6)]
    side: Annotated[int, Field(ge=1, le=4)]
    example: _Index
    map: _Index
    place: _Index
    values: _Count
    means: _Count


def shared_mean_data(
    *, norm: Shares = "units", examples: int = 2, maps: int = 4, side: int = 4
) -> dict[str, Any]:
    """The data of the widget: the norm and the block with which it begins."""
    return {"start": {"norm": norm, "examples": examples, "maps": maps, "side": side}}
