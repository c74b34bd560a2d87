"""The rungs of sliders, and numbers as a person writes them."""

from __future__ import annotations

from collections.abc import Sequence

from bnviz.config import RunConfig
from bnviz.networks import NETWORKS

# The 1-3-10 ladder, failing region included.
RATES = tuple(float(f"{digit}e{power}") for power in range(-5, 3) for digit in (1, 3))[:-1]
LADDERS: dict[str, tuple[float, ...]] = {
    "learning_rate": RATES,
    "batch_size": (1, 2, 4, 8, 16, 32, 60, 128, 256, 512, 1024),
    "momentum": (0.0, 0.5, 0.8, 0.9, 0.95, 0.99),
    "weight_decay": (0.0, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0),
    "width": (2, 4, 8, 16, 32, 64, 100, 128, 256, 512),
    "depth": tuple(range(1, 51)),
    "noise": (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0),
    "init_std": (0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
    "norm_eps": (0.0, 1e-8, 1e-5, 1e-3, 0.1, 1.0),
    "norm_momentum": (0.01, 0.03, 0.1, 0.3, 1.0),
    "dropout": (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9),
    "recurrent_gamma": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0),
}
# Rungs of a live knob that the page keys take at once: a decade of a rate or of the weight decay,
# four times the batch, two rungs of the momentum.
PAGES: dict[str, int] = {"learning_rate": 2, "batch_size": 2, "momentum": 2, "weight_decay": 1}


def ladder(name: str, config: RunConfig) -> Sequence[float]:
    """The rungs of a knob that the run's kind of network allows."""
    if name == "norm_groups":
        return [groups for groups in range(1, config.width + 1) if config.width % groups == 0]
    entry = NETWORKS[config.network]
    most = {"depth": entry.max_depth, "width": entry.max_width}.get(name)
    return [rung for rung in LADDERS[name] if most is None or rung <= most]


def number(value: float) -> str:
    """A number as a person writes it: 0.1, 60, 3e-5."""
    if value and abs(value) < 1e-3:
        digits, _, power = f"{value:.6e}".partition("e")
        return f"{float(digits):g}e{int(power)}"
    return f"{value:g}"
