"""Feature maps: a convolutional network with and without batch normalization, two images per step.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, BATCH, MAPS = 0, 300, 2, 16
LOOKED_AT = (200, 225, 250, 275, 300)

x, y, test_x, test_y = map(torch.tensor, np.load("bnviz-digits.npz").values())
mean, std = x.mean(), x.std(correction=0)
x, test_x = (x - mean) / std, (test_x - mean) / std
x, test_x = x.view(-1, 1, 8, 8), test_x.view(-1, 1, 8, 8)
# The training images in the order in which they are taken, shuffled anew for each pass.
passes = range(STEPS * BATCH // len(x) + 1)
order = np.concatenate([np.random.default_rng([SEED, 1, n]).permutation(len(x)) for n in passes])


def begun(generator, layer):
    """A layer that begins as the lesson's: weights after Glorot & Bengio 2010, biases 0."""
    fan_out, fan_in = layer.weight.flatten(1).shape
    limit = (6 / (fan_in + fan_out)) ** 0.5
    weight = generator.uniform(-limit, limit, (fan_out, fan_in))
    layer.weight.data = torch.tensor(weight).float().view_as(layer.weight)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
    return layer


def network(norm):
    """Four convolutions of 16 feature maps with 4×4 places, with batch normalization or without."""
    generator, layers = np.random.default_rng([SEED, 0]), []
    for above in range(4):
        shape = (MAPS, MAPS, 3, 1, 1) if above else (1, MAPS, 4, 2, 1)
        layers.append(begun(generator, nn.Conv2d(*shape, bias=not norm)))  # BN has β
        layers += [nn.BatchNorm2d(MAPS), nn.Tanh()] if norm else [nn.Tanh()]
    return nn.Sequential(*layers, nn.Flatten(), begun(generator, nn.Linear(MAPS * 4 * 4, 10)))


@torch.no_grad()
def accuracy(net):
    """The share of test images that are named correctly, in inference mode."""
    share = (net.eval()(test_x).argmax(1) == test_y).float().mean().item()
    net.train()
    return share


share = {}
for name in ("plain", "batch"):
    net, seen = network(norm=name == "batch"), []
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(STEPS):
        rows = order[BATCH * step : BATCH * (step + 1)]
        sgd.zero_grad()
        cross_entropy(net(x[rows]), y[rows]).backward()
        sgd.step()
        if step + 1 in LOOKED_AT:
            seen.append(accuracy(net))
    share[name] = np.mean(seen)
    print(f"{name} {share[name]:.3f}")

# Mean of a feature map in layer 1: how much it varies between 32 mini-batches, in σ of the map.
values = net[0](x[order[: 32 * BATCH]]).detach().unflatten(0, (32, BATCH))  # [32, 2, 16, 4, 4]
by_chance = values.mean((1, 3, 4)).var(0) / values.var((0, 1, 3, 4))
print(f"noise {by_chance.mean().sqrt():.3f}")
print(f"noise_alone {BATCH**-0.5:.3f}")
print("held" if share["batch"] >= share["plain"] else "did not hold")
