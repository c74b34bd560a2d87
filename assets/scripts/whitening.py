"""Why not whiten: how fast a network with whitened layers learns, and how long a step takes.

ZCA is written plainly here, so a step of it takes longer still than in the lesson.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

from time import perf_counter

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, BATCH, GROUP = 0, 100, 60, 15
LOOKED_AT = (15, 20, 25, 30, 40)

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


class ZCA(nn.BatchNorm1d):
    """Units are centred and, in groups of neighbours, multiplied by Σ^(−1/2); γ and β follow."""

    def __init__(self, width):
        """What is stored for inference mode begins as that of BN."""
        super().__init__(width)
        self.stored = torch.eye(width)

    def forward(self, values):
        """Whiten by the mini-batch's mean and Σ, or by the stored ones."""
        mean, matrix = self.running_mean, self.stored
        if self.training:
            mean = values.mean(0)
            groups = (values - mean).split(GROUP, dim=1)
            matrix = torch.block_diag(*(self.root(each.T @ each / BATCH) for each in groups))
            self.running_mean.lerp_(mean.detach(), self.momentum)
            self.stored.lerp_(matrix.detach(), self.momentum)
        return self.weight * ((values - mean) @ matrix) + self.bias

    def root(self, covariance):
        """Σ^(−1/2), of a Σ that is moved towards its mean variance: the fewer images, the more."""
        share, average = (GROUP / BATCH) ** 3, covariance.diagonal().mean()
        added = torch.eye(len(covariance)) * (share * average + self.eps)
        values, vectors = torch.linalg.eigh((1 - share) * covariance + added)
        return vectors * values.rsqrt() @ vectors.T


def network(norm):
    """Six hidden layers of 100 tanh units, with a norm of this class each."""
    generator, layers, fan_in = np.random.default_rng([SEED, 0]), [], 64
    for _ in range(6):
        layers += [linear(generator, fan_in, 100, bias=False), norm(100), nn.Tanh()]
        fan_in = 100
    return nn.Sequential(*layers, linear(generator, fan_in, 10))


@torch.no_grad()
def accuracy(net):
    """The share of test images that are named correctly, in inference mode."""
    share = (net.eval()(test_x).argmax(1) == test_y).float().mean().item()
    net.train()
    return share


early, seconds = {}, {}
for name, norm in {"batch": nn.BatchNorm1d, "zca": ZCA}.items():
    net, seen, spent = network(norm), [], []
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(STEPS):
        began = perf_counter()
        rows = order[BATCH * step : BATCH * (step + 1)]
        sgd.zero_grad()
        cross_entropy(net(x[rows]), y[rows]).backward()
        sgd.step()
        spent.append(perf_counter() - began)
        if step + 1 in LOOKED_AT:
            seen.append(accuracy(net))
    early[name], seconds[name] = np.mean(seen), np.median(spent)
    print(f"{name}_early {early[name]:.3f}")
    print(f"{name} {accuracy(net):.3f}")

longer = seconds["zca"] / seconds["batch"]
print(f"zca_longer {longer:.1f}")
print("held" if early["zca"] < early["batch"] and longer >= 2 else "did not hold")
