"""Probe that joins the lower layers of one saved step to the upper layers of another step.

The results depend on the weights of two steps, so they are cached by these weights, outside the
run. For a newly saved step, only the pairs that include this step are measured. A replay in another
process gives the same values.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from bnviz.config import LIVE_KNOBS
from bnviz.networks.loss import finite_accuracy
from bnviz.networks.mlp import MLP
from bnviz.networks.trace import Trace
from bnviz.pieces import Pieces
from bnviz.probes.axis import units
from bnviz.probes.context import ProbeContext, as_float32
from bnviz.probes.histogram import full_scale
from bnviz.recently_used import RecentlyUsed
from bnviz.records import ProbeValues

# Maximum number of layers, parameters and test examples. Beyond these limits the probe takes too
# long, and a smaller network shows the same effect.
MOST_LAYERS, MOST_PARAMETERS, MOST_EXAMPLES = 12, 2**22, 1000
BINS = 40
# Limit of the histogram axis of unbounded outputs. The bins are evenly spaced in asinh.
OUTPUT_LIMIT = 100.0
# Number of the random stream for the direction of the control, within `PROBE_STREAM`.
DIRECTION = 11
# Norms whose forward pass in training mode depends only on the weights and the examples.
REMEMBERED = ("none", "batch")
MOST_PAIRS, MOST_HALVES = 2048, 128

Key = tuple[bytes, ...]


@dataclass(frozen=True)
class Half:
    """Per cut: output histograms, uint16 [C, 40], and unit statistics before the norm [C, H]."""

    passes: np.ndarray
    mean: np.ndarray
    std: np.ndarray


_pairs = RecentlyUsed[Key, np.ndarray](MOST_PAIRS)
_halves = RecentlyUsed[Key, Half](MOST_HALVES)


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """Measure test accuracy with the lower layers of one saved step and the upper layers of
    another.

    For every cut c and all pairs s, t of the K saved steps, layers 1 to c are from step s, and
    everything else is from step t. γ and β belong to their layer, and a skip connection across the
    cut belongs to the lower layers. Up to 1,000 test examples form one batch, in training mode. The
    result is empty if no weights are saved, and for networks that are not fully connected, have one
    layer or more than 12, or have over four million parameters.

    Returns:
        `steps`, `cuts`: [K], and uint8 [C] from 1 to the depth minus 1.
        `accuracy`: [C, K, K], test accuracy by cut, s and t; NaN if logits are not finite.
        `random`: [C, K, K], control: step t with lower layers moved in a random direction, as far
            as to s.
        `wander`: [C, K, K], shift of a unit's mean before the norm from t to s at layer c, in
            standard deviations at t; median over units.
        `passes`: uint16 [C, K, 40], 65535 × share of layer c's outputs at s per bin of `edges`.
        `from_start`: [2, L], median shift of a unit's mean since step 0 on the probe set, in
            standard deviations at step 0; row 0 before the norm, row 1 the nonlinearity input.
        `from_start_units`: [L, 8], the shift before the norm, for the units `axis.units`.
    """
    network, config = context.network, context.config
    small = 2 <= config.depth <= MOST_LAYERS and network.flat.numel() <= MOST_PARAMETERS
    if not (context.saved_weights and small and isinstance(network, MLP)):
        return {}
    data = context.data
    images, labels = context.examples(
        data.test_inputs[:MOST_EXAMPLES], data.test_labels[:MOST_EXAMPLES]
    )
    steps, halves, pairs = list(context.saved_weights), list[Half](), list[list[np.ndarray]]()
    keys = dict[int, Key]()
    for step in steps:
        keys[step] = _key(context, step)
        yield
    for s in steps:
        half = _halves.use(keys[s])
        known = {t: _pairs.use(keys[s] + keys[t]) for t in steps}
        row = {t: pair for t, pair in known.items() if pair is not None}
        if half is None or len(row) < len(steps):
            lower = network.twin(context.saved_weights[s])
            trace = yield from lower.forward_in_pieces(images, training=True)
            half = half or (yield from _half(context, trace))
            for t in steps:
                if t not in row:
                    row[t] = yield from _pair(context, network, trace, (s, t), labels)
        _halves.put(keys[s], half)
        _pairs.put_all({keys[s] + keys[t]: found for t, found in row.items()})
        halves.append(half)
        pairs.append([row[t] for t in steps])
    moved = yield from _from_start(context)
    shares = np.array(pairs).transpose(2, 3, 0, 1)  # [2, C, K, K]
    return {
        "steps": as_float32(steps),
        "cuts": np.arange(1, context.config.depth, dtype=np.uint8),
        "accuracy": as_float32(shares[0]),
        "random": as_float32(shares[1]),
        "wander": _wander(halves),
        "passes": np.stack([half.passes for half in halves], axis=1),
        "edges": _edges(context),
        "from_start": as_float32(np.median(moved, axis=2)),
        "from_start_units": as_float32(moved[0][:, units(moved.shape[2])]),
    }


def _key(context: ProbeContext, step: int) -> Key:
    """Return the cache key of a saved step: its weights, and all else that affects results."""
    settings = context.config.model_dump_json(exclude=set(LIVE_KNOBS))
    flat = context.saved_weights[step]
    now = "" if context.norm in REMEMBERED else f" {context.step}"
    about = f"{settings} {context.norm} {flat.dtype} {step}{now}"
    # If the statistics are fixed, they are the current running averages, whatever the weights.
    fixed = context.network.buffers().values() if context.network.fixed_statistics else ()
    return (_digest([flat]), _digest(fixed, about.encode()))


def _digest(tensors: Iterable[Tensor], start: bytes = b"") -> bytes:
    found = hashlib.blake2b(start, digest_size=16)
    for tensor in tensors:
        found.update(tensor.detach().cpu().numpy().tobytes())
    return found.digest()


def _pair(
    context: ProbeContext, network: MLP, lower: Trace, steps: tuple[int, int], labels: Tensor
) -> Pieces[np.ndarray]:
    """Return accuracies [2, C] of the mixed network and the control. `lower`: trace of step s."""
    s, t = steps
    found = np.full((2, len(lower.layers) - 1), finite_accuracy(lower.logits, labels))
    if s == t:
        return found
    start, end = context.saved_weights[t], context.saved_weights[s]
    upper = network.twin(start)
    for cut in range(1, len(lower.layers)):
        known = lower.layers[:cut]
        mixed = yield from upper.forward_in_pieces(lower.inputs, training=True, known=known)
        found[0, cut - 1] = finite_accuracy(mixed.logits, labels)
        yield
        generator = context.generator(DIRECTION, s, t)
        moved = network.twin(random_step(network, start, end, cut, generator))
        mixed = yield from moved.forward_in_pieces(lower.inputs, training=True)
        found[1, cut - 1] = finite_accuracy(mixed.logits, labels)
        yield
    return found


def random_step(
    network: MLP, start: Tensor, end: Tensor, cut: int, generator: np.random.Generator
) -> Tensor:
    """Return `start` with layers 1–`cut` moved in a random direction by the distance to `end`."""
    flat, lower = start.clone(), network.layer_names[:cut]
    there = network.views(end)
    here = {name: view for name, view in network.views(flat).items()
            if name.rpartition(".")[0] in lower}  # fmt: skip
    directions = {
        name: torch.from_numpy(generator.standard_normal(tuple(view.shape))).to(view)
        for name, view in here.items()
    }
    length = _length(there[name] - view for name, view in here.items())
    scale = length / _length(directions.values())
    for name, view in here.items():
        view.add_(directions[name], alpha=scale)
    return flat


def _length(parts: Iterable[Tensor]) -> float:
    return float(torch.stack([part.double().square().sum() for part in parts]).sum().sqrt())


def _half(context: ProbeContext, trace: Trace) -> Pieces[Half]:
    passes, means, stds = [], [], []
    for layer in trace.layers[:-1]:
        rows = layer.pre_activation.cpu().numpy()
        with np.errstate(all="ignore"):
            means.append(rows.mean(axis=0, dtype=np.float64))
            stds.append(rows.std(axis=0, dtype=np.float64))
            passes.append(_histogram(context, layer.output.cpu().numpy()))
        yield
    return Half(np.array(passes), np.array(means), np.array(stds))


def _bounds(context: ProbeContext) -> tuple[float, float, bool]:
    """Return the two ends of the output axis, and whether its bins are evenly spaced in asinh."""
    phi = context.config.activation if context.network.norm_first else ""
    end = np.arcsinh(OUTPUT_LIMIT)
    known = {"tanh": (-1.0, 1.0, False), "sigmoid": (0.0, 1.0, False), "relu": (0.0, end, True)}
    return known.get(phi, (-end, end, True))


def _edges(context: ProbeContext) -> np.ndarray:
    low, high, by_asinh = _bounds(context)
    edges = np.linspace(low, high, BINS + 1)
    return as_float32(np.sinh(edges) if by_asinh else edges)


def _histogram(context: ProbeContext, values: np.ndarray) -> np.ndarray:
    """Return the share of all values in each bin, uint16 [40]. Non-finite values have no bin."""
    low, high, by_asinh = _bounds(context)
    known = values[np.isfinite(values)]
    known = np.arcsinh(known) if by_asinh else known
    places = np.clip((known - low) * (BINS / (high - low)), 0, BINS - 1).astype(np.int64)
    return full_scale(np.bincount(places, minlength=BINS) / values.size)


def _wander(halves: list[Half]) -> np.ndarray:
    """Return the median shift of unit means from t to s, in σ at t, float32 [C, K, K]."""
    means, stds = (np.array([getattr(half, part) for half in halves]) for part in ("mean", "std"))
    with np.errstate(all="ignore"):
        moved = np.abs(means[:, None] - means[None]) / stds[None]  # [s, t, C, H]
        return as_float32(np.median(moved, axis=3).transpose(2, 0, 1))


def _from_start(context: ProbeContext) -> Pieces[np.ndarray]:
    """Return the shift of each unit's mean since step 0, in σ at step 0, float64 [2, L, H]."""
    start = context.at_start()
    for each in (start, context):
        yield from each.compute_pass("probe_training")
    moved = []
    with np.errstate(all="ignore"):
        for part in ("pre_activations", "nonlinearity_inputs"):
            then, now = getattr(start, part), getattr(context, part)
            shift = np.abs(now.mean(axis=1, dtype=np.float64) - then.mean(axis=1, dtype=np.float64))
            moved.append(shift / then.std(axis=1, dtype=np.float64))
            yield
    return np.array(moved)
