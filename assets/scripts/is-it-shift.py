"""Is it really shift: batch normalization with noise after it, under a rate that is raised.

The noise is drawn anew, so the noisy network's numbers are only near those of the lesson.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

from copy import deepcopy

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, BATCH = 0, 300, 60
COUNTED_FROM, RAISED_AT = 90, 100

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


class Noisy(nn.BatchNorm1d):
    """Batch normalization, and noise after it (Santurkar et al. 2018)."""

    def forward(self, values):
        """Normalize, then shift and scale; in inference mode by the mean of the noise."""
        values = super().forward(values)
        if not self.training:
            return 1.125 * values
        shift, stretch = torch.rand(100) - 0.5, 1 + torch.rand(100) / 4  # of each unit, new a step
        shift = shift + 0.2 * torch.rand_like(values) - 0.1  # of each value
        return (stretch + 0.1 * torch.randn_like(values)) * values + shift


def network(norm):
    """Six hidden layers of 100 tanh units, with a norm of this class each; None: without."""
    generator, layers, fan_in = np.random.default_rng([SEED, 0]), [], 64
    for _ in range(6):
        layers.append(linear(generator, fan_in, 100, bias=norm is None))  # BN has β
        layers += [norm(100), nn.Tanh()] if norm else [nn.Tanh()]
        fan_in = 100
    return nn.Sequential(*layers, linear(generator, fan_in, 10))


@torch.no_grad()
def accuracy(net):
    """The share of test images that are named correctly, in inference mode."""
    share = (net.eval()(test_x).argmax(1) == test_y).float().mean().item()
    net.train()
    return share


@torch.no_grad()
def medians(net):
    """The median of what each unit's tanh receives of the test images, in training mode."""
    found, values = [], test_x
    for layer in deepcopy(net):  # so that the running averages of the run stay as they are
        if isinstance(layer, nn.Tanh):
            found.append(values.median(0).values)
        values = layer(values)
    return torch.cat(found)


torch.manual_seed(SEED)
shift, share = {}, {}
for name, norm in {"plain": None, "batch": nn.BatchNorm1d, "noisy": Noisy}.items():
    net, seen = network(norm), []
    sgd = torch.optim.SGD(net.parameters())
    for step in range(STEPS):
        if COUNTED_FROM <= step <= RAISED_AT:
            seen.append(medians(net))
        sgd.param_groups[0]["lr"] = 0.1 if step < RAISED_AT else 1.0
        rows = order[BATCH * step : BATCH * (step + 1)]
        sgd.zero_grad()
        cross_entropy(net(x[rows]), y[rows]).backward()
        sgd.step()
    shift[name], share[name] = torch.stack(seen).diff(dim=0).abs().mean(), accuracy(net)
    print(f"{name}_shift {shift[name]:.4f}")
    print(f"{name} {share[name]:.3f}")

times = shift["noisy"] / shift["plain"]
print(f"times_plain {times:.2f}")
survives = share["noisy"] >= 0.85 and share["plain"] <= 0.2
print("held" if times >= 3 and survives else "did not hold")
