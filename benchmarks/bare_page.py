"""A Streamlit page with one line of text, to hold the lab's opening against."""

import streamlit as st

st.write("One line of text.")
