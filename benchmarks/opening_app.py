"""The app of `app.py`, plus `POST /start?pace=…`, which starts a run as a page does."""

import secrets

import streamlit as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from bnviz.config import RunConfig
from bnviz.live import current_hub
from bnviz.ui.serving import SCRIPT, app_arguments


async def start(request: Request) -> PlainTextResponse:
    pace = request.query_params.get("pace")
    run = current_hub().start(secrets.token_hex(32), RunConfig(), pace=pace, asleep=True)
    return PlainTextResponse(run)


app = st.App(SCRIPT, **app_arguments([Route("/start", start, methods=["POST"])]))
