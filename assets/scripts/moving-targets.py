"""Who has to start over? Upper layers of step 20 on the outputs of lower layers of step 100.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

from copy import deepcopy

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, BATCH = 0, 100, 60
FROZEN, CUT = 20, 3  # the step of the upper layers, and below which layer they begin

x, y, test_x, test_y = map(torch.tensor, np.load("bnviz-digits.npz").values())
mean, std = x.mean(), x.std(correction=0)
x, test_x = (x - mean) / std, (test_x - mean) / std
# The training images in the order in which they are taken, shuffled anew for each pass.
passes = range(STEPS * BATCH // len(x) + 1)
order = np.concatenate([np.random.default_rng([SEED, 1, n]).permutation(len(x)) for n in passes])


def linear(generator, fan_in, fan_out, bias=True):
    """A linear layer that begins as the lesson's: weights after Glorot & Bengio 2010, biases 0."""
    layer = nn.Linear(fan_in, fan_out, bias)
    limit = (6 / (fan_in + fan_out)) ** 0.5
    weight = generator.uniform(-limit, limit, (fan_out, fan_in))
    layer.weight.data = torch.tensor(weight).float()
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def network(norm):
    """Six hidden layers of 100 tanh units, with batch normalization or without."""
    generator, layers, fan_in = np.random.default_rng([SEED, 0]), [], 64
    for _ in range(6):
        layers.append(linear(generator, fan_in, 100, bias=not norm))  # BN has a bias of its own, β
        layers += [nn.BatchNorm1d(100), nn.Tanh()] if norm else [nn.Tanh()]
        fan_in = 100
    return nn.Sequential(*layers, linear(generator, fan_in, 10))


@torch.no_grad()
def joined(lower, upper, at):
    """The accuracy of one network's modules up to a place under another's from there on.

    All test images are one batch, in training mode.
    """
    return (upper[at:](lower[:at](test_x)).argmax(1) == test_y).float().mean().item()


@torch.no_grad()
def moved(start, end, at):
    """How far a layer's values before the norm have moved, in standard deviations of the start.

    The Wasserstein-1 distance of two samples of equal size is the mean distance of sorted values.
    """
    before, after = (net[: at + 1](test_x).flatten().sort().values for net in (start, end))
    return ((after - before).abs().mean() / before.std(correction=0)).item()


found = {}
for name, modules in (("plain", 2), ("batch", 3)):  # modules a layer
    net = network(norm=name == "batch")
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    kept = {0: deepcopy(net)}
    for step in range(STEPS):
        rows = order[BATCH * step : BATCH * (step + 1)]
        sgd.zero_grad()
        cross_entropy(net(x[rows]), y[rows]).backward()
        sgd.step()
        kept[step + 1] = deepcopy(net)
    first, later = (joined(kept[step], kept[FROZEN], CUT * modules) for step in (FROZEN, STEPS))
    found[name] = first, later, moved(kept[0], kept[STEPS], at=5 * modules)  # in layer 6

(frozen_first, frozen_later, plain_moved), (first, later, batch_moved) = found.values()
print(f"frozen_first {frozen_first:.3f}")
print(f"frozen_later {frozen_later:.3f}")
print(f"batch_first {first:.3f}")
print(f"batch_later {later:.3f}")
print(f"plain_moved {plain_moved:.3f}")
print(f"batch_moved {batch_moved:.3f}")
shifted = plain_moved >= 0.5 and batch_moved <= 0.2
print("held" if shifted and frozen_later >= frozen_first else "did not hold")
