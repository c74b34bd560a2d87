"""The app as `app.py` serves it, and `POST /start`, which starts a run as a page does."""

import secrets
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from bnviz.config import RunConfig
from bnviz.live import current_hub
from bnviz.live.web.app_parts import lifespan_of, middleware, routes
from bnviz.live.web.early_start import EarlyStart
from bnviz.ui.live_view import base_path, prepare_charts

ROOT = Path(__file__).resolve().parents[1]


async def start(_request: Request) -> PlainTextResponse:
    return PlainTextResponse(current_hub().start(secrets.token_hex(32), RunConfig(), asleep=True))


app = st.App(
    ROOT / "bnviz" / "ui" / "shell.py",
    routes=[*routes(base_path()), Route("/start", start, methods=["POST"])],
    lifespan=lifespan_of(prepare=[prepare_charts]),
    middleware=[*middleware, Middleware(EarlyStart, base=base_path())],
)
