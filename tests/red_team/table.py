"""Table of the measurements, and their limits."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.red_team.measuring import Figures

# Limit in seconds for the 95th percentile of the response times of health requests.
MOST_HEALTH = 0.25
# Minimum frame rate of the watched run during an attack, as a share of its frame rate before the
# attack.
LEAST_FRAMES = 0.5
# Maximum growth of the server's memory during an attack, in megabytes.
MOST_MEMORY = 200
# Maximum number of file descriptors that an attack may leave open: three for each of the 128 tabs
# that Streamlit keeps for two minutes after they close, and a margin.
MOST_DESCRIPTORS = 3 * 128 + 100
HEAD = (
    f"{'':26}{'health, ms':>12}{'frames/s':>15}{'memory, MB':>17}{'descriptors':>16}"
    f"{'new':>7}\n"
    f"{'attack':26}{'before  95%':>12}{'before  now':>15}{'before most last':>17}"
    f"{'before most last':>16}{'run, s':>7}  work done"
)


@dataclass
class Row:
    """An attack and its measurements.

    Attributes:
        before, during: measurements before and during the attack.
        most_descriptors: maximum allowed number of descriptors some time after the attack.
        memory, descriptors: values before the attack and some time after it.
        new_visitor: seconds until a new visitor's run showed a step, after the attack.
        did: amount of work that the attack reports.
        wrong: problems and exceeded limits.
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
        """Add an entry to `wrong` for each exceeded limit."""
        health, kept = self.during.slow_health, self.during.frames / max(self.before.frames, 1e-9)
        grown = self.during.memory - self.memory[0]
        if health > MOST_HEALTH:
            self.wrong.append(
                f"a health check took {1000 * health:.0f} ms (at most {1000 * MOST_HEALTH:.0f})"
            )
        if kept < LEAST_FRAMES:
            self.wrong.append(f"frames/s fell to {kept:.0%} (at least {LEAST_FRAMES:.0%})")
        if grown > MOST_MEMORY:
            self.wrong.append(f"memory grew by {grown:.0f} MB (at most {MOST_MEMORY})")
        if self.descriptors[1] > self.most_descriptors:
            self.wrong.append(
                f"{self.descriptors[1]} descriptors stayed open (at most {self.most_descriptors})"
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
