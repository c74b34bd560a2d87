"""How many make a batch: four networks on two images a step, then on sixty.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, CHANGED_AT = 0, 400, 200
FEW, MANY = 2, 60
LOOKED_AT = (160, 180, 200)  # with two images a step accuracies jump up and down
sizes = [FEW] * CHANGED_AT + [MANY] * (STEPS - CHANGED_AT)

x, y, test_x, test_y = map(torch.tensor, np.load("bnviz-digits.npz").values())
mean, std = x.mean(), x.std(correction=0)
x, test_x = (x - mean) / std, (test_x - mean) / std
# The training images in the order in which they are taken, shuffled anew for each pass.
passes = range(sum(sizes) // len(x) + 1)
order = np.concatenate([np.random.default_rng([SEED, 1, n]).permutation(len(x)) for n in passes])
batches = np.split(order, np.cumsum(sizes))[:-1]  # those of each step


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
    """Three hidden layers of 100 tanh units, with a norm each; None: without."""
    generator, layers, fan_in = np.random.default_rng([SEED, 0]), [], 64
    for _ in range(3):
        layers.append(linear(generator, fan_in, 100, bias=norm is None))  # norms have a bias, β
        layers += [norm(100), nn.Tanh()] if norm else [nn.Tanh()]
        fan_in = 100
    return nn.Sequential(*layers, linear(generator, fan_in, 10))


@torch.no_grad()
def accuracy(net):
    """The share of test images that are named correctly, in inference mode."""
    share = (net.eval()(test_x).argmax(1) == test_y).float().mean().item()
    net.train()
    return share


norms = {
    "plain": None,
    "batch": nn.BatchNorm1d,
    "layer": nn.LayerNorm,  # mean and spread of one image: of all its 100 values
    "group": lambda width: nn.GroupNorm(4, width),  # and of 25 of them
}
found = {}
for name, norm in norms.items():
    net, seen = network(norm), []
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    for step, rows in enumerate(batches, 1):
        sgd.zero_grad()
        cross_entropy(net(x[rows]), y[rows]).backward()
        sgd.step()
        if step in LOOKED_AT:
            seen.append(accuracy(net))
    found[name], found[f"{name}_end"] = np.mean(seen), accuracy(net)

for name, value in found.items():
    print(f"{name} {value:.3f}")
behind = found["layer"] - found["batch"] >= 0.15 and found["plain"] - found["batch"] >= 0.1
print("held" if behind and found["batch_end"] >= 0.9 else "did not hold")
