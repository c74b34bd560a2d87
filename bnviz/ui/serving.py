"""What `st.App` is called with: the Streamlit script, our routes beside it, the hub's lifetime."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from bnviz.live import log
from bnviz.live.web.app_parts import lifespan_of, middleware, routes
from bnviz.live.web.early_start import EarlyStart
from bnviz.ui.live_view import prepare_charts
from bnviz.ui.places import ABOUT_PATH, CLAIMS_PATH, base_path

SCRIPT = Path(__file__).resolve().parent / "shell.py"


def app_arguments(more_routes: Sequence[BaseRoute] = ()) -> dict[str, Any]:
    """Every keyword argument of `st.App`.

    Args:
        more_routes: besides those of the live path.
    """
    return {
        "routes": [*routes(base_path()), *more_routes],
        "lifespan": lifespan_of(prepare=[prepare_charts]),
        "middleware": [
            *middleware,
            Middleware(EarlyStart, base=base_path(), without=(CLAIMS_PATH, ABOUT_PATH)),
        ],
        "on_script_error": _log_error,
    }


def _log_error(error: Exception) -> None:
    """A bug in a page belongs in the log, whole; the visitor sees that something failed."""
    log.event("page failed", level=logging.ERROR, exc_info=error)
