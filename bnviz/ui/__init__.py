"""Everything that imports Streamlit: the shell, the controls and the mounting of the live view."""
