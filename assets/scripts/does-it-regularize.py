"""Does it regularize: the gap between training and test, with sixty images a step and with eight.

Dropout draws what it leaves out itself, so its numbers are only near those of the lesson.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, CHANGED_AT = 0, 1200, 150
MANY, EIGHT, NOISE = 60, 8, 0.5
EARLY, LATE = (50, 100, 150), (900, 1000, 1100, 1200)
sizes = [MANY] * CHANGED_AT + [EIGHT] * (STEPS - CHANGED_AT)

x, y, test_x, test_y = map(torch.tensor, np.load("bnviz-digits.npz").values())
noise = np.random.default_rng([SEED, 2])
for images in (x, test_x):
    images += NOISE * torch.tensor(noise.standard_normal(images.shape, dtype=np.float32))
mean, std = x.mean(), x.std(correction=0)
x, test_x = (x - mean) / std, (test_x - mean) / std
# The training images in the order in which they are taken, shuffled anew for each pass.
passes = range(sum(sizes) // len(x) + 1)
order = np.concatenate([np.random.default_rng([SEED, 1, n]).permutation(len(x)) for n in passes])
batches = np.split(order, np.cumsum(sizes))[:-1]  # those of each step


def linear(generator, fan_in, fan_out, bias=True):
    """A linear layer that begins as the lesson's: weights after He et al. 2015, biases 0."""
    layer = nn.Linear(fan_in, fan_out, bias)
    weight = generator.normal(0, (2 / fan_in) ** 0.5, (fan_out, fan_in))
    layer.weight.data = torch.tensor(weight).float()
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def network(name):
    """Three hidden layers of 100 ReLU units: plain, with batch normalization, or with dropout."""
    generator, layers, fan_in = np.random.default_rng([SEED, 0]), [], 64
    for _ in range(3):
        layers.append(linear(generator, fan_in, 100, bias=name != "batch"))  # BN has β
        layers += [nn.BatchNorm1d(100), nn.ReLU()] if name == "batch" else [nn.ReLU()]
        layers += [nn.Dropout(0.2)] if name == "dropout" else []
        fan_in = 100
    return nn.Sequential(*layers, linear(generator, fan_in, 10))


@torch.no_grad()
def gap_and_loss(net):
    """The accuracy on training images less that on test images, and the loss on test images."""
    logits, test_logits = net.eval()(x), net(test_x)
    net.train()
    right, test_right = logits.argmax(1) == y, test_logits.argmax(1) == test_y
    gap = right.float().mean() - test_right.float().mean()
    return gap.item(), cross_entropy(test_logits, test_y).item()


torch.manual_seed(SEED)
early, late, losses = {}, {}, {}
for name in ("plain", "batch", "dropout"):
    net, seen = network(name), {}
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    for step, rows in enumerate(batches, 1):
        sgd.zero_grad()
        cross_entropy(net(x[rows]), y[rows]).backward()
        sgd.step()
        if step in EARLY + LATE:
            seen[step] = gap_and_loss(net)
    early[name], _ = np.mean([seen[step] for step in EARLY], axis=0)
    late[name], losses[name] = np.mean([seen[step] for step in LATE], axis=0)
    print(f"{name}_early {early[name]:.3f}")
    print(f"{name}_late {late[name]:.3f}")

share = losses["batch"] / losses["plain"]
print(f"loss_share {share:.3f}")
print(f"dropout_loss_share {losses['dropout'] / losses['plain']:.3f}")
small = early["batch"] > early["plain"] and late["batch"] < late["plain"]
print("held" if small and share <= 0.8 else "did not hold")
