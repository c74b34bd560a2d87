"""The subcommands of `python -m bnviz` that have files of their own."""
