"""When size stops mattering: at step 100 all hidden weights are multiplied by ten.

Needs numpy, torch, and bnviz-digits.npz in the same folder.
Prints numbers of the lesson's verdict, and the verdict.
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

SEED, STEPS, BATCH = 0, 200, 60
MULTIPLIED_AT, FACTOR = 100, 10

x, y, test_x, test_y = map(torch.tensor, np.load("bnviz-digits.npz").values())
mean, std = x.mean(), x.std(correction=0)
x, test_x = (x - mean) / std, (test_x - mean) / std
# The order of the training images, shuffled again for each pass.
passes = range(STEPS * BATCH // len(x) + 1)
order = np.concatenate([np.random.default_rng([SEED, 1, n]).permutation(len(x)) for n in passes])


def linear(generator, fan_in, fan_out, bias=True):
    """A linear layer with the lesson's initial weights (He et al. 2015) and biases of 0."""
    layer = nn.Linear(fan_in, fan_out, bias)
    weight = generator.normal(0, (2 / fan_in) ** 0.5, (fan_out, fan_in))
    layer.weight.data = torch.tensor(weight).float()
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def network(norm):
    """Six hidden layers of 100 ReLU units, with batch normalization or without."""
    generator, layers, fan_in = np.random.default_rng([SEED, 0]), [], 64
    for _ in range(6):
        layers.append(linear(generator, fan_in, 100, bias=not norm))  # BN has a bias of its own, β
        layers += [nn.BatchNorm1d(100), nn.ReLU()] if norm else [nn.ReLU()]
        fan_in = 100
    return nn.Sequential(*layers, linear(generator, fan_in, 10))


@torch.no_grad()
def accuracy(net):
    """Accuracy on the test images, in inference mode."""
    share = (net.eval()(test_x).argmax(1) == test_y).float().mean().item()
    net.train()
    return share


def loss_and_gradients(net, rows):
    """The loss on a mini-batch, and the sizes of the gradients of all layers' weights."""
    net.zero_grad()
    loss = cross_entropy(net(x[rows]), y[rows])
    loss.backward()
    linears = [layer for layer in net if isinstance(layer, nn.Linear)]
    return loss.item(), torch.stack([layer.weight.grad.norm() for layer in linears])


found = {}
for name in ("plain", "batch"):
    net = network(norm=name == "batch")
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(STEPS):
        rows = order[BATCH * step : BATCH * (step + 1)]
        loss, gradients = loss_and_gradients(net, rows)
        if step == MULTIPLIED_AT:
            for layer in net[:-1]:
                if isinstance(layer, nn.Linear):
                    layer.weight.data *= FACTOR
            before = loss, gradients
            loss, gradients = loss_and_gradients(net, rows)
            found[name] = before[0], loss, gradients / before[1], accuracy(net)
        if not np.isfinite(loss):
            break
        sgd.step()
    found[name] += (accuracy(net), step)

loss_before, loss_after, shares, at, end, _ = found["batch"]
hidden = shares[:-1]
print(f"batch_loss_before {loss_before:.4f}")
print(f"batch_loss_after {loss_after:.4f}")
print(f"gradient_low {hidden.min():.4f}")
print(f"gradient_high {hidden.max():.4f}")
print(f"gradient_output {shares[-1]:.4f}")
print(f"batch_at {at:.3f}")
print(f"batch {end:.3f}")
print(f"plain_finite {found['plain'][-1] - 1}")
stays = abs(loss_after / loss_before - 1) <= 0.01
tenth = (hidden * FACTOR - 1).abs().max() <= 0.02
print("held" if stays and tenth and found["plain"][-1] < STEPS - 1 else "did not hold")
