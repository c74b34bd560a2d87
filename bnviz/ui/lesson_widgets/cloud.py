"""The widget *Cloud*: two units over a mini-batch as they are, normalized, and whitened."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from bnviz.ui.lesson_widgets.widget import WidgetState, network_colours

MOST_EXAMPLES = 200
MOST_CORRELATION = 0.99
# Of both units, before any norm.
MEANS, SPREADS = (0.6, -0.4), (1.1, 0.6)
START = {"correlation": 0.8, "examples": 60}
SEED = 5

_Ratio = Annotated[float, Field(ge=1)]


class CloudState(WidgetState):
    """What the visitor has set, and what the clouds have become.

    Attributes:
        correlation: that of the distribution from which examples are drawn.
        examples: of the mini-batch.
        measured: the correlation of these examples.
        raw, batch, white: of the cloud as it is, with BN, and whitened: the longer half-axis of its
            covariance's ellipse ÷ the shorter one. None where the examples vary in one direction
            alone; whitening is then not defined.
    """

    correlation: Annotated[float, Field(ge=-MOST_CORRELATION, le=MOST_CORRELATION)]
    examples: Annotated[int, Field(ge=2, le=MOST_EXAMPLES)]
    measured: Annotated[float, Field(ge=-1, le=1)]
    raw: _Ratio | None
    batch: _Ratio | None
    white: _Ratio | None


def cloud_data() -> dict[str, Any]:
    """The data of the widget: the normal values of which the browser makes its examples."""
    normals = np.random.default_rng(SEED).standard_normal((MOST_EXAMPLES, 2)).round(4)
    return {
        "normals": normals.tolist(), "units": {"means": MEANS, "spreads": SPREADS},
        "most": MOST_CORRELATION, "start": START,
        "colours": network_colours(("none", "batch", "zca")),
    }  # fmt: skip
