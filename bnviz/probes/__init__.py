"""The measurements, one file each. A new one is a file and a line in `PROBES`."""

from __future__ import annotations

from dataclasses import dataclass

from bnviz.registry import Entry


@dataclass(frozen=True, kw_only=True)
class ProbeEntry(Entry):
    """A measurement: `where` names `measure(context) -> dict[str, numpy.ndarray]`.

    `help` is the first line of that function's docstring; a test holds them together. A probe that
    does not apply to a run returns an empty dict.

    Attributes:
        cheap: costs so little that it goes into every frame.
        default: measured when no probes are named.
        page: needed by every page, whatever charts it shows.
        passes: properties of the context that it reads and that take long in large networks; they
            are worked out in pieces before it is called.
    """

    cheap: bool
    default: bool = True
    page: bool = True
    passes: tuple[str, ...] = ("probe_training",)


PROBES: dict[str, ProbeEntry] = {
    "histogram": ProbeEntry(
        words="probes.histogram",
        where="bnviz.probes.histogram:measure",
        cheap=True,
        passes=("probe_training", "distribution_after"),
    ),
    "start_histogram": ProbeEntry(
        words="probes.start_histogram",
        where="bnviz.probes.start_histogram:measure",
        cheap=True,
        default=False,
        page=False,
        passes=("probe_training", "distribution_after"),
    ),
    "percentiles": ProbeEntry(
        words="probes.percentiles",
        where="bnviz.probes.percentiles:measure",
        cheap=True,
        passes=("probe_training", "distribution_after"),
    ),
    "saturation": ProbeEntry(
        words="probes.saturation",
        where="bnviz.probes.saturation:measure",
        cheap=True,
    ),
    "gradients": ProbeEntry(
        words="probes.gradients",
        where="bnviz.probes.gradients:measure",
        cheap=True,
        passes=("batch_trace",),
    ),
    "drift": ProbeEntry(
        words="probes.drift",
        where="bnviz.probes.drift:measure",
        cheap=True,
        passes=("probe_training", "distribution_before", "distribution_after"),
    ),
    "jacobian": ProbeEntry(
        words="probes.jacobian",
        where="bnviz.probes.jacobian:measure",
        cheap=False,
        passes=("jacobian_inference",),
    ),
    "io_jacobian": ProbeEntry(
        words="probes.io_jacobian",
        where="bnviz.probes.io_jacobian:measure",
        cheap=False,
        passes=("jacobian_inference",),
    ),
    "boundary": ProbeEntry(
        words="probes.boundary",
        where="bnviz.probes.boundary:measure",
        cheap=False,
        passes=(),
    ),
    "weights": ProbeEntry(
        words="probes.weights",
        where="bnviz.probes.weights:measure",
        cheap=True,
        default=False,
        page=False,
        passes=("batch_trace",),
    ),
    "rank": ProbeEntry(
        words="probes.rank",
        where="bnviz.probes.rank:measure",
        cheap=False,
        default=False,
        page=False,
    ),
    "ics": ProbeEntry(
        words="probes.ics",
        where="bnviz.probes.ics:measure",
        cheap=False,
        default=False,
        page=False,
        passes=("batch_trace",),
    ),
    "landscape": ProbeEntry(
        words="probes.landscape",
        where="bnviz.probes.landscape:measure",
        cheap=False,
        default=False,
        page=False,
        passes=("batch_trace",),
    ),
    "batch_values": ProbeEntry(
        words="probes.batch_values",
        where="bnviz.probes.batch_values:measure",
        cheap=True,
        default=False,
        page=False,
        passes=("batch_trace",),
    ),
    "unit_batch": ProbeEntry(
        words="probes.unit_batch",
        where="bnviz.probes.unit_batch:measure",
        cheap=True,
        default=False,
        page=False,
        passes=("batch_trace",),
    ),
    "unit_histogram": ProbeEntry(
        words="probes.unit_histogram",
        where="bnviz.probes.unit_histogram:measure",
        cheap=True,
        default=False,
        page=False,
    ),
    "spread_between": ProbeEntry(
        words="probes.spread_between",
        where="bnviz.probes.spread_between:measure",
        cheap=True,
        default=False,
        page=False,
    ),
    "median_step": ProbeEntry(
        words="probes.median_step",
        where="bnviz.probes.median_step:measure",
        cheap=True,
        default=False,
        page=False,
        passes=("probe_training", "batch_trace"),
    ),
    "affine": ProbeEntry(
        words="probes.affine",
        where="bnviz.probes.affine:measure",
        cheap=True,
        default=False,
        page=False,
        passes=(),
    ),
    "shape": ProbeEntry(
        words="probes.shape",
        where="bnviz.probes.shape:measure",
        cheap=False,
        default=False,
        page=False,
    ),
    "cut": ProbeEntry(
        words="probes.cut",
        where="bnviz.probes.cut:measure",
        cheap=False,
        default=False,
        page=False,
    ),
    "amplify": ProbeEntry(
        words="probes.amplify",
        where="bnviz.probes.amplify:measure",
        cheap=False,
        default=False,
        page=False,
    ),
    "before_change": ProbeEntry(
        words="probes.before_change",
        where="bnviz.probes.before_change:measure",
        cheap=True,
        default=False,
        page=False,
        passes=(),
    ),
    "spectrum": ProbeEntry(
        words="probes.spectrum",
        where="bnviz.probes.spectrum:measure",
        cheap=False,
        default=False,
        page=False,
        passes=("batch_trace",),
    ),
    "batch_noise": ProbeEntry(
        words="probes.batch_noise",
        where="bnviz.probes.batch_noise:measure",
        cheap=False,
        default=False,
        page=False,
        passes=(),
    ),
    "mode_gap": ProbeEntry(
        words="probes.mode_gap",
        where="bnviz.probes.mode_gap:measure",
        cheap=False,
        default=False,
        page=False,
        passes=(),
    ),
    "fit": ProbeEntry(
        words="probes.fit",
        where="bnviz.probes.fit:measure",
        cheap=False,
        default=False,
        page=False,
        passes=(),
    ),
    "estimate": ProbeEntry(
        words="probes.estimate",
        where="bnviz.probes.estimate:measure",
        cheap=False,
        default=False,
        page=False,
        passes=(),
    ),
    "sharpness": ProbeEntry(
        words="probes.sharpness",
        where="bnviz.probes.sharpness:measure",
        cheap=False,
        default=False,
        passes=("batch_trace",),
    ),
}
