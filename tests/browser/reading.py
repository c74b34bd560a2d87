"""Scripts that find untranslated text and overflowing elements on pages in the made-up test
language.
"""

from pathlib import Path

# Elements exempt from the checks: Streamlit's text and icon fonts, machine-readable text, formulas.
EXEMPT = ", ".join((
    "[data-testid=stIconMaterial]", "[data-testid=stToolbar]", "[data-testid=stHeader]",
    "[data-testid=stStatusWidget]", "[data-testid=stDecoration]", "[data-baseweb=tooltip]",
    "[data-testid=stSidebarCollapseButton]", "[data-testid=stExpandSidebarButton]",
    "[data-testid=stAppDeployButton]", "[data-testid=stSidebarCollapsedControl]",
    "[data-testid=stNumberInputContainer] button", "[data-testid=InputInstructions]",
    "[data-testid=stSkipToContent]", "[data-testid=stTooltipHoverTarget]",
    "[data-testid=stSelectbox] input", "[data-testid=stSelectbox] button",
    "[data-testid=stMultiSelect] button",
    "code", "pre", "kbd", ".katex", "script", "style", "noscript", "[translate=no]",
    "[lang]:not(html)",
))  # fmt: skip

# JavaScript functions that return untranslated texts, given [exempt, allowed names, terms], and
# elements that are too wide, given exempt.
LEFT_IN_ENGLISH, TOO_WIDE = (
    Path(__file__).with_name(f"{name}.js").read_text("utf-8")
    for name in ("left_in_english", "too_wide")
)
