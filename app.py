"""The ASGI app: the Streamlit script, our routes beside it, and the hub's lifetime."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from bnviz.live.app_parts import OwnerCookie, lifespan, routes
from bnviz.ui.live_view import base_path

app = st.App(
    Path(__file__).resolve().parent / "bnviz" / "ui" / "shell.py",
    routes=routes(base_path()),
    lifespan=lifespan,
    middleware=[Middleware(OwnerCookie)],
)
