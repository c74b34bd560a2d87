"""Words in Latin letters that any language of the app may have: names, and what is typed."""

from pathlib import Path

HERE = Path(__file__).parent


def allowed_in_latin() -> set[str]:
    """Names of methods, programs, keys and people; and what is typed in knobs and commands."""
    return {
        word
        for name in ("names_in_latin.txt", "typed_in_latin.txt")
        for word in (HERE / name).read_text("utf-8").split()
    }
