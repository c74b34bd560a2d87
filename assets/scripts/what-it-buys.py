"""In steps and in seconds: how long to 93 %, at a low rate and at higher ones.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

from time import perf_counter

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, BATCH, EVERY = 0, 240, 60, 5
RATE, ENOUGH = 0.03, 0.93

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


def network(norm, activation):
    """Six hidden layers of 100 units, with batch normalization or without."""
    generator, layers, fan_in = np.random.default_rng([SEED, 0]), [], 64
    for _ in range(6):
        layers.append(linear(generator, fan_in, 100, bias=not norm))  # BN has a bias of its own, β
        layers += [nn.BatchNorm1d(100), activation()] if norm else [activation()]
        fan_in = 100
    return nn.Sequential(*layers, linear(generator, fan_in, 10))


@torch.no_grad()
def accuracy(net):
    """The share of test images that are named correctly, in inference mode."""
    share = (net.eval()(test_x).argmax(1) == test_y).float().mean().item()
    net.train()
    return share


def steps_to_enough(net, rate, seconds):
    """How many steps the mean of three tests in a row takes to 93 %; infinite: it stays below."""
    sgd, tests = torch.optim.SGD(net.parameters(), lr=rate), [accuracy(net)]
    for step in range(STEPS):
        began = perf_counter()
        rows = order[BATCH * step : BATCH * (step + 1)]
        sgd.zero_grad()
        cross_entropy(net(x[rows]), y[rows]).backward()
        sgd.step()
        seconds.append(perf_counter() - began)
        if (step + 1) % EVERY == 0:
            tests.append(accuracy(net))
    means = (np.mean(tests[max(0, at - 1) : at + 2]) for at in range(len(tests)))
    return next((EVERY * at for at, mean in enumerate(means) if mean >= ENOUGH), float("inf"))


ladder = {
    "low": (RATE, nn.Tanh),
    "five": (5 * RATE, nn.Tanh),
    "thirty": (30 * RATE, nn.Tanh),
    "sigmoid": (5 * RATE, nn.Sigmoid),
}
steps, seconds = {}, {"plain": [], "batch": []}
for key, (rate, activation) in ladder.items():
    for name in ("plain", "batch"):
        net = network(name == "batch", activation)
        steps[name, key] = steps_to_enough(net, rate, seconds[name])
        print(f"{name}_{key} {steps[name, key]}")

price = np.median(seconds["batch"]) / np.median(seconds["plain"])  # of a step with BN
print(f"price {price:.2f}")
print(f"in_seconds {price * steps['batch', 'five'] / steps['plain', 'five']:.2f}")
ahead = steps["batch", "five"] < steps["batch", "low"] < steps["plain", "low"]
bears = max(steps["batch", key] for key in ("thirty", "sigmoid")) <= STEPS
alone = min(steps["plain", key] for key in ("thirty", "sigmoid")) > STEPS
by_rate = steps["plain", "five"] <= steps["plain", "low"] * 2 / 3
print("held" if ahead and bears and alone and by_rate else "did not hold")
