"""One check per fault, shown on the page `in-code`. A check works with any batch norm layer.

`python -m bnviz.lessons.in_code.checks` writes the results to `MEASURED`. A test compares them with
new results.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from bnviz.lessons.in_code import MEASURED
from bnviz.lessons.in_code.faulty import FaultyBatchNorm
from bnviz.lessons.in_code.layer import BatchNorm

Make = Callable[..., nn.Module]
CheckNumbers = dict[str, float | int | bool]


def saved(make: Make) -> CheckNumbers:
    """Count the vectors in a layer's state dict, and the vectors that `double` makes float64."""
    layer: Any = make(3)
    layer(torch.randn(60, 3)).sum().backward()
    names = [name for name in layer.state_dict() if "tracked" not in name]
    layer.double()
    vectors = [*layer.parameters(), layer.running_mean, layer.running_var]
    followed = [each for each in vectors if each.dtype == torch.float64]
    return {"saved": len(names), "followed": len(followed)}


def graph(make: Make, steps: int = 300) -> CheckNumbers:
    """Count the autograd nodes that the running mean keeps alive: in total, and added by the last
    step.
    """
    below, layer = nn.Linear(5, 3), make(3)
    sizes = []
    for _ in range(steps):
        layer(below(torch.randn(60, 5)))
        sizes.append(nodes(layer.running_mean))
    return {"nodes": sizes[-1], "nodes_a_step": sizes[-1] - sizes[-2]}


def nodes(value: Any) -> int:
    """Count the autograd nodes that a tensor keeps alive."""
    waiting, seen = [value.grad_fn], set()
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            waiting += [below for below, _ in node.next_functions]
    return len(seen)


def backward_in_use(make: Make) -> CheckNumbers:
    """Return whether a backward pass works in `eval` mode after a training step."""
    below, layer = nn.Linear(5, 3), make(3)
    layer(below(torch.randn(60, 5))).square().sum().backward()
    layer.eval()
    try:
        layer(below(torch.randn(60, 5))).square().sum().backward()
    except RuntimeError:
        return {"passes": False}
    return {"passes": True}


def stored_variance(make: Make, m: int = 4) -> CheckNumbers:
    """Return the running variance, averaged over many batches; the true variance is 1."""
    layer: Any = make(100, momentum=1.0)
    found = []
    for _ in range(2_000):
        layer(torch.randn(m, 100))
        found.append(layer.running_var.detach().mean())
    return {"stored": float(torch.stack(found).mean())}


def batch_of_one(make: Make) -> CheckNumbers:
    """Return whether the layer refuses a batch of one; if not, how far the result is from β."""
    layer = make(3)
    beta = torch.tensor([1.0, 2.0, 3.0])
    with torch.no_grad():
        [*layer.parameters()][1].copy_(beta)
    try:
        result: Tensor = layer(torch.randn(1, 3))
    except ValueError:
        return {"refused": True}
    return {"refused": False, "from_beta": float((result - beta).detach().abs().max())}


CHECKS: dict[str, Callable[[Make], CheckNumbers]] = {
    "saved": saved,
    "graph": graph,
    "backward": backward_in_use,
    "variance": stored_variance,
    "one": batch_of_one,
}


def measure() -> dict[str, float | int | bool]:
    """Return the results of all checks. Results of the mended layer have the prefix `mended_`."""
    found: CheckNumbers = {}
    for check in CHECKS.values():
        for prefix, make in (("", FaultyBatchNorm), ("mended_", BatchNorm)):
            torch.manual_seed(0)
            found |= {prefix + name: value for name, value in check(make).items()}
    return found


if __name__ == "__main__":
    MEASURED.write_text(json.dumps(measure(), indent=2) + "\n", encoding="utf-8")
