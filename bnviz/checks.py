"""Checks of combinations of knobs, and of the cost of a run."""

from __future__ import annotations

from typing import Any, Protocol

from bnviz.data import DATASETS
from bnviz.device import Device, choose, limits_of, this_gpu
from bnviz.knobs import ConfigError, some_of
from bnviz.networks import NETWORKS
from bnviz.norms import NORMS, norms_for
from bnviz.sizes import Structure, bytes_per_run, flops_per_step
from bnviz.words.phrase import Phrase, listed, one_of, phrase


class CheckedKnobs(Structure, Protocol):
    """Knobs of `RunConfig` that the checks read."""

    learning_rates: tuple[float, ...] | None
    rate_factors: tuple[float, ...]
    init: Any
    init_std: float | None
    norm_position: Any
    device: Any
    norm_groups: int
    ablation_layers: tuple[int, ...] | None

    @property
    def layer_count(self) -> int:
        """Number of rows in measurements per layer."""


def check(config: CheckedKnobs) -> None:
    """Check rules that involve several knobs. Raise ConfigError if a rule is violated."""
    if config.dataset not in DATASETS:
        raise ConfigError("dataset", config.dataset, one_of(DATASETS))
    if config.network not in NETWORKS:
        raise ConfigError("network", config.network, one_of(NETWORKS))
    for norm in config.norms:
        if norm not in NORMS:
            raise ConfigError("norms", norm, some_of(NORMS))
    if not 1 <= len(config.norms) <= 4 or len(set(config.norms)) < len(config.norms):
        raise ConfigError("norms", ",".join(config.norms), some_of(NORMS))
    if config.learning_rates is not None and len(config.learning_rates) != len(config.norms):
        raise ConfigError(
            "learning_rates", config.learning_rates,
            phrase("errors.one_rate_each", count=len(config.norms)),
        )  # fmt: skip
    if len(config.rate_factors) != 3:
        raise ConfigError("rate_factors", config.rate_factors, phrase("errors.three_factors"))
    if config.init_std is not None and config.init != "normal":
        raise ConfigError("init_std", config.init_std, phrase("errors.only_normal"))
    _check_network(config)
    _check_norms(config)
    check_size(config, choose(config, this_gpu()).device)


def _check_network(config: CheckedKnobs) -> None:
    entry = NETWORKS[config.network]
    if not entry.takes(config.dataset):
        fitting = listed(name for name in NETWORKS if NETWORKS[name].takes(config.dataset))
        allowed = phrase("errors.network_for", names=fitting, dataset=config.dataset)
        raise ConfigError("network", config.network, allowed)
    for name, most in (("depth", entry.max_depth), ("width", entry.max_width)):
        if getattr(config, name) > most:
            allowed = _in_network("at_most_in", config, most=most)
            raise ConfigError(name, getattr(config, name), allowed)
    if config.network == "recurrent" and config.norm_position != "before":
        allowed = phrase("errors.before_in_recurrent")
        raise ConfigError("norm_position", config.norm_position, allowed)
    no_skips = why_no_skips(config)
    if config.skip and no_skips is not None:
        raise ConfigError("skip", config.skip, no_skips)


def why_no_skips(config: CheckedKnobs) -> Phrase | None:
    """Return why these knobs allow no skip connections, or None if they allow them.

    A skip connection adds the input of a block to a norm's output, before the nonlinearity.
    """
    if not NETWORKS[config.network].skips:
        return _in_network("no_skips_in", config)
    if config.norm_position != "before":
        return phrase("errors.no_skips_after")
    for norm in config.norms:
        if not NORMS[norm].skips:
            return phrase("errors.no_skips_with", norm=phrase(f"norms.{norm}.label"))
    return None


def _in_network(key: str, config: CheckedKnobs, **values: object) -> Phrase:
    label = phrase(f"networks.{config.network}.label")
    return phrase(f"errors.{key}", network=label, **values)


def _check_norms(config: CheckedKnobs) -> None:
    fitting = norms_for(config.network)
    for norm in config.norms:
        if norm not in fitting:
            allowed = _in_network("some_of_in", config, names=listed(fitting))
            raise ConfigError("norms", norm, allowed)
    if "group" in config.norms:
        _check_groups(config)
    layers = config.ablation_layers
    if layers is not None and not (
        layers and len(set(layers)) == len(layers) and max(layers) <= config.layer_count
    ):
        raise ConfigError(
            "ablation_layers", layers, phrase("errors.layers_between", high=config.layer_count)
        )


def _check_groups(config: CheckedKnobs) -> None:
    # One unit alone has no variance, but one feature map has a variance over its positions.
    least = 1 if config.network == "conv" else 2
    size, rest = divmod(config.width, config.norm_groups)
    if rest or size < least:
        raise ConfigError(
            "norm_groups", config.norm_groups,
            phrase("errors.divisor", width=config.width, least=least),
        )  # fmt: skip


def check_size(config: CheckedKnobs, device: Device) -> None:
    """Check the cost of a run on a device. Raise ConfigError if time or memory is too high."""
    most, place = limits_of(device), "gpu" if device == "cuda" else "cpu"
    seconds = flops_per_step(config) / most.flops_per_second
    if seconds > most.seconds_per_step:
        raise ConfigError(
            "depth × width² × batch_size × networks",
            phrase("errors.seconds_a_step", seconds=f"{seconds:.2g}"),
            phrase(f"errors.at_most_seconds_{place}", most=f"{most.seconds_per_step:g}"),
        )
    size = bytes_per_run(config)
    if size > most.bytes_per_run:
        raise ConfigError(
            "depth × width² × networks",
            phrase("errors.megabytes", size=f"{size / 2**20:.0f}"),
            phrase(f"errors.at_most_megabytes_{place}", most=most.bytes_per_run // 2**20),
        )
