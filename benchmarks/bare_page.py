"""Streamlit page with one line of text, the baseline for the opening time of the lab."""

import streamlit as st

st.write("One line of text.")
