"""Registry of the probes (measurements), one per file.

Values are float32 unless a probe says otherwise. In shapes, L is the number of layers, H of units
and P of probe examples. A feature map of a convolution is a unit, and each of its positions is a
sample. Each time step of a recurrent network is a layer.
"""

from __future__ import annotations

from dataclasses import dataclass

from bnviz.registry import ImportPath, registry


@dataclass(frozen=True, kw_only=True)
class ProbeEntry(ImportPath):
    """Registry entry of a probe: `where` names `measure(context) -> dict[str, numpy.ndarray]`.

    A probe that does not apply to a run returns an empty dict.

    Attributes:
        cheap: Whether the probe is cheap enough for every frame.
        default_view: Whether every page needs the probe, whatever charts the page shows.
        of_a_step: Whether the probe measures the next step. It is empty if none is taken.
        passes: Expensive `ProbeContext` properties that it reads, computed in pieces before the
            call.
    """

    cheap: bool
    default: bool = False
    default_view: bool = False
    of_a_step: bool = False
    passes: tuple[str, ...] = ("probe_training",)


PROBES = registry("bnviz.probes", {
    "histogram": ProbeEntry(
        cheap=True, default=True, default_view=True,
        passes=("probe_training", "distribution_after"),
    ),
    "start_histogram": ProbeEntry(cheap=True, passes=("probe_training", "distribution_after")),
    "percentiles": ProbeEntry(
        cheap=True, default=True, default_view=True,
        passes=("probe_training", "distribution_after"),
    ),
    "saturation": ProbeEntry(cheap=True, default=True, default_view=True),
    "gradients": ProbeEntry(
        cheap=True, default=True, default_view=True, of_a_step=True, passes=("batch_trace",),
    ),
    "drift": ProbeEntry(
        cheap=True, default=True, default_view=True,
        passes=("probe_training", "distribution_before", "distribution_after"),
    ),
    "jacobian": ProbeEntry(
        cheap=False, default=True, default_view=True, passes=("jacobian_inference",),
    ),
    "io_jacobian": ProbeEntry(
        cheap=False, default=True, default_view=True, passes=("jacobian_inference",),
    ),
    "boundary": ProbeEntry(cheap=False, default=True, default_view=True, passes=()),
    "weights": ProbeEntry(cheap=True, passes=()),
    "rank": ProbeEntry(cheap=False),
    "ics": ProbeEntry(cheap=False, of_a_step=True, passes=("batch_trace",)),
    "landscape": ProbeEntry(cheap=False, of_a_step=True, passes=("batch_trace",)),
    "batch_values": ProbeEntry(cheap=True, of_a_step=True, passes=("batch_trace",)),
    "unit_batch": ProbeEntry(cheap=True, of_a_step=True, passes=("batch_trace",)),
    "unit_histogram": ProbeEntry(cheap=True),
    "shown_values": ProbeEntry(cheap=True),
    "spread_between": ProbeEntry(cheap=True),
    "median_step": ProbeEntry(cheap=True, of_a_step=True, passes=("probe_training", "batch_trace")),
    "affine": ProbeEntry(cheap=True, passes=()),
    "shape": ProbeEntry(where="normality", cheap=False),
    "cut": ProbeEntry(cheap=False),
    "amplify": ProbeEntry(cheap=False),
    "before_change": ProbeEntry(cheap=True, of_a_step=True, passes=()),
    "spectrum": ProbeEntry(cheap=False, of_a_step=True, passes=("batch_trace",)),
    "batch_noise": ProbeEntry(cheap=False, of_a_step=True, passes=()),
    "mode_gap": ProbeEntry(cheap=False, of_a_step=True, passes=()),
    "fit": ProbeEntry(cheap=False, passes=()),
    "estimate": ProbeEntry(cheap=False, of_a_step=True, passes=()),
    "sharpness": ProbeEntry(cheap=False, default_view=True, passes=()),
}, attribute="measure")  # fmt: skip
