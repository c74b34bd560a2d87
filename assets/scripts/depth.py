"""Up and down a deep stack: fifty ReLU layers, with batch normalization and without.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, BATCH = 0, 150, 60

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


def network(norm):
    """Fifty hidden layers of 50 ReLU units, with batch normalization or without."""
    generator, layers, fan_in = np.random.default_rng([SEED, 0]), [], 64
    for _ in range(50):
        layers.append(linear(generator, fan_in, 50, bias=not norm))  # BN has a bias of its own, β
        layers += [nn.BatchNorm1d(50), nn.ReLU()] if norm else [nn.ReLU()]
        fan_in = 50
    return nn.Sequential(*layers, linear(generator, fan_in, 10))


@torch.no_grad()
def accuracy(net):
    """The share of test images that are named correctly, in inference mode."""
    share = (net.eval()(test_x).argmax(1) == test_y).float().mean().item()
    net.train()
    return share


def growth(net, rows):
    """By how much the gradient grows a layer, from the last hidden layer down to the first."""
    values, received = x[rows], []
    for layer in net:
        values = layer(values)
        if isinstance(layer, nn.Linear):
            values.retain_grad()
            received.append(values)
    cross_entropy(values, y[rows]).backward()
    first, *_, last, _ = (each.grad.norm().item() for each in received)
    return (first / last) ** (1 / 49)


found = {}
for name in ("plain", "batch"):
    found[f"{name}_growth"] = growth(network(norm=name == "batch"), order[:BATCH])
    net = network(norm=name == "batch")
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(STEPS):
        rows = order[BATCH * step : BATCH * (step + 1)]
        sgd.zero_grad()
        cross_entropy(net(x[rows]), y[rows]).backward()
        sgd.step()
    found[name] = accuracy(net)

for name, value in found.items():
    print(f"{name} {value:.3f}")
explodes = 1.15 <= found["batch_growth"] <= 1.3
print("held" if explodes and found["batch"] <= 0.35 else "did not hold")
