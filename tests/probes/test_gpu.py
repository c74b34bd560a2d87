"""Every probe gives the same values on a GPU as on the CPU."""

import numpy as np
import pytest

from bnviz.pieces import in_pieces, run_to_end
from bnviz.probes import PROBES
from tests.every_case import every_case
from tests.probes.contexts import MLP_NORMS, make_context


@pytest.mark.gpu
@every_case("name", PROBES)
def test_values_are_those_of_the_cpu(name):
    measure = PROBES[name].resolve()
    for norm in MLP_NORMS:
        here, there = (
            run_to_end(in_pieces(measure(make_context(norm, device=device, dataset="moons"))))
            for device in ("cpu", "cuda")
        )
        for key, value in here.items():
            if key.endswith("angle"):
                # Compare cosines, because a small angle has only half as many correct digits as its
                # cosine.
                value, there[key] = (np.cos(np.radians(each)) for each in (value, there[key]))
            np.testing.assert_allclose(there[key], value, rtol=1e-5, atol=1e-6, err_msg=key)
