"""Subcommands of `python -m bnviz`, and parsers for their arguments."""
