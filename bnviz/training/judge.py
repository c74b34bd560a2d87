"""Vectorized evaluation of many networks' logged steps, with the same results as `Monitor`.

Means over windows use exact integer sums or sums from left to right. Python's `sum`, used by the
monitor, may round the last digit differently. Where that digit could decide, `sum` is used here
too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bnviz.break_limits import (
    BLOWN_UP_FACTOR,
    BLOWN_UP_STEPS,
    BROKEN_SHARE,
    CHANCE_MARGIN,
    LATELY,
    LEFT_MARGIN,
)
from bnviz.networks.activations import Activation
from bnviz.pieces import Pieces
from bnviz.records import AT_CHANCE, BLOWN_UP, DEAD, LARGE, NONFINITE, SATURATED, Break, State
from bnviz.training.device_stack import Facts
from bnviz.training.monitor import CHANCE_WINDOW, PATIENCE, Monitor, good_steps
from bnviz.training.recovery import REGAINED
from bnviz.training.rules import Rules

# Tolerance for two numbers that the monitor might order differently because of rounding. It is
# relative, but absolute for numbers below 1.
CLOSE = 1e-9
# Number of networks per block, chosen so that the data of a step fit into a core's cache.
BLOCK = 2048
# Tuples of states and rules. Arrays store indices into these tuples.
STATES: tuple[State, ...] = ("learning", "blown_up", "recovered", "stuck", "diverged")
LEARNING, BLEW_UP, RECOVERED, STUCK, DIVERGED = range(5)
REASONS = (LARGE, SATURATED, DEAD, NONFINITE, BLOWN_UP, AT_CHANCE)
NEVER = -1


class BreakVerdict(NamedTuple):
    state: State
    broke: Break | None
    stopped_at: int | None


@dataclass(frozen=True)
class JudgedStack:
    """Common properties of networks that are judged together; for `chance_loss` see `Monitor`."""

    layer_names: tuple[str, ...]
    activation: Activation
    width: int
    classes: int
    chance_loss: float


def judge(
    case: JudgedStack, facts: Facts, batch: np.ndarray, spoilt: Sequence[str]
) -> Pieces[list[BreakVerdict]]:
    """Return the verdicts on all networks.

    Args:
        facts: measurements of all steps, as NumPy arrays.
        batch: mini-batch size per network [K].
        spoilt: name of the layer that `overflow` points to, or "", per network [K].
    """
    found: list[BreakVerdict] = []
    for first in range(0, len(batch), BLOCK):
        part = slice(first, first + BLOCK)
        few = Facts(*(each[..., part] for each in facts))
        found += _Judge(case, few, batch[part]).verdicts(spoilt[part])
        yield
    return found


def _close(a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
    return np.abs(a - b) <= CLOSE * np.maximum(np.maximum(np.abs(a), np.abs(b)), 1)


class _Judge:
    """State of one block of networks; steps and layers are stored as integers."""

    def __init__(self, case: JudgedStack, facts: Facts, batch: np.ndarray) -> None:
        self.case, self.facts, self.batch = case, facts, batch
        self.steps, self.count = facts.loss.shape
        self.rules = Rules(case.layer_names, case.activation)
        self.chance = 1 / case.classes
        self.loss = facts.loss.astype(np.float64)
        self.accuracy = facts.right / batch
        with np.errstate(all="ignore"):
            self.start_loss = np.maximum(self.loss[0], case.chance_loss)
            self.fired_layer, self.fired_rule = self._fired()
            self._average()
            self._follow()

    def _fired(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the lowest layer for which a rule fires, or `NEVER`, and the rule, both [T, K]."""
        facts = self.facts
        limit, bound = self.rules.limits(facts.square[0].astype(np.float64))
        samples = self.case.width * (1 if self.case.activation.can_die else self.batch)
        many = facts.saturated > BROKEN_SHARE * samples
        large = facts.square > limit
        if not self.case.activation.can_die:
            many &= facts.square > bound
        fired = large | many
        any_layer = fired.any(1)
        layer = np.where(any_layer, fired.argmax(1), NEVER)
        chosen = np.where(any_layer, layer, 0)[:, None]
        is_large = np.take_along_axis(large, chosen, 1)[:, 0]
        is_many = np.take_along_axis(many, chosen, 1)[:, 0]
        if self.case.activation.can_die:
            rule = np.where(is_large, REASONS.index(LARGE), REASONS.index(DEAD))
        else:
            rule = np.where(is_many, REASONS.index(SATURATED), REASONS.index(LARGE))
        return layer, rule

    def _average(self) -> None:
        """Compute means over the windows that end at each step [T, K]."""
        right, loss, window = self.facts.right.astype(np.int64), self.loss, BLOWN_UP_STEPS
        total = np.zeros_like(loss)
        for back in reversed(range(min(window, self.steps))):
            total[back:] += loss[: self.steps - back]
        lengths = np.minimum(np.arange(self.steps) + 1, window)[:, None]
        self.mean_loss = total / lengths
        for limit in (BLOWN_UP_FACTOR * self.start_loss, self.start_loss):
            self._settle(self.mean_loss, limit, loss, window)
        sums = np.cumsum(right, 0)
        self.mean_accuracy = self._moving(sums, CHANCE_WINDOW)
        self.at_chance = self.chance + CHANCE_MARGIN
        for margin in (self.at_chance, self.chance + LEFT_MARGIN):
            self._settle(self.mean_accuracy, margin, self.accuracy, CHANCE_WINDOW)
        self.now = self._moving(sums, LATELY)
        best = np.maximum.accumulate(np.nan_to_num(self.now, nan=0.0), 0)
        self.best_before = np.concatenate([np.zeros((1, self.count)), best[:-1]])

    def _moving(self, sums: np.ndarray, window: int) -> np.ndarray:
        """Return the mean accuracy over the last `window` steps; NaN before step `window`."""
        found = np.full(sums.shape, np.nan)
        if len(sums) >= window:
            found[window - 1] = sums[window - 1]
            found[window:] = sums[window:] - sums[:-window]
        return found / (window * self.batch)

    def _settle(
        self, means: np.ndarray, limit: np.ndarray | float, values: np.ndarray, window: int
    ) -> None:
        """Recompute in place, with Python's `sum`, the means that are close to a limit."""
        for step, member in np.argwhere(_close(means, limit)).tolist():
            own = values[max(step - window + 1, 0) : step + 1, member].tolist()
            means[step, member] = sum(own) / len(own)

    def _follow(self) -> None:
        """Process the steps in order."""
        size = self.count
        self.state = np.full(size, LEARNING)
        self.stopped_at, self.broke_at, self.broke_layer, self.reason = (
            np.full(size, NEVER) for _ in range(4)
        )
        self.streak, self.streak_layer, self.streak_rule = (np.full(size, NEVER) for _ in range(3))
        self.blown_since = np.full(size, NEVER)
        self.blew_up, self.left, self.unsure = (np.zeros(size, bool) for _ in range(3))
        # Step of the break, and best accuracy before it, as in `Recovery`.
        self.began, self.before = np.full(size, NEVER), np.zeros(size)
        live = np.ones(size, bool)
        for step in range(self.steps):
            lowest = self.facts.nonfinite[step]
            gone = live & (lowest <= len(self.case.layer_names))
            if gone.any():
                self._diverge(step, gone, lowest)
                live &= ~gone
            self._observe(step, live)
            overflow = live & (self.facts.overflow[step] >= 0)
            if overflow.any():
                # The layer is not known here: `verdicts` takes its name from `spoilt`.
                self._diverge(step + 1, overflow, np.full(size, NEVER))
                live &= ~overflow
            if not live.any():
                return

    def _diverge(self, step: int, gone: np.ndarray, layer: np.ndarray) -> None:
        self.state[gone] = DIVERGED
        self.stopped_at[gone] = step
        new = gone & (self.broke_at == NEVER)
        streak = new & (self.streak != NEVER)
        self._break(streak, self.streak, self.streak_layer, self.streak_rule)
        nonfinite = np.full(self.count, REASONS.index(NONFINITE))
        self._break(new & ~streak, np.full(self.count, step), layer, nonfinite)

    def _break(
        self, where: np.ndarray, step: np.ndarray, layer: np.ndarray, reason: np.ndarray
    ) -> None:
        for mine, values in (
            (self.broke_at, step), (self.broke_layer, layer), (self.reason, reason),
        ):  # fmt: skip
            mine[where] = values[where]

    def _observe(self, step: int, live: np.ndarray) -> None:
        fired = self.fired_layer[step]
        begins = (fired != NEVER) & (self.streak == NEVER)
        self.streak[begins] = step
        self.streak_layer[begins] = fired[begins]
        self.streak_rule[begins] = self.fired_rule[step][begins]
        self.streak[fired == NEVER] = NEVER
        self.state[live] = self._judge(step, live)[live]
        unbroken = live & (self.broke_at == NEVER)
        if unbroken.any():
            self._publish(step, unbroken)

    def _judge(self, step: int, live: np.ndarray) -> np.ndarray:
        state = np.full(self.count, LEARNING)
        mean_loss, rest = self.mean_loss[step], live.copy()
        if step + 1 >= BLOWN_UP_STEPS:
            blown = rest & (mean_loss > BLOWN_UP_FACTOR * self.start_loss)
            self.blew_up |= blown
            state[blown] = BLEW_UP
            rest &= ~blown
        if step + 1 >= CHANCE_WINDOW:
            mean = self.mean_accuracy[step]
            self.left |= rest & (mean > self.chance + LEFT_MARGIN)
            stuck = rest & (mean <= self.at_chance)
            state[stuck] = STUCK
            rest &= ~stuck
        recovered = rest & self._recovered(step)
        state[recovered] = RECOVERED
        self.blew_up &= ~recovered
        rest &= ~recovered & self.blew_up
        for member in np.flatnonzero(rest).tolist():
            # The loop is cheap: it covers few networks, for a few steps each.
            recent = self.accuracy[max(step - BLOWN_UP_STEPS + 1, 0) : step + 1, member][::-1]
            above = sum(recent.tolist()) / len(recent) > self.at_chance
            if mean_loss[member] < self.start_loss[member] and above:
                self.blew_up[member] = False
            else:
                state[member] = BLEW_UP
        return state

    def _recovered(self, step: int) -> np.ndarray:
        if step < LATELY - 1:
            return np.zeros(self.count, bool)
        now, learned = self.now[step], self.chance + LEFT_MARGIN
        asked = (self.began != NEVER) & (step - self.began >= LATELY)
        bar = REGAINED * self.before
        self.unsure |= asked & (_close(self.before, learned) | _close(now, bar))
        return asked & (self.before > learned) & (now >= bar)

    def _publish(self, step: int, unbroken: np.ndarray) -> None:
        """Record new breaks."""
        blown, stuck = self.state == BLEW_UP, self.state == STUCK
        trouble = unbroken & (blown | stuck)
        self.blown_since[trouble & blown & (self.blown_since == NEVER)] = step
        streak = trouble & (self.streak != NEVER)
        self._break(streak, self.streak, self.streak_layer, self.streak_rule)
        self._remember(streak, self.streak)
        rest = unbroken & ~streak
        known = rest & (self.blown_since != NEVER)
        waited = known & ((step - self.blown_since >= PATIENCE) | ~blown)
        whole = np.full(self.count, NEVER)
        self._break(waited, self.blown_since, whole, np.full(self.count, REASONS.index(BLOWN_UP)))
        self._remember(waited, self.blown_since)
        fell = rest & ~known & stuck & self.left
        if fell.any():
            began = np.full(self.count, step - CHANCE_WINDOW + 1)
            for member in np.flatnonzero(fell).tolist():
                window = self.accuracy[step - CHANCE_WINDOW + 1 : step + 1, member].tolist()
                began[member] += good_steps(window, self.chance)
            self._break(fell, began, whole, np.full(self.count, REASONS.index(AT_CHANCE)))
            self._remember(fell, began)

    def _remember(self, where: np.ndarray, began: np.ndarray) -> None:
        """Record the step at which a break began, and the best accuracy before it."""
        if where.any():
            self.began[where] = began[where]
            members = np.flatnonzero(where)
            self.before[where] = self.best_before[began[where], members]

    def verdicts(self, spoilt: Sequence[str]) -> list[BreakVerdict]:
        """Return the verdicts in the order of the networks; see `judge`."""
        names = (*self.case.layer_names, "output")
        found = []
        columns = (self.state, self.stopped_at, self.broke_at, self.broke_layer, self.reason)
        for member, row in enumerate(zip(*(each.tolist() for each in columns), strict=True)):
            if self.unsure[member]:
                found.append(self._by_monitor(member, spoilt[member]))
                continue
            state, stopped, broke_at, layer, reason = row
            broke = None
            if broke_at != NEVER:
                key = REASONS[reason]
                name = names[layer] if layer != NEVER else None
                if name is None and key == NONFINITE:
                    name = spoilt[member]
                broke = Break.because(broke_at, name, key)
            found.append(BreakVerdict(STATES[state], broke, None if stopped == NEVER else stopped))
        return found

    def _by_monitor(self, member: int, spoilt: str) -> BreakVerdict:
        """Judge one network with `Monitor`, where rounding could change the verdict."""
        case, names = self.case, (*self.case.layer_names, "output")
        monitor = Monitor(Rules(case.layer_names, case.activation), case.classes, case.chance_loss)
        for step in range(self.steps):
            lowest = int(self.facts.nonfinite[step, member])
            if lowest < len(names):
                monitor.diverge(step, names[lowest])
                break
            fired, layer = None, int(self.fired_layer[step, member])
            if layer != NEVER:
                fired = names[layer], REASONS[self.fired_rule[step, member]]
            loss, accuracy = float(self.loss[step, member]), float(self.accuracy[step, member])
            monitor.observe(step, loss, accuracy, fired, int(self.batch[member]))
            if self.facts.overflow[step, member] >= 0:
                monitor.diverge(step + 1, spoilt)
                break
        return BreakVerdict(monitor.state, monitor.broke, monitor.stopped_at)
