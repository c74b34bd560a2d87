"""The surface that others depend on: links, files, cookies, settings, commands, frames.

`surface.json` records it, one key per line. `tests/test_compatibility.py` compares it with the
present code. A change of behaviour needs an entry in `decisions.toml`; a change of form inside
needs none.
"""
