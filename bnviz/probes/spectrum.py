"""Probe of the eigenvalues of each layer's covariance on a mini-batch."""

from __future__ import annotations

import numpy as np

from bnviz.networks.trace import unit_rows
from bnviz.pieces import Pieces
from bnviz.probes.axis import ZERO_EIGENVALUE, eigenvalue_places
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """Measure the eigenvalues of each layer's covariance on the next mini-batch, in training mode.

    The covariance is of the pre-activation W h + b. With n samples at most n − 1 eigenvalues are
    not zero, but whitening, Σ^(−1/2), needs all of them (Ioffe & Szegedy 2015, §3).

    Returns:
        `eigenvalues`: [L, K], descending, ÷ the largest, at the ranks `axis.eigenvalue_places`.
        `zeros`: [L], how many of all H are below 1e-10 of the largest. NaN if no unit varies.
    """
    places = eigenvalue_places(context.config)
    shares, zeros = list[np.ndarray](), list[float]()
    for layer in context.batch_trace.layers:
        found = spectrum(unit_rows(layer.pre_activation).double().cpu().numpy())
        shares.append(found[places])
        zeros.append(count_zeros(found))
        yield
    return as_floats(eigenvalues=shares, zeros=zeros)


@np.errstate(all="ignore")
def spectrum(rows: np.ndarray) -> np.ndarray:
    """Return the covariance eigenvalues of samples [n, H], descending, ÷ the largest, or NaN."""
    lost = np.full(rows.shape[1], np.nan)
    size = np.abs(rows).max()
    if not np.isfinite(size) or size == 0:
        return lost
    # Scale the values, so that their squares neither overflow nor underflow.
    centred = rows / size
    centred -= centred.mean(axis=0)
    # A covariance matrix has no negative eigenvalues, but rounding may produce them.
    values = np.maximum(np.linalg.eigvalsh(centred.T @ centred / len(rows))[::-1], 0)
    return values / values[0] if values[0] > 0 else lost


def count_zeros(shares: np.ndarray) -> float:
    """Return the number of zeros among the eigenvalues from `spectrum`, or NaN if they are NaN."""
    known = np.isfinite(shares[0])
    return float(np.count_nonzero(shares < ZERO_EIGENVALUE)) if known else float("nan")
