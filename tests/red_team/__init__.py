"""Attacks a real server as a stranger with scripts would, and measures what others notice of it.

`python -m tests.red_team` starts one server on this machine, runs every attack from a process of
its own, and prints a table. An attack is one function with `@attack` in one of the files of
`ATTACK_FILES`; its docstring says what it does.
"""
