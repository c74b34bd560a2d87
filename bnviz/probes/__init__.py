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
        label="distribution",
        help="How the inputs of the nonlinearity are distributed in each layer, on one fixed axis.",
        where="bnviz.probes.histogram:measure",
        cheap=True,
        passes=("probe_training", "distribution_after"),
    ),
    "percentiles": ProbeEntry(
        label="percentiles",
        help="The 15th, 50th and 85th percentile of the nonlinearity's input, by unit and layer.",
        where="bnviz.probes.percentiles:measure",
        cheap=True,
        passes=("probe_training", "distribution_after"),
    ),
    "saturation": ProbeEntry(
        label="saturation",
        help="The share of units and examples in the flat part of the nonlinearity, and of dead "
        "units.",
        where="bnviz.probes.saturation:measure",
        cheap=True,
    ),
    "gradients": ProbeEntry(
        label="gradients",
        help="The size of the loss gradient in each layer, on the mini-batch about to be used.",
        where="bnviz.probes.gradients:measure",
        cheap=True,
        passes=("batch_trace",),
    ),
    "drift": ProbeEntry(
        label="drift",
        help="How far each layer's distribution has moved since step 0 and since the last frame.",
        where="bnviz.probes.drift:measure",
        cheap=True,
        passes=("probe_training", "distribution_before", "distribution_after"),
    ),
    "jacobian": ProbeEntry(
        label="layer Jacobians",
        help="The singular values of each layer's Jacobian, in inference mode.",
        where="bnviz.probes.jacobian:measure",
        cheap=False,
        passes=("jacobian_inference",),
    ),
    "io_jacobian": ProbeEntry(
        label="input–output Jacobian",
        help="The singular values of the outputs' Jacobian by the inputs, in inference mode.",
        where="bnviz.probes.io_jacobian:measure",
        cheap=False,
        passes=("jacobian_inference",),
    ),
    "boundary": ProbeEntry(
        label="decision boundary",
        help="The probability of the second class over the plane, in inference mode.",
        where="bnviz.probes.boundary:measure",
        cheap=False,
        passes=(),
    ),
    "weights": ProbeEntry(
        label="weights",
        help="The norm of each layer's weights, its effective learning rate, and its next update.",
        where="bnviz.probes.weights:measure",
        cheap=True,
        default=False,
        page=False,
        passes=("batch_trace",),
    ),
    "rank": ProbeEntry(
        label="rank",
        help="How many dimensions each layer's outputs fill, and how strongly its units correlate.",
        where="bnviz.probes.rank:measure",
        cheap=False,
        default=False,
        page=False,
    ),
    "ics": ProbeEntry(
        label="covariate shift by gradients",
        help="How the update of the layers below changes each layer's gradient (Santurkar et al. "
        "2018).",
        where="bnviz.probes.ics:measure",
        cheap=False,
        default=False,
        page=False,
        passes=("batch_trace",),
    ),
    "landscape": ProbeEntry(
        label="landscape",
        help="How the loss and its gradient change along the gradient (Santurkar et al. 2018, "
        "Fig. 4).",
        where="bnviz.probes.landscape:measure",
        cheap=False,
        default=False,
        page=False,
        passes=("batch_trace",),
    ),
    "batch_values": ProbeEntry(
        label="one mini-batch",
        help="What eight units of each layer give their nonlinearity for the examples of one "
        "mini-batch.",
        where="bnviz.probes.batch_values:measure",
        cheap=True,
        default=False,
        page=False,
        passes=("batch_trace",),
    ),
    "batch_noise": ProbeEntry(
        label="noise of the mini-batch",
        help="How much a mini-batch's mean and standard deviation wander, and how much they "
        "should.",
        where="bnviz.probes.batch_noise:measure",
        cheap=False,
        default=False,
        page=False,
        passes=(),
    ),
    "mode_gap": ProbeEntry(
        label="training and inference mode",
        help="Test accuracy with the statistics of each batch, with running and with recomputed "
        "ones.",
        where="bnviz.probes.mode_gap:measure",
        cheap=False,
        default=False,
        page=False,
        passes=(),
    ),
    "sharpness": ProbeEntry(
        label="sharpness",
        help="The largest eigenvalue of the loss Hessian, and the edge of stability that goes with "
        "it.",
        where="bnviz.probes.sharpness:measure",
        cheap=False,
        default=False,
        passes=("batch_trace",),
    ),
}
