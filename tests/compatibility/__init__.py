"""Public interface on which others depend: links, files, cookies, settings, commands, frames.

`surface.json` records this interface, one key per line. `tests/test_compatibility.py` compares the
file with the current code. A behaviour change needs an entry in `decisions.toml`; a refactoring
does not.
"""
