"""Does it regularize: the train–test gap, with sixty images per step and with eight.

Dropout draws its own random numbers, so its results are only close to those of the lesson.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, CHANGED_AT = 0, 1200, 150
MANY, EIGHT, NOISE = 60, 8, 0.5
EARLY, AFTER, LATE = range(50, 151, 25), range(175, 1201, 25), range(900, 1201, 25)
EQUAL, SMOOTHED = 0.85, 5
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
def measure(net):
    """The accuracy on training images, the accuracy on test images, and the test loss."""
    logits, test_logits = net.eval()(x), net(test_x)
    net.train()
    right, test_right = logits.argmax(1) == y, test_logits.argmax(1) == test_y
    shares = right.float().mean().item(), test_right.float().mean().item()
    return *shares, cross_entropy(test_logits, test_y).item()


def mean(seen, steps):
    return np.mean([seen[step] for step in steps], axis=0)


torch.manual_seed(SEED)
gaps = {}
for name in ("plain", "batch", "dropout"):
    net, seen = network(name), {}
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    for step, rows in enumerate(batches, 1):
        sgd.zero_grad()
        cross_entropy(net(x[rows]), y[rows]).backward()
        sgd.step()
        if step in EARLY or step in AFTER:
            seen[step] = measure(net)
    early, (train, test, loss) = mean(seen, EARLY), mean(seen, LATE)
    gaps[name] = early[0] - early[1], train - test
    print(f"{name}_early {gaps[name][0]:.3f}")
    print(f"{name}_late {gaps[name][1]:.3f}")
    print(f"{name}_train {train:.3f}")
    print(f"{name}_test {test:.3f}")
    print(f"{name}_loss {loss:.3f}")
    # At equal training accuracy: the first mean of five measurements that reaches it.
    for first in range(len(AFTER) - SMOOTHED + 1):
        train, test, _ = mean(seen, AFTER[first : first + SMOOTHED])
        if train >= EQUAL:
            print(f"{name}_equal {test:.3f}")
            break

wider = gaps["batch"][0] > gaps["plain"][0]
print("held" if wider and gaps["batch"][1] < gaps["plain"][1] else "did not hold")
