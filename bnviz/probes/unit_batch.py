"""Probe of each stage of batch normalization in single units."""

from __future__ import annotations

from typing import cast

from bnviz.norms.batch import BatchCache
from bnviz.probes.axis import normalized_values, units
from bnviz.probes.batch_values import of_units
from bnviz.probes.context import ProbeContext, as_float32, stack
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """Measure each stage of batch normalization on the next mini-batch, in the units `axis.units`.

    The mini-batch is used in training mode (Ioffe & Szegedy 2015, Alg. 1). The result is empty for
    other norms, and for networks that are not fully connected.

    Returns:
        `x`, `normalized`, `y`: [L, 8, M], norm input, x̂ and output; M is `axis.normalized_values`.
        `mean`, `var`: [L, 8], μ and biased σ² of the mini-batch, or the running averages if
            training uses them (`RunConfig.fixed_statistics`).
        `centred`, `factor`: [L, 8], x − μ of the first example, and 1/√(σ² + ε).
        `gamma`, `beta`, `running_mean`, `running_var`: [L, 8], parameters and running averages.
    """
    trace = context.batch_trace
    if context.config.network != "mlp":
        return {}
    caches = [layer.norm_cache for layer in trace.layers]
    if not all(isinstance(cache, BatchCache) for cache in caches):
        return {}
    caches, norms = cast("list[BatchCache]", caches), context.network.norms
    chosen, most = units(context.config.width), normalized_values(len(caches))
    given = [layer.norm_input for layer in trace.layers]
    by_unit = {
        "centred": [x[0] - cache.mean for x, cache in zip(given, caches, strict=True)],
        "mean": [cache.mean for cache in caches],
        "var": [cache.var for cache in caches],
        "factor": [cache.inverse_std for cache in caches],
        "gamma": [norm.scale_or_shift("gamma") for norm in norms],
        "beta": [norm.scale_or_shift("beta") for norm in norms],
        "running_mean": [norm.buffers["running_mean"] for norm in norms],
        "running_var": [norm.buffers["running_var"] for norm in norms],
    }
    return {
        "x": of_units(given, most),
        "normalized": of_units([cache.normalized for cache in caches], most),
        "y": of_units([layer.normalized for layer in trace.layers], most),
        **{name: as_float32(stack(rows)[:, chosen]) for name, rows in by_unit.items()},
    }
