"""Live changes of the run."""

import torch

from bnviz.run_script.parts.setting import FACTORS, KNOBS, RATES, config, run

knobs = dict(KNOBS)


def change(values, networks, optimizers):
    """Set new values of knobs, and scale weights."""
    knobs.update(values)
    for name, net in networks.items():
        if run.changed - {"batch_size", "norm_statistics", "scale_weights"}:
            set_optimizer(name, optimizers[name])
        if "scale_weights" in run.changed:
            scale_weights(net, values.get("scale_weights", []))


def set_optimizer(name, optimizer):
    """Give an optimizer the present values of the knobs."""
    for index, group in enumerate(optimizer.param_groups):
        if "learning_rate" in run.changed or "rate_factors" in run.changed:
            rate = (knobs["learning_rate"] if "learning_rate" in run.changed else RATES)[name]
            if run.own_rates:
                factors = knobs["rate_factors"] if "rate_factors" in run.changed else FACTORS
                group["lr"] = rate * factors[index]
            else:
                group["lr"] = rate
        if "momentum" in run.changed:
            if config.optimizer == "adam":
                group["betas"] = knobs["momentum"], 0.999
            else:
                group["momentum"] = knobs["momentum"]
        if "weight_decay" in run.changed:
            group["weight_decay"] = knobs["weight_decay"]
    if "momentum" in run.changed and config.optimizer == "sgd":
        if not knobs["momentum"]:
            optimizer.state.clear()


@torch.no_grad()
def scale_weights(net, scalings):
    """Multiply the weights of one hidden layer, or of all, by a factor."""
    for factor, number in scalings:
        for layer in net.layers if number is None else [net.layers[number - 1]]:
            layer.weight.mul_(factor)
