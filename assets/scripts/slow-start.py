"""Why does it not start? Where the units of a sigmoid network are while it waits.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

from copy import deepcopy

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, BATCH = 0, 300, 60
ASKED = 25

x, y, test_x, test_y = map(torch.tensor, np.load("bnviz-digits.npz").values())
mean, std = x.mean(), x.std(correction=0)
x, test_x = (x - mean) / std, (test_x - mean) / std
# The training images in the order in which they are taken, shuffled anew for each pass.
passes = range(STEPS * BATCH // len(x) + 1)
order = np.concatenate([np.random.default_rng([SEED, 1, n]).permutation(len(x)) for n in passes])


def linear(generator, fan_in, fan_out, bias=True):
    """A linear layer that begins as the lesson's: weights of spread 0.1, biases 0."""
    layer = nn.Linear(fan_in, fan_out, bias)
    weight = generator.normal(0, 0.1, (fan_out, fan_in))
    layer.weight.data = torch.tensor(weight).float()
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def network(norm):
    """Three hidden layers of 100 sigmoid units, with batch normalization or without."""
    generator, layers, fan_in = np.random.default_rng([SEED, 0]), [], 64
    for _ in range(3):
        layers.append(linear(generator, fan_in, 100, bias=not norm))  # BN has a bias of its own, β
        layers += [nn.BatchNorm1d(100), nn.Sigmoid()] if norm else [nn.Sigmoid()]
        fan_in = 100
    return nn.Sequential(*layers, linear(generator, fan_in, 10))


@torch.no_grad()
def accuracy(net):
    """The share of test images that are named correctly, in inference mode."""
    share = (net.eval()(test_x).argmax(1) == test_y).float().mean().item()
    net.train()
    return share


@torch.no_grad()
def outputs(net):
    """What each hidden layer makes of the test images, in training mode."""
    found, values = [], test_x
    for layer in deepcopy(net):  # so that the running averages of the run stay as they are
        values = layer(values)
        if isinstance(layer, nn.Sigmoid):
            found.append(values)
    return found


# The numbers of the lesson's result.
TOLD = {"plain": ("", "_flat", "_apart", "_left", "_end"), "batch": ("", "_apart", "_left")}

found = {}
for name in ("plain", "batch"):
    net = network(norm=name == "batch")
    sgd = torch.optim.SGD(net.parameters(), lr=1.0)
    for step in range(STEPS):
        rows = order[BATCH * step : BATCH * (step + 1)]
        sgd.zero_grad()
        cross_entropy(net(x[rows]), y[rows]).backward()
        if step == ASKED:
            hidden, last = outputs(net), net[-1].weight.grad.norm()
            found[name] = {
                "": accuracy(net),
                # The share near 0 or 1, where a sigmoid is flat, in the layer that has most there.
                "_flat": max(((h - 0.5).abs() > 0.45).float().mean().item() for h in hidden),
                # By how much images differ in a unit of the last layer: the median of its units.
                "_apart": hidden[-1].std(0, correction=0).median().item(),
                # How much of the gradient at the output arrives at layer 1.
                "_left": (net[0].weight.grad.norm() / last).item(),
            }
        sgd.step()
    found[name]["_end"] = accuracy(net)
    for key in TOLD[name]:
        print(f"{name}{key} {found[name][key]:.4f}")

plain, batch = found["plain"], found["batch"]
waits = batch[""] - plain[""] >= 0.3 and plain["_flat"] <= 0.1
print("held" if waits and plain["_left"] <= 0.25 and batch["_left"] >= 0.4 else "did not hold")
