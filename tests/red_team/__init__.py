"""Attacks on a real server by scripted strangers, and their effects on other visitors.

`python -m tests.red_team` starts one server on this machine, runs every attack in its own process
and prints a table. An attack is a function with `@attack` in one of the files of `ATTACK_FILES`.
Its docstring describes the attack.
"""
