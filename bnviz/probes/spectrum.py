"""In how many directions a mini-batch varies: the eigenvalues of each layer's covariance."""

from __future__ import annotations

import numpy as np

from bnviz.networks.trace import unit_rows
from bnviz.pieces import Pieces
from bnviz.probes.axis import ZERO_EIGENVALUE, eigenvalue_places
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """The eigenvalues of each layer's covariance on the mini-batch, and how many are zero.

    Of the pre-activation W h + b on the mini-batch about to be used, in training mode; in a
    convolution each place of each example is a sample. The covariance of n samples has at most
    n − 1 eigenvalues that are not zero: whitening, Σ^(−1/2), needs all of them (Ioffe & Szegedy
    2015, §3).

    Returns:
        `eigenvalues` float32 [L, K]: the largest first, each ÷ the largest; at the K places of
        `axis.eigenvalue_places`, which are all H units but in wide or deep networks. NaN where no
        unit varies or a value is not finite;
        `zeros` float32 [L]: how many of all H are below 1e-10 of the largest; NaN likewise.
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
    """The eigenvalues of the covariance of samples float64 [n, H], ÷ the largest.

    The largest is the first. NaN [H] where nothing varies or a value is not finite.
    """
    lost = np.full(rows.shape[1], np.nan)
    size = np.abs(rows).max()
    if not np.isfinite(size) or size == 0:
        return lost
    # Squares of values scaled so neither overflow nor vanish.
    centred = rows / size
    centred -= centred.mean(axis=0)
    # A covariance has no negative eigenvalue; rounding may give one.
    values = np.maximum(np.linalg.eigvalsh(centred.T @ centred / len(rows))[::-1], 0)
    return values / values[0] if values[0] > 0 else lost


def count_zeros(shares: np.ndarray) -> float:
    """How many of the eigenvalues that `spectrum` gave are zero; NaN where it gave none."""
    known = np.isfinite(shares[0])
    return float(np.count_nonzero(shares < ZERO_EIGENVALUE)) if known else float("nan")
