"""The subcommands of `python -m bnviz`, and how their arguments are read."""
