"""What γ and β give back: four networks with and without them, and two rings to tell apart.

Needs numpy and torch.
Prints numbers of the lesson's verdict, and the verdict.
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, BATCH = 0, 600, 60

# A ring of radius 1 around one of radius 0.5, with noise; every third point is for the test.
angle = np.linspace(0, 2 * np.pi, 750, endpoint=False)
ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
points, labels = np.concatenate([ring, 0.5 * ring]), np.repeat([0, 1], 750)
test = np.arange(1500) % 3 == 2
noise = np.random.default_rng([SEED, 2])
for rows in (~test, test):
    points[rows] += 0.1 * noise.standard_normal((rows.sum(), 2), dtype=np.float32)
points = torch.tensor((points - points[~test].mean()) / points[~test].std()).float()
x, test_x = points[~test], points[test]
y, test_y = torch.tensor(labels[~test]), torch.tensor(labels[test])
# The training points in the order in which they are used, shuffled again for each pass.
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


def network(scale, shift):
    """Two hidden layers of 16 sigmoid units with BN, whose γ and β learn, or stay at 1 and 0."""
    generator, layers, fan_in = np.random.default_rng([SEED, 0]), [], 2
    for _ in range(2):
        norm = nn.BatchNorm1d(16)
        norm.weight.requires_grad_(scale)
        norm.bias.requires_grad_(shift)
        layers += [linear(generator, fan_in, 16, bias=False), norm, nn.Sigmoid()]
        fan_in = 16
    return nn.Sequential(*layers, linear(generator, fan_in, 2))


@torch.no_grad()
def accuracy(net):
    """Test accuracy, in inference mode."""
    share = (net.eval()(test_x).argmax(1) == test_y).float().mean().item()
    net.train()
    return share


found = {}
for name, scale, shift in (
    ("batch", True, True),
    ("batch_scale", True, False),
    ("batch_shift", False, True),
    ("batch_bare", False, False),
):
    net = network(scale, shift)
    sgd = torch.optim.SGD([each for each in net.parameters() if each.requires_grad], lr=0.3)
    for step in range(1, STEPS + 1):
        rows = order[BATCH * (step - 1) : BATCH * step]
        sgd.zero_grad()
        cross_entropy(net(x[rows]), y[rows]).backward()
        sgd.step()
    found[name] = accuracy(net)
    print(f"{name} {found[name]:.3f}")

closed = min(found["batch"], found["batch_shift"]) >= 0.75
chance = max(found["batch_scale"], found["batch_bare"]) <= 0.65
print("held" if closed and chance else "did not hold")
