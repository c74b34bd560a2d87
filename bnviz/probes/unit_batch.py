"""What batch normalization makes of a mini-batch, step by step, in single units."""

from __future__ import annotations

from typing import cast

from bnviz.norms.batch import BatchCache
from bnviz.probes.axis import normalized_values, units
from bnviz.probes.batch_values import of_units
from bnviz.probes.context import ProbeContext, as_float32, stack
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """What batch normalization makes of the mini-batch in eight units of each layer, step by step.

    Of the mini-batch about to be used, in training mode (Ioffe & Szegedy 2015, Alg. 1), in the
    units `axis.units`. Values of examples are given out as by `batch_values`, but more of them:
    `axis.normalized_values`. Nothing in a network that has another norm or is no fully connected
    one.

    Returns:
        `x`, `normalized`, `y` float32 [L, 8, M]: what goes into the norm, x̂, and what comes out;
        float32 [L, 8] each, `mean` μ and `var` σ² (biased) of the mini-batch, or the running ones
        where training uses these (`RunConfig.fixed_statistics`), `centred` x − μ of its first
        example, `factor` 1/√(σ² + ε), `gamma`, `beta`, and the stored `running_mean` and
        `running_var`, which inference uses.
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
