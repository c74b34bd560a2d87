"""Print changes of the public interface, or record new keys with `--add [KEY …]`."""

from __future__ import annotations

import sys

from tests.compatibility.surface import add, decisions, present, recorded, undecided
from tests.conftest import forget_settings


def main(arguments: list[str]) -> int:
    """Run the command, and return its exit status."""
    forget_settings()
    if arguments[:1] == ["--add"]:
        print(*add(arguments[1:]), sep="\n")
        return 0
    was = recorded()
    now = present(was)
    wrong = undecided(was, now, decisions())
    new = sorted(now.keys() - was.keys())
    print(*wrong, *(f"{key}: not recorded yet; record it with --add" for key in new), sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
