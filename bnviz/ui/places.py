"""Where the pages lie: absolute, for Streamlit resolves relative paths against the shell."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAB = ROOT / "pages" / "lab.py"
ABOUT = ROOT / "pages" / "about.py"
