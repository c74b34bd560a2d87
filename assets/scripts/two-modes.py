"""Two modes, one network: the same weights with running averages and recomputed statistics.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

from copy import deepcopy

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, BATCH = 0, 200, 60
ASKED, EQUAL, APART = 20, 0.02, 0.1

x, y, test_x, test_y = map(torch.tensor, np.load("bnviz-digits.npz").values())
mean, std = x.mean(), x.std(correction=0)
x, test_x = (x - mean) / std, (test_x - mean) / std
# The training images in the order in which they are used, shuffled again for each pass.
passes = range(STEPS * BATCH // len(x) + 1)
order = np.concatenate([np.random.default_rng([SEED, 1, n]).permutation(len(x)) for n in passes])


def linear(generator, fan_in, fan_out, bias=True):
    """A linear layer that begins as the lesson's: weights after He et al. 2015, biases 0."""
    layer = nn.Linear(fan_in, fan_out, bias)
    weight = generator.normal(0, (2 / fan_in) ** 0.5, (fan_out, fan_in))
    layer.weight.data = torch.tensor(weight).float()
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def network():
    """Three hidden layers of 100 ReLU units with BN, at a momentum of 0.01."""
    generator, layers, fan_in = np.random.default_rng([SEED, 0]), [], 64
    for _ in range(3):
        norm = nn.BatchNorm1d(100, momentum=0.01)
        layers += [linear(generator, fan_in, 100, bias=False), norm, nn.ReLU()]
        fan_in = 100
    return nn.Sequential(*layers, linear(generator, fan_in, 10))


@torch.no_grad()
def accuracy(net):
    """The share of test images that are predicted correctly, in inference mode."""
    share = (net.eval()(test_x).argmax(1) == test_y).float().mean().item()
    net.train()
    return share


@torch.no_grad()
def with_recomputed(net):
    """The same weights with the mean of the statistics of all training mini-batches."""
    net = deepcopy(net)
    for layer in net:
        if isinstance(layer, nn.BatchNorm1d):
            layer.reset_running_stats()
            layer.momentum = None  # to torch: the plain mean of all so far
    for inputs in x.split(BATCH)[:-1]:  # the last one is smaller
        net(inputs)
    return net


net, stored, recomputed = network(), {}, {}
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(STEPS + 1):
    if step in (ASKED, STEPS):
        stored[step], recomputed[step] = accuracy(net), accuracy(with_recomputed(net))
    rows = order[BATCH * step : BATCH * (step + 1)]
    sgd.zero_grad()
    cross_entropy(net(x[rows]), y[rows]).backward()
    sgd.step()

gap, end_gap = (recomputed[step] - stored[step] for step in (ASKED, STEPS))
print(f"recomputed {recomputed[ASKED]:.3f}")
print(f"stored {stored[ASKED]:.3f}")
print(f"end_recomputed {recomputed[STEPS]:.3f}")
print(f"end_stored {stored[STEPS]:.3f}")
print("held" if gap >= APART and abs(end_gap) < EQUAL else "did not hold")
