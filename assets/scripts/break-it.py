"""One knob, two networks: the learning rate is ten times higher for one step, and later for ten.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, BATCH = 0, 300, 60
RAISED_AT, AGAIN_AT = 100, 200
RAISED = {RAISED_AT, *range(AGAIN_AT, AGAIN_AT + 10)}  # the steps at the high rate

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
def accuracy(net):
    """The share of test images that are named correctly, in inference mode."""
    share = (net.eval()(test_x).argmax(1) == test_y).float().mean().item()
    net.train()
    return share


seen = {}  # by network, its accuracy after each number of steps
for name in ("plain", "batch"):
    net = network(norm=name == "batch")
    sgd = torch.optim.SGD(net.parameters())
    seen[name] = [accuracy(net)]
    for step in range(STEPS):
        sgd.param_groups[0]["lr"] = 1.0 if step in RAISED else 0.1
        rows = order[BATCH * step : BATCH * (step + 1)]
        sgd.zero_grad()
        cross_entropy(net(x[rows]), y[rows]).backward()
        sgd.step()
        seen[name].append(accuracy(net))

plain, batch = seen["plain"], seen["batch"]
print(f"plain_before {plain[RAISED_AT]:.3f}")
for name, course in seen.items():
    print(f"{name}_few {course[RAISED_AT + 1]:.3f}")
    print(f"{name}_between {course[AGAIN_AT]:.3f}")
    print(f"{name} {course[STEPS]:.3f}")
after_one = min(plain[AGAIN_AT], batch[AGAIN_AT]) >= 0.75
after_ten = plain[STEPS] <= 0.3 and batch[STEPS] >= 0.75
print("held" if after_one and after_ten else "did not hold")
