"""Arguments of `st.App`: the Streamlit script, routes, middleware and the hub's lifespan."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from bnviz.lessons import LESSONS
from bnviz.live import log
from bnviz.live.app import lifespan_of, middleware, routes
from bnviz.live.web.early_start import early_start
from bnviz.live.web.link_preview import LinkPreview, Preview
from bnviz.live.web.old_addresses import OldAddresses
from bnviz.live.web.page_change import PageChange
from bnviz.live.web.page_language import page_language
from bnviz.locations import locations
from bnviz.presets import DEFAULT_PRESET, PRESETS
from bnviz.ui.chart_templates import HOME_CHARTS, prepare_charts
from bnviz.ui.claims.measured import measured
from bnviz.ui.first_paint import first_paint
from bnviz.ui.page_sockets import PageSockets
from bnviz.ui.query_schema import LAB_PARAMETERS
from bnviz.ui.sitemap import PAGES, base_path
from bnviz.words.language_choice import PARAMETER, language_for
from bnviz.words.texts import current_language, texts

# Import pandas before any visitor arrives. Otherwise Streamlit imports it in the first visitor's
# thread, and meanwhile Plotly fails in all other threads, because it compares values with pandas
# classes.
import_module("pandas")

SCRIPT = Path(__file__).resolve().parent / "shell.py"
# Names of the pages by path.
NAMES = {page.path: name for name, page in PAGES.items()}


def app_arguments(more_routes: Sequence[BaseRoute] = ()) -> dict[str, Any]:
    base = base_path()
    still = [page.path for page in PAGES.values() if not page.live]
    return {
        "routes": [*routes(base), *more_routes],
        "lifespan": lifespan_of(
            prepare=[partial(prepare_charts, HOME_CHARTS), prepare_charts, measured]
        ),
        "middleware": [
            *middleware,
            Middleware(PageSockets),
            Middleware(
                OldAddresses,
                base=base,
                path=PAGES["lab"].path,
                parameters=LAB_PARAMETERS,
                pages=NAMES,
                named={PAGES["lessons"].path: "lesson"},
            ),
            Middleware(
                PageChange,
                changes=[
                    early_start(base, still),
                    first_paint(base),
                    LinkPreview(base, preview_of).change,
                    page_language(base),
                ],
            ),
        ],
        "on_script_error": _log_error,
    }


def _log_error(error: Exception) -> None:
    log.event("page failed", level=logging.ERROR, exc_info=error)


def preview_of(path: str, query: Mapping[str, str]) -> Preview | None:
    """Preview that other sites show for a link to `path`, or None if there is no such page."""
    name = NAMES.get(path)
    if name is None:
        return None
    words = texts("navigation")
    title, text, valid_parameters = words["title"][name], words["preview"][name], {}
    if name == "lab" and (preset := query.get("preset")) in PRESETS and preset != DEFAULT_PRESET:
        own = texts("presets")[preset]
        title, text, valid_parameters = f"{own['label']} · bnviz", own["help"], {"preset": preset}
    if name == "lessons" and (lesson := query.get("lesson")) in LESSONS:
        own = texts(f"lessons/{lesson}")
        title, text, valid_parameters = (
            f"{own['title']} · bnviz",
            own.get("short", text),
            {"lesson": lesson},
        )
    if (language := language_for(query.get(PARAMETER))) is not None:
        valid_parameters = {**valid_parameters, PARAMETER: language}
    return Preview(title, text, _picture(name), valid_parameters)


def _picture(name: str) -> str:
    """Path under `assets/` of a page's picture, in the current language if available."""
    own = f"previews/{current_language()}/{name}.png"
    return own if (locations().assets / own).is_file() else f"previews/{name}.png"
