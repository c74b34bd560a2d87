"""Four numbers: what becomes of a result when another value of its batch changes.

Once by hand, once in a unit of a network that was trained with batch normalization.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, BATCH = 0, 100, 60
UNIT = 57  # of the last hidden layer, counted from 0

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


def normalize(values, eps=0.0):
    """A unit's values with a mean of 0 and a standard deviation of 1, as BN makes them before γ."""
    return (values - values.mean()) / (values.var(correction=0) + eps).sqrt()


# By hand: 4.2 becomes 10; what becomes of the result of 1.8?
numbers = torch.tensor([2.1, 3.5, 1.8, 4.2], dtype=torch.float64)
moved = torch.tensor([2.1, 3.5, 1.8, 10.0], dtype=torch.float64)
hand_before, hand_after = normalize(numbers)[2], normalize(moved)[2]
deviations = (10.0 - 4.2) / numbers.std(correction=0)

net = network(norm=True)
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(STEPS):
    rows = order[BATCH * step : BATCH * (step + 1)]
    sgd.zero_grad()
    cross_entropy(net(x[rows]), y[rows]).backward()
    sgd.step()

# In the run: the highest value moves up by as many standard deviations; what becomes of the lowest?
rows = order[BATCH * STEPS : BATCH * (STEPS + 1)]
below, norm = net[:-3], net[-3]  # all below the last norm, and that norm
values = below(x[rows])[:, UNIT].detach().double()
low, high = values.argmin(), values.argmax()
run_before = normalize(values, norm.eps)[low]
values[high] += deviations * (values.var(correction=0) + norm.eps).sqrt()
run_after = normalize(values, norm.eps)[low]

print(f"hand_before {hand_before:.3f}")
print(f"hand_after {hand_after:.3f}")
print(f"run_before {run_before:.3f}")
print(f"run_after {run_after:.3f}")
nearer = abs(hand_after) < abs(hand_before) and abs(run_after) < abs(run_before)
print("held" if nearer else "did not hold")
