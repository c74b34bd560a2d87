"""The table of what was measured, and the limits."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.red_team.measuring import Figures

# Seconds within which the server says that it is healthy, 95 times of 100.
MOST_HEALTH = 0.25
# Share of its frames that a watched run keeps.
LEAST_FRAMES = 0.5
# Megabytes that an attack may take.
MOST_MEMORY = 200
# Descriptors that the server may have more after an attack than at first: three of each of the 128
# tabs that Streamlit remembers for two minutes after they were left, and some garbage.
MOST_DESCRIPTORS = 3 * 128 + 100
HEAD = (
    f"{'':26}{'health, ms':>12}{'frames/s':>15}{'memory, MB':>17}{'descriptors':>16}"
    f"{'new':>7}\n"
    f"{'attack':26}{'before  95%':>12}{'before  now':>15}{'before most last':>17}"
    f"{'before most last':>16}{'run, s':>7}  what was done"
)


@dataclass
class Row:
    """An attack and what was measured.

    Attributes:
        name: of the attack.
        before, during: what was measured before it and while it ran.
        most_descriptors: that the server may have some time after the attack.
        memory, descriptors: of the server before the attack and some time after it.
        new_visitor: seconds until a new visitor's run showed a step, after the attack.
        did: what the attack says that it did.
        wrong: what should not have happened.
    """

    name: str
    most_descriptors: int
    before: Figures = field(default_factory=Figures)
    during: Figures = field(default_factory=Figures)
    memory: tuple[float, float] = (0, 0)
    descriptors: tuple[int, int] = (0, 0)
    new_visitor: float = 0.0
    did: str = ""
    wrong: list[str] = field(default_factory=list)

    def check(self) -> None:
        """Compare with the limits, and note what misses one."""
        health, kept = self.during.slow_health, self.during.frames / max(self.before.frames, 1e-9)
        grown = self.during.memory - self.memory[0]
        if health > MOST_HEALTH:
            self.wrong.append(
                f"health took {1000 * health:.0f} ms (at most {1000 * MOST_HEALTH:.0f})"
            )
        if kept < LEAST_FRAMES:
            self.wrong.append(f"{kept:.0%} of the frames came (at least {LEAST_FRAMES:.0%})")
        if grown > MOST_MEMORY:
            self.wrong.append(f"memory grew by {grown:.0f} MB (at most {MOST_MEMORY})")
        if self.descriptors[1] > self.most_descriptors:
            self.wrong.append(
                f"it still has {self.descriptors[1]} descriptors (at most {self.most_descriptors})"
            )

    def __str__(self) -> str:
        health = f"{1000 * self.before.slow_health:.0f} {1000 * self.during.slow_health:5.0f}"
        frames = f"{self.before.frames:.1f} {self.during.frames:5.1f}"
        memory = f"{self.memory[0]:.0f} {self.during.memory:.0f} {self.memory[1]:.0f}"
        opened = f"{self.descriptors[0]} {self.during.descriptors} {self.descriptors[1]}"
        line = (
            f"{self.name:26}{health:>12}{frames:>15}{memory:>17}{opened:>16}"
            f"{self.new_visitor:7.1f}  {self.did}"
        )
        return "\n".join([line, *(f"  MISSED: {problem}" for problem in self.wrong)])
