"""Dependencies between knobs, and the sentences that explain them."""

from __future__ import annotations

import math
from typing import Any

from bnviz.checks import why_no_skips
from bnviz.config import KNOBS, UNIT_FACTORS, RunConfig
from bnviz.data import DATASETS
from bnviz.live.errors import LimitReached
from bnviz.networks import NETWORKS
from bnviz.networks.skips import block_count
from bnviz.norms import NORMS
from bnviz.sizes import layer_count
from bnviz.words.joining import in_list
from bnviz.words.phrase import Phrase, phrase

# Maximum number of networks in a comparison.
MOST_NETWORKS = 4
ABLATIONS = tuple(name for name in KNOBS if name.startswith("ablation_"))
ABLATED = "ablated"

# Knob values by name.
KnobValues = dict[str, Any]


def resolve_dependencies(config: RunConfig, values: KnobValues) -> tuple[KnobValues, list[Phrase]]:
    """Return all knobs to set, and a sentence for each change that may surprise the visitor.

    Raises:
        LimitReached: If more than four networks would be compared.
    """
    notes: list[Phrase] = []
    wanted = dict(values)
    if _after(config, wanted).network != config.network:
        _change_network(config, wanted, notes)
    elif "dataset" in wanted and not NETWORKS[config.network].takes(wanted["dataset"]):
        wanted["network"] = "mlp"
        _change_network(config, wanted, notes)
        notes.append(phrase("lab.notice.network_too", network=NETWORKS["mlp"].label))
    _add_ablated(config, wanted)
    _drop_skips(config, wanted, notes)
    after = _after(config, wanted)
    if len(after.norms) > MOST_NETWORKS:
        raise LimitReached("networks", phrase("lab.notice.no_room", count=MOST_NETWORKS))
    _keep_in_range(config, wanted)
    if after.init != "normal":
        wanted["init_std"] = None
    if "learning_rate" in wanted:
        wanted.setdefault("learning_rates", None)
    if len(after.norms) != len(config.norms):
        wanted["learning_rates"] = None
    return wanted, notes


def _change_network(config: RunConfig, wanted: KnobValues, notes: list[Phrase]) -> None:
    """Add the default size of the chosen network, and norms and data that fit it."""
    network, after = NETWORKS[wanted["network"]], _after(config, wanted)
    for name in ("depth", "width"):
        wanted.setdefault(name, network.defaults.get(name, KNOBS[name].default))
    if not network.takes(after.dataset):
        wanted.update(dataset=KNOBS["dataset"].default, noise=None)
        usual = DATASETS[KNOBS["dataset"].default].label
        notes.append(phrase("lab.notice.dataset_too", dataset=usual))
    fitting = tuple(norm for norm in after.norms if after.network in NORMS[norm].networks)
    if fitting != after.norms:
        wanted["norms"] = fitting or KNOBS["norms"].default
        gone = in_list(NORMS[norm].label for norm in after.norms if norm not in fitting)
        notes.append(phrase("lab.notice.norms_too", norms=gone, network=network.label))
    if after.network == "recurrent":
        wanted["norm_position"] = "before"


def _after(config: RunConfig, wanted: KnobValues) -> RunConfig:
    return config.model_copy(update=wanted)


def _add_ablated(config: RunConfig, wanted: KnobValues) -> None:
    """Add the ablated network if the visitor sets a knob that affects only this network."""
    norms = _after(config, wanted).norms
    if ABLATED not in norms and any(
        wanted.get(name, KNOBS[name].default) not in (getattr(config, name), KNOBS[name].default)
        for name in ABLATIONS
    ):
        wanted["norms"] = tuple(norm for norm in NORMS if norm in (*norms, ABLATED))


def _drop_skips(config: RunConfig, wanted: KnobValues, notes: list[Phrase]) -> None:
    """Remove skip connections that do not fit the other knobs."""
    if config.skip and "skip" not in wanted and why_no_skips(_after(config, wanted)) is not None:
        wanted["skip"] = 0
        notes.append(phrase("lab.notice.skips_too"))


def _keep_in_range(config: RunConfig, wanted: KnobValues) -> None:
    """Adjust knobs whose range depends on other knobs: number of groups, and ablated layers."""
    after = _after(config, wanted)
    if "group" in after.norms and after.width % after.norm_groups:
        wanted["norm_groups"] = math.gcd(after.width, after.norm_groups)
    if after.ablation_layers is not None:
        count = layer_count(after)
        kept = tuple(layer for layer in after.ablation_layers if layer <= count)
        wanted["ablation_layers"] = kept if 0 < len(kept) < count else None


# Knobs that only recurrent networks have, knobs that only other networks have, knobs that affect
# only some norms, and knobs that are set and reset along with another knob.
ONLY_RECURRENT, NOT_RECURRENT = ("sequence", "recurrent_gamma"), ("depth", "norm_position")
OF_NORMS = {
    "norm_groups": ("group",), "dropout": ("dropout", "batch_dropout"), "ghost_size": ("ghost",),
    "norm_statistics": tuple(name for name, entry in NORMS.items() if entry.minimum_batch > 1),
}  # fmt: skip
SET_WITH = {"network": ("depth", "width"), "init": ("init_std",), "dataset": ("noise",)}


def why_not(config: RunConfig, name: str) -> str | None:
    """Reason why a knob has no effect, as a key of `drawer.why`, or None if it has an effect."""
    recurrent = config.network == "recurrent"
    if name in (NOT_RECURRENT if recurrent else ONLY_RECURRENT):
        return "not_recurrent" if recurrent else "recurrent"
    fits = {
        "init_std": config.init == "normal",
        "skip": why_no_skips(config) is None,
        "branch_start": block_count(config.depth, config.skip) > 0,
        "noise": DATASETS[config.dataset].noise > 0,
        "edge": config.optimizer == "sgd" and config.rate_factors == UNIT_FACTORS,
        **{knob: not set(norms).isdisjoint(config.norms) for knob, norms in OF_NORMS.items()},
        **dict.fromkeys(ABLATIONS, True),
    }
    return None if fits.get(name, True) else name
