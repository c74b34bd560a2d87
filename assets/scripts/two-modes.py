"""Two modes, one network: the same weights by stored statistics, and by newly measured ones.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

from copy import deepcopy

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, BATCH = 0, 200, 60
EARLY, ASKED = (5, 10, 20, 30, 50), 20

x, y, test_x, test_y = map(torch.tensor, np.load("bnviz-digits.npz").values())
mean, std = x.mean(), x.std(correction=0)
x, test_x = (x - mean) / std, (test_x - mean) / std
# The training images in the order in which they are taken, shuffled anew for each pass.
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
    """Three hidden layers of 100 ReLU units with BN, whose averages move by a hundredth a step."""
    generator, layers, fan_in = np.random.default_rng([SEED, 0]), [], 64
    for _ in range(3):
        norm = nn.BatchNorm1d(100, momentum=0.01)
        layers += [linear(generator, fan_in, 100, bias=False), norm, nn.ReLU()]
        fan_in = 100
    return nn.Sequential(*layers, linear(generator, fan_in, 10))


@torch.no_grad()
def accuracy(net):
    """The share of test images that are named correctly, in inference mode."""
    share = (net.eval()(test_x).argmax(1) == test_y).float().mean().item()
    net.train()
    return share


@torch.no_grad()
def measured_anew(net):
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
    if step in (*EARLY, STEPS):
        stored[step], recomputed[step] = accuracy(net), accuracy(measured_anew(net))
    rows = order[BATCH * step : BATCH * (step + 1)]
    sgd.zero_grad()
    cross_entropy(net(x[rows]), y[rows]).backward()
    sgd.step()

widest = max(recomputed[step] - stored[step] for step in EARLY)
print(f"recomputed {recomputed[ASKED]:.3f}")
print(f"stored {stored[ASKED]:.3f}")
print(f"widest {widest:.3f}")
print(f"end_recomputed {recomputed[STEPS]:.3f}")
print(f"end_stored {stored[STEPS]:.3f}")
met = recomputed[STEPS] - stored[STEPS] <= 0.03
print("held" if widest >= 0.1 and met else "did not hold")
