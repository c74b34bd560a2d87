"""Parameters with learning rates of their own."""

from bnviz.run_script.parts.setting import FACTORS, RATES


def groups(name, net):
    """Return hidden weights and biases, γ and β, and the output layer, with their rates."""
    norms, output = list(net.norms.parameters()), list(net.output.parameters())
    apart = {id(parameter) for parameter in norms + output}
    weights = [parameter for parameter in net.parameters() if id(parameter) not in apart]
    return [
        {"params": part, "lr": RATES[name] * factor}
        for part, factor in zip((weights, norms, output), FACTORS, strict=True)
    ]
