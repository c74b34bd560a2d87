"""Streamlit user interface: the app shell, the controls and the mounted live views."""
