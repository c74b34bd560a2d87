"""The ASGI app: the Streamlit script, our routes beside it, and the hub's lifetime."""

import logging
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from bnviz.live import log
from bnviz.live.web.app_parts import lifespan_of, middleware, routes
from bnviz.live.web.early_start import EarlyStart
from bnviz.ui.live_view import base_path, prepare_charts


def log_error(error: Exception) -> None:
    """A bug in a page belongs in the log, whole; the visitor sees that something failed."""
    log.event("page failed", level=logging.ERROR, exc_info=error)


app = st.App(
    Path(__file__).resolve().parent / "bnviz" / "ui" / "shell.py",
    routes=routes(base_path()),
    lifespan=lifespan_of(prepare=[prepare_charts]),
    middleware=[*middleware, Middleware(EarlyStart, base=base_path())],
    on_script_error=log_error,
)
