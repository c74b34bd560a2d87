"""Knobs that have to move with the ones that moved, and what the visitor is told of it."""

from __future__ import annotations

import math
from typing import Any

from bnviz.config import KNOBS, RunConfig
from bnviz.data import DATASETS
from bnviz.networks import NETWORKS
from bnviz.norms import NORMS
from bnviz.sizes import layer_count

MOST_NETWORKS = 4
ABLATIONS = tuple(name for name in KNOBS if name.startswith("ablation_"))
ABLATED = "ablated"

Notes = list[tuple[str, dict[str, str]]]


class NoRoom(Exception):
    """One more network than can be compared was asked for."""


def resolve_dependencies(config: RunConfig, values: dict[str, Any]) -> tuple[dict[str, Any], Notes]:
    """All knobs that move when some are moved.

    Args:
        config: the knobs before.
        values: those that were moved.

    Returns:
        What to change, and a sentence for each thing that a visitor would not expect: (key of
        `notice`, values).

    Raises:
        NoRoom: five networks.
    """
    moved, notes = dict(values), Notes()
    if moved.get("network", config.network) != config.network:
        _change_network(config, moved, notes)
    elif "dataset" in moved and not _fits(config.network, moved["dataset"]):
        moved["network"] = "mlp"
        _change_network(config, moved, notes)
        notes.append(("network_too", {"network": NETWORKS["mlp"].label}))
    _take_apart(config, moved)
    if len(moved.get("norms", config.norms)) > MOST_NETWORKS:
        raise NoRoom
    _keep_in_range(config, moved)
    if moved.get("init", config.init) != "normal":
        moved["init_std"] = None
    if "learning_rate" in moved and "learning_rates" not in moved:
        moved["learning_rates"] = None
    if len(moved.get("norms", config.norms)) != len(config.norms):
        moved["learning_rates"] = None
    return moved, notes


def _fits(network: str, dataset: str) -> bool:
    return not (NETWORKS[network].images_only and DATASETS[dataset].plane)


def _change_network(config: RunConfig, moved: dict[str, Any], notes: Notes) -> None:
    """Another kind of network has a size of its own, and other norms and data fit it."""
    network = moved["network"]
    for name in ("depth", "width"):
        default = NETWORKS[network].defaults.get(name, KNOBS[name].default)
        moved.setdefault(name, default)
    if not _fits(network, moved.get("dataset", config.dataset)):
        moved.update(dataset=KNOBS["dataset"].default, noise=None)
        notes.append(("dataset_too", {"dataset": DATASETS[KNOBS["dataset"].default].label}))
    norms = moved.get("norms", config.norms)
    fitting = tuple(norm for norm in norms if network in NORMS[norm].networks)
    if fitting != norms:
        moved["norms"] = fitting or KNOBS["norms"].default
        gone = ", ".join(NORMS[norm].label for norm in norms if norm not in fitting)
        notes.append(("norms_too", {"norms": gone, "network": NETWORKS[network].label}))
    if network == "recurrent":
        moved["norm_position"] = "before"


def _take_apart(config: RunConfig, moved: dict[str, Any]) -> None:
    """What takes BN apart shows in one network: moving it compares that network too."""
    norms = moved.get("norms", config.norms)
    if ABLATED not in norms and any(
        moved.get(name, KNOBS[name].default) not in (getattr(config, name), KNOBS[name].default)
        for name in ABLATIONS
    ):
        moved["norms"] = tuple(norm for norm in NORMS if norm in (*norms, ABLATED))


def _keep_in_range(config: RunConfig, moved: dict[str, Any]) -> None:
    """Knobs whose range follows others: groups divide the width, layers are among the layers."""
    width = moved.get("width", config.width)
    groups = moved.get("norm_groups", config.norm_groups)
    if "group" in moved.get("norms", config.norms) and width % groups:
        moved["norm_groups"] = math.gcd(width, groups)
    layers = moved.get("ablation_layers", config.ablation_layers)
    if layers is not None:
        count = layer_count(config.model_copy(update=moved))
        kept = tuple(layer for layer in layers if layer <= count)
        moved["ablation_layers"] = kept if 0 < len(kept) < count else None


# Knobs that a network or a compared norm has, by why they have no control elsewhere.
ONLY_RECURRENT, NOT_RECURRENT = ("sequence", "recurrent_gamma"), ("depth", "norm_position")
OF_A_NORM = {"norm_groups": "group", "dropout": "dropout"}
GOES_WITH = {"network": ("depth", "width"), "init": ("init_std",), "dataset": ("noise",)}


def why_not(config: RunConfig, name: str) -> str | None:
    """Why a knob changes nothing in a run of this config: a key of `drawer.why`; None: it does."""
    recurrent = config.network == "recurrent"
    if name in (NOT_RECURRENT if recurrent else ONLY_RECURRENT):
        return "not_recurrent" if recurrent else "recurrent"
    fits = {
        "init_std": config.init == "normal",
        "noise": DATASETS[config.dataset].plane,
        "edge": config.optimizer == "sgd",
        **{knob: norm in config.norms for knob, norm in OF_A_NORM.items()},
        **dict.fromkeys(ABLATIONS, True),
    }
    return None if fits.get(name, True) else name


def goes_back_with(name: str) -> tuple[str, ...]:
    """Knobs that moved because this one did, and that go back with it."""
    return GOES_WITH.get(name, ())
