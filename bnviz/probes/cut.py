"""The network cut in two: lower layers of one step under the upper layers of another.

What was worked out of two steps' weights stays true, so it is remembered by these weights, here
and not in the run: a step that is newly kept costs only its own pairs. A run that is measured in
another process, or killed and replayed, gives the same values.
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
from bnviz.recent import RecentlyUsed
from bnviz.records import ProbeValues

# Beyond these it takes too long, and a smaller network shows the same.
MOST_LAYERS, MOST_PARAMETERS, MOST_EXAMPLES = 12, 2**22, 1000
BINS = 40
# Unbounded outputs stand on an axis that is even in asinh up to here.
OUTPUT_LIMIT = 100.0
# Among the probes' choices, the direction of the random step.
DIRECTION = 11
# Norms whose training-mode pass depends on the weights and the examples alone.
REMEMBERED = ("none", "batch")
MOST_PAIRS, MOST_HALVES = 2048, 128

Key = tuple[bytes, ...]


@dataclass(frozen=True)
class Half:
    """What the lower layers of one step send up, for every cut [C].

    Attributes:
        passes: uint16 [C, 40].
        mean, std: of each unit before the norm, float64 [C, H].
    """

    passes: np.ndarray
    mean: np.ndarray
    std: np.ndarray


_pairs = RecentlyUsed[Key, np.ndarray](MOST_PAIRS)
_halves = RecentlyUsed[Key, Half](MOST_HALVES)


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """How well the lower layers of one kept step do under the upper layers of another.

    Of the K steps whose weights are kept so far, s and t in turn, and of every cut c: layers 1 to c
    are those of step s, the others and the output those of step t; γ and β go with their layer, and
    what a skip connection brings past a cut comes from the lower layers, as all that passes. All
    test examples (1,000 at most) as one batch, in training mode. Nothing where no weights are kept,
    and in networks that are not fully connected, are deeper than 12 layers or have over four
    million parameters.

    Returns:
        `steps` float32 [K], `cuts` uint8 [C]: from 1 to the depth less one;
        `accuracy` float32 [C, K, K], by cut, s and t: the share classified correctly, NaN where
        logits are not finite;
        `random` float32 [C, K, K]: a control: the lower layers of step t moved by a random step, in
        all their parameters together as long as that from t to s, under the upper layers of t;
        `wander` float32 [C, K, K]: from t to s, how far a unit's mean moves at layer c before the
        norm, in standard deviations at t; the median of all units;
        `passes` uint16 [C, K, 40]: 65535 × share of layer c's outputs at step s in each bin of
        `edges` float32 [41], those beyond in the outermost;
        `from_start` float32 [2, L]: how far a unit's mean has moved from step 0 to now, on the
        probe set, in standard deviations at step 0; the median of all units; row 0 before the norm,
        row 1 what the nonlinearity gets;
        `from_start_units` float32 [L, 8]: the same before the norm, of the units `axis.units`.
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
    """What the results of a kept step are remembered by: the weights, and all else they go by."""
    settings = context.config.model_dump_json(exclude=set(LIVE_KNOBS))
    flat = context.saved_weights[step]
    now = "" if context.norm in REMEMBERED else f" {context.step}"
    about = f"{settings} {context.norm} {flat.dtype} {step}{now}"
    # Fixed statistics are those of now, whatever the weights.
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
    """Shares classified correctly [2, C]: layers of s under those of t, and the control.

    Args:
        lower: the pass with the weights of step s.
        steps: s and t.
    """
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
    """Parameters whose lower layers are moved at random, as far as from `start` to `end`.

    Args:
        network: whose parameters these are.
        start, end: laid out as its `flat`; unchanged.
        cut: layers 1 to `cut` are moved, the others stay as in `start`.
        generator: draws the direction, in which all these parameters count alike.
    """
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
    """The length of all of these together."""
    return float(torch.stack([part.double().square().sum() for part in parts]).sum().sqrt())


def _half(context: ProbeContext, trace: Trace) -> Pieces[Half]:
    """What layers send up at each cut."""
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
    """Lower and upper end of the axis of outputs, and whether it is even in asinh."""
    phi = context.config.activation if context.network.norm_first else ""
    end = np.arcsinh(OUTPUT_LIMIT)
    known = {"tanh": (-1.0, 1.0, False), "sigmoid": (0.0, 1.0, False), "relu": (0.0, end, True)}
    return known.get(phi, (-end, end, True))


def _edges(context: ProbeContext) -> np.ndarray:
    low, high, by_asinh = _bounds(context)
    edges = np.linspace(low, high, BINS + 1)
    return as_float32(np.sinh(edges) if by_asinh else edges)


def _histogram(context: ProbeContext, values: np.ndarray) -> np.ndarray:
    """Shares of all values in each bin, uint16 [40]; those that are not finite are in none."""
    low, high, by_asinh = _bounds(context)
    known = values[np.isfinite(values)]
    known = np.arcsinh(known) if by_asinh else known
    places = np.clip((known - low) * (BINS / (high - low)), 0, BINS - 1).astype(np.int64)
    return full_scale(np.bincount(places, minlength=BINS) / values.size)


def _wander(halves: list[Half]) -> np.ndarray:
    """Median over units of the shift of the mean from t to s, in σ at t: float32 [C, K, K]."""
    means, stds = (np.array([getattr(half, part) for half in halves]) for part in ("mean", "std"))
    with np.errstate(all="ignore"):
        moved = np.abs(means[:, None] - means[None]) / stds[None]  # [s, t, C, H]
        return as_float32(np.median(moved, axis=3).transpose(2, 0, 1))


def _from_start(context: ProbeContext) -> Pieces[np.ndarray]:
    """How far each unit's mean has moved since step 0, in σ there: float64 [2, L, H]."""
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
