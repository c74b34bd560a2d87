"""Styles use only the six type sizes and one set of colours."""

import re
import tomllib

import pytest

from bnviz.charts.theme import DARK, LIGHT, PAPER
from tests.conftest import ROOT
from tests.every_case import every_case

ASSETS = ROOT / "assets"
SIZES = ("tiny", "small", "text", "lead", "number", "title")
# Styles to check. The styles of the ballot and the recording are excluded: each is one small file
# in a subfolder that must also work in old browsers.
STYLES = sorted(ASSETS.glob("*.css"))
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
SIZE = re.compile(r"font-size:\s*([^;}]+)")
SHORT = re.compile(r"font:\s*([^;}]+)")
OF_THE_KIT = re.compile(rf"var\(--type-({'|'.join(SIZES)})\)|inherit|1em")
# Sizes that fill the window, for the class's question and the code to type.
FILLS = re.compile(r"(?:clamp|min|max)\(.*v(?:min|w|h).*\)")


def said(path):
    return COMMENT.sub("", path.read_text(encoding="utf-8"))


def test_the_kit_has_six_sizes():
    kit = said(ASSETS / "kit.css")
    assert re.findall(r"--type-(\w+):", kit[: kit.index("}")]) == list(SIZES)
    assert "font-size" not in kit


@every_case("path", STYLES)
def test_every_size_of_type_is_one_of_them(path):
    sizes = [size.replace("!important", "").strip() for size in SIZE.findall(said(path))]
    sizes += [short.partition("/")[0].split()[-1] for short in SHORT.findall(said(path))
              if "px" in short or "rem" in short]  # fmt: skip
    filling = FILLS if path.name == "classroom.css" else OF_THE_KIT
    wrong = [size for size in sizes if not (OF_THE_KIT.fullmatch(size) or filling.fullmatch(size))]
    assert wrong == []


# Literal colours. A name such as `--white` is a variable, not a literal colour.
WRITTEN = re.compile(
    r"#[0-9a-fA-F]{3,8}\b|\b(?:rgba?|hsla?|oklch|oklab|lab|lch)\("
    r"|(?<![-\w])(?:white|black|gr[ae]y|silver|red|orange|yellow|green|blue|purple)(?![-\w(])"
)
USED = re.compile(r"var\((--[\w-]+)(,?)")
SET = re.compile(r"(--[\w-]+)\"?\s*[:,)\]]")
# Theme of Streamlit's own elements: for each setting, the name of a colour in kit.css.
STREAMLIT = {
    "primaryColor": "ink", "backgroundColor": "ground", "secondaryBackgroundColor": "soft",
    "textColor": "ink", "borderColor": "edge", "linkColor": "ink",
}  # fmt: skip
SIDEBAR = {"backgroundColor": "soft", "secondaryBackgroundColor": "paper"}


def kit_colour(name, dark):
    """Return a colour of the kit in upper case, as in the Python code."""
    pair = re.search(rf"--{name}: light-dark\((#\w+), (#\w+)\);", said(ASSETS / "kit.css"))
    return pair[2 if dark else 1].upper()


@every_case("path", STYLES)
def test_colours_are_written_in_the_kit_alone_each_as_a_name(path):
    rules = said(path)
    if path.name == "kit.css":
        rules = re.sub(r"--[\w-]+:[^;}]*", "", rules)
    assert WRITTEN.findall(rules) == []


def test_every_name_that_a_style_uses_is_given_a_value():
    """Each variable must be set by a style or by the code that creates the element."""
    code = [*ASSETS.rglob("*.js"), *(ROOT / "bnviz").rglob("*.py")]
    given = {name for path in [*STYLES, *code] for name in SET.findall(said(path))}
    missing = {
        f"{path.name}: {name}" for path in STYLES for name, other in USED.findall(said(path))
        if name not in given and not other
    }  # fmt: skip
    assert missing == set()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_streamlit_and_the_charts_have_the_colours_of_the_kit(dark):
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
    own = theme["dark" if dark else "light"]
    for names, found in ((STREAMLIT, own), (SIDEBAR, own["sidebar"])):
        assert {key: found[key] for key in names} == {
            key: kit_colour(name, dark) for key, name in names.items()
        }
    charts = DARK if dark else LIGHT
    assert [charts.ink, charts.muted, PAPER[dark]] == [
        kit_colour(name, dark) for name in ("ink", "muted", "paper")
    ]
    for norm, style in charts.networks(["none", "batch"]).items():
        name = {"none": "plain", "batch": "batch"}[norm]
        assert style.line == kit_colour(name, dark)
        assert style.text == kit_colour(f"{name}-words", dark)


def test_every_colour_of_the_kit_is_used():
    rules = "".join(said(path) for path in STYLES)
    colours = re.findall(r"--([a-z-]+): (?:light-dark\(|#|var\(--ink\))", said(ASSETS / "kit.css"))
    unused = {name for name in colours if f"var(--{name})" not in rules}
    assert unused == {"plain", "plain-words", "batch", "batch-words"}, (
        "variables that the charts set"
    )


RULE = re.compile(r"([^{};@]+)\{")
ATTRIBUTE, IN_BRACKETS = re.compile(r"\[[^\]]*\]"), re.compile(r"\([^()]*\)")


def test_what_a_part_of_the_page_has_never_decides_about_all_elements_below_it():
    """Chromium keeps a list of the elements that `:has()` may change.

    With `*` in this list, each mark that a chart adds restyles the whole page, which takes 12 ms
    instead of 0.1 ms.
    """
    found = []
    for path in STYLES:
        for selectors in RULE.findall(ATTRIBUTE.sub("#", said(path))):
            plain, count = selectors, 1
            while count:
                plain, count = IN_BRACKETS.subn("", plain)
            for selector in plain.split(","):
                *before, last = re.split(r"[\s>+~]+", selector.strip())
                named = re.sub(r":{1,2}[\w-]+", "", last).strip("*")
                # `:is` and `:where` name the elements in their parentheses.
                named = named or last.startswith((":is", ":where"))
                if any(":has" in part for part in before) and not named:
                    found.append(f"{path.name}: {selectors.strip()}")
    assert not found, "\n".join(found)
