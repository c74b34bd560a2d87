"""The way back: gradients that take a batch's mean and spread for constants.

First a bias alone, which a mean takes out again; then whole networks.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, BATCH = 0, 300, 60

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


class Apart(nn.BatchNorm1d):
    """Batch normalization whose gradient takes mean and variance for constants."""

    def forward(self, values):
        """Normalize, scale and shift."""
        if not self.training:
            return super().forward(values)
        super().forward(values.detach())  # moves the running averages
        mean, variance = values.mean(0).detach(), values.var(0, correction=0).detach()
        return self.weight * (values - mean) / (variance + self.eps).sqrt() + self.bias


def network(norm):
    """Six hidden layers of 100 ReLU units, with a norm of this class each; None: without."""
    generator, layers, fan_in = np.random.default_rng([SEED, 0]), [], 64
    for _ in range(6):
        layers.append(linear(generator, fan_in, 100, bias=norm is None))  # BN has β
        layers += [norm(100), nn.ReLU()] if norm else [nn.ReLU()]
        fan_in = 100
    return nn.Sequential(*layers, linear(generator, fan_in, 10))


@torch.no_grad()
def accuracy(net):
    """The share of test images that are named correctly, in inference mode."""
    share = (net.eval()(test_x).argmax(1) == test_y).float().mean().item()
    net.train()
    return share


# u + b less its mean, under fixed weights: only b learns, and the mean counts as fixed.
generator = np.random.default_rng([SEED, 6, 3])
u, readout = (torch.tensor(generator.standard_normal(shape)) for shape in ((60, 20), (20, 10)))
labels = torch.tensor(generator.integers(10, size=60))
b, losses, sizes = torch.zeros(20, dtype=torch.float64, requires_grad=True), [], []
for _ in range(500):
    loss = cross_entropy((u + b - (u + b).mean(0).detach()) @ readout, labels)
    (gradient,) = torch.autograd.grad(loss, b)
    b.data -= 0.1 * gradient
    losses.append(loss.item())
    sizes.append(b.norm().item())
change = (max(losses) - min(losses)) / losses[0]
print(f"loss_change {change:.1e}")
print(f"bias_half {sizes[249]:.3f}")
print(f"bias_end {sizes[499]:.3f}")

shares, losses = {}, {}
for name, norm in {"plain": None, "batch": nn.BatchNorm1d, "ablated": Apart}.items():
    net = network(norm)
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(STEPS + 1):
        rows = order[BATCH * step : BATCH * (step + 1)]
        if step == STEPS:
            shares[name] = accuracy(net)
        loss = cross_entropy(net(x[rows]), y[rows])
        sgd.zero_grad()
        loss.backward()
        sgd.step()
    losses[name] = loss.item()
    print(f"{name} {shares[name]:.3f}")
for name in ("batch", "ablated"):
    print(f"{name}_loss {losses[name]:.4f}")

grows = change <= 1e-6 and sizes[499] >= 1.5 * sizes[249]
behind = shares["batch"] - shares["ablated"] >= 0.15
worse = losses["ablated"] >= 10 * losses["batch"]
print("held" if grows and behind and worse else "did not hold")
